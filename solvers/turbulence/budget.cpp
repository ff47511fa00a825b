// SPDX-License-Identifier: Apache-2.0
// Budget: the same sums for every way of storing, of which the first that fits is taken.
#include "solvers/turbulence/budget.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>

#include "engine/base/error.hpp"
#include "engine/move/stream/slab_stream.hpp"
#include "spectral/planes.hpp"

namespace sc::turbulence {

namespace {

constexpr std::int64_t boundary = 4096;
constexpr int components = 3;
constexpr int most_files = 32;
constexpr std::int64_t most_requests = 128;  // of one batch

std::int64_t round_up(std::int64_t bytes) { return (bytes + boundary - 1) / boundary * boundary; }

/// What buffers of a far memory take: large ones come in large pages.
std::int64_t near_bytes(std::int64_t bytes) {
  constexpr std::int64_t huge = std::int64_t{2} << 20;
  return bytes < huge ? round_up(bytes) : (bytes + huge - 1) / huge * huge;
}

/// An array cut into pieces, each beginning on a boundary (FarArray).
struct Cut {
  std::int64_t planes, plane_bytes;
  int files;
  std::int64_t first(int piece) const { return planes * piece / files; }
  std::int64_t largest() const { return round_up((planes + files - 1) / files * plane_bytes); }
  std::int64_t on_disk() const { return largest() * files; }
  std::int64_t moved() const {
    std::int64_t sum = 0;
    for (int piece = 0; piece < files; ++piece)
      sum += round_up((first(piece + 1) - first(piece)) * plane_bytes);
    return sum;
  }
};

/// At most so many pieces are read ahead.
Budget budget_of(const Needs& s, bool planes, bool fields, int files, int most_ahead) {
  Budget p{.planes_in_files = planes, .fields_in_files = fields, .files = planes || fields ? files : 0};
  const Cut mode{s.mode_planes, s.mode_plane_bytes, files}, plane{s.planes, s.file_plane_bytes, files};
  p.memory = s.fixed;
  std::int64_t slot = 0;
  if (planes) {
    // Two arrays near. A meeting has four in a slot, read once; one of them changes and is read again.
    constexpr int far = plane_arrays - spectral::Planes<double>::near_arrays, passes = far + 1;
    p.memory += 2 * near_bytes(s.planes * s.file_plane_bytes);
    p.disk += far * plane.on_disk();
    p.read += s.evaluations * passes * plane.moved();
    p.written += s.evaluations * passes * plane.moved();
    slot = far * plane.largest();
  } else {
    p.memory += plane_arrays * s.planes * s.plane_bytes;
  }
  if (fields) {
    p.disk += s.fields * components * mode.on_disk();
    p.read += s.fields_read * components * mode.moved();
    p.written += s.fields_written * components * mode.moved();
    slot = std::max(slot, 2 * components * mode.largest());
  } else {
    p.memory += s.fields * components * s.mode_planes * s.mode_plane_bytes;
  }
  const auto bytes = static_cast<std::size_t>(slot);
  p.ahead = std::min(most_ahead, FileMemory::ahead(bytes));
  p.memory += near_bytes(static_cast<std::int64_t>(SlabStream::near_bytes(bytes, p.ahead)));
  return p;
}

std::string mebibytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", bytes / (1 << 20));
  return text;
}

int most_ahead(Io io) { return io == Io::sync ? 0 : std::numeric_limits<int>::max(); }

/// The first way that needs no more than `most` on this rank, or the one that needs least. A ring of three
/// slots comes before smaller pieces.
Budget fitting(const Needs& s, std::int64_t most, Io io) {
  Budget best = budget_of(s, false, false, 1, most_ahead(io));
  if (best.memory <= most) return best;
  const std::int64_t pieces = std::min(s.planes, s.mode_planes);
  for (const bool fields : {false, true})
    for (int files = 2; files <= most_files && files <= pieces; files *= 2)
      for (const int ahead : {most_ahead(io), std::min(most_ahead(io), 1)}) {
        const Budget p = budget_of(s, true, fields, files, ahead);
        if (p.memory <= most) return p;
        if (p.memory < best.memory) best = p;
      }
  return best;
}

}  // namespace

FileMemoryOptions scratch_files(Context& context, const StorageOptions& options) {
  return {.folder = options.scratch,
          .name = "rank " + std::to_string(context.rank()),
          .mode = options.io == Io::sync ? IoMode::blocking
                  : context.spare_core() ? IoMode::spare_core
                                         : IoMode::automatic,
          .say = options.say,
          .outcome = options.outcome,
          .most_bytes_per_second = options.most_bytes_per_second};
}

std::string Budget::describe() const {
  std::string text = mebibytes(static_cast<double>(memory)) + " in memory";
  if (!disk_used()) return text + ", nothing in files";
  text += ", " + mebibytes(static_cast<double>(disk)) + " in files (" +
          (planes_in_files ? fields_in_files ? "planes and fields" : "planes" : "fields") + ", " +
          std::to_string(files) + " pieces), " + mebibytes(static_cast<double>(read)) + " read and " +
          mebibytes(static_cast<double>(written)) + " written a step";
  if (rate.both > 0) {
    char more[96];
    std::snprintf(more, sizeof more, ": %.2g s at the disk's %.0f MB/s, or as long as it computes", seconds,
                  rate.both * 1e-6);
    text += more;
  }
  return text;
}

Budget make_budget(Context& context, const Needs& needs, const StorageOptions& options) {
  const std::int64_t process = resident_bytes();
  Budget budget;
  if (options.memory > 0) {
    const std::int64_t mine = options.memory / context.size() - process;
    budget = fitting(needs, mine, options.io);
    // All ranks alike: the least that each needs, summed; and the finest and the shortest ring of what they
    // chose.
    const auto short_of = budget.memory > mine;
    const auto most = static_cast<std::int64_t>(context.max(static_cast<double>(budget.memory + process)));
    if (context.any(short_of))
      refuse("storage.memory is " + mebibytes(static_cast<double>(options.memory)) +
             "; this flow needs at least " +
             mebibytes(static_cast<double>(most * context.size()) * 1.001 + 0.1 * (1 << 20)) + " on " +
             std::to_string(context.size()) + (context.size() > 1 ? " ranks" : " rank"));
    const int files = context.largest(budget.files);
    const bool fields = context.any(budget.fields_in_files);
    const int ahead = -context.largest(-budget.ahead);
    budget = budget_of(needs, files > 0, fields, std::max(files, 1), ahead);
    if (files == 0) budget.files = 0;
  } else if (options.where == Where::disk) {
    const std::int64_t pieces = std::min({needs.planes, needs.mode_planes, most_requests});
    context.agree(Exit::bad_input, options.files >= 1 && options.files <= pieces
                                       ? ""
                                       : "storage.files is " + std::to_string(options.files) +
                                             "; it must be from 1 to " + std::to_string(pieces) +
                                             ", the planes that rank " + std::to_string(context.rank()) +
                                             " has or the requests that a disk is given at a time");
    budget = budget_of(needs, true, true, options.files, most_ahead(options.io));
  } else {
    budget = budget_of(needs, false, false, 1, most_ahead(options.io));
  }
  budget.process = process;
  budget.memory += process;
  if (budget.disk_used()) {
    constexpr std::int64_t sample = std::int64_t{32} << 20;
    context.together([&] {
      FileMemoryOptions files = scratch_files(context, options);
      files.name += " rate";
      files.say = [](const std::string&) {};  // said by the files of the run
      files.outcome = {};
      budget.rate = measured_rate(files, std::min(sample, budget.disk));
    });
    budget.seconds = budget.rate.seconds(budget.read, budget.written);
  }
  return budget;
}

}  // namespace sc::turbulence
