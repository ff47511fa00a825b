// SPDX-License-Identifier: Apache-2.0
// Budget: one computation for all ways of storing the arrays; the first one that fits is used.
#include "solvers/turbulence/budget.hpp"

#include <algorithm>
#include <limits>

#include "engine/move/stream/slab_stream.hpp"
#include "spectral/planes.hpp"

namespace sc::turbulence {

namespace {

constexpr int most_tried = 32;

PlaneCut cut_of(std::int64_t planes, std::int64_t plane_bytes, int pieces) {
  return {static_cast<int>(planes), static_cast<std::size_t>(plane_bytes), pieces, FileMemory::page};
}
std::int64_t bytes_of(const PlaneCut& cut) { return static_cast<std::int64_t>(cut.slot_bytes(0)); }

/// At most `most_ahead` pieces are prefetched.
Budget budget_of(const Needs& s, bool planes, bool fields, int pieces, int most_ahead) {
  Budget p;
  p.planes_in_files = planes;
  p.fields_in_files = fields;
  p.pieces = planes || fields ? pieces : 0;
  p.near = s.fixed;
  const PlaneCut mode = cut_of(s.mode_planes, s.mode_plane_bytes, pieces);
  const PlaneCut plane = cut_of(s.planes, s.file_plane_bytes, pieces);
  std::int64_t slot = 0;
  if (planes) {
    // In each_slab() a slot has all arrays that are not in near memory.
    constexpr int near = spectral::Planes::near_arrays;
    const int far = s.plane_arrays - near;
    p.near += near * buffer_bytes(s.planes * s.file_plane_bytes);
    p.far += far * plane.bytes();
    p.read += s.evaluations * s.plane_reads * plane.moved();
    p.written += s.evaluations * s.plane_reads * plane.moved();
    slot = far * bytes_of(plane);
  } else {
    p.near += s.plane_arrays * s.planes * s.plane_bytes;
  }
  if (fields) {
    p.far += s.fields * s.components * mode.bytes();
    p.read += s.fields_read * s.components * mode.moved();
    p.written += s.fields_written * s.components * mode.moved();
    slot = std::max(slot, 2 * s.components * bytes_of(mode));
  } else {
    p.near += s.fields * s.components * s.mode_planes * s.mode_plane_bytes;
  }
  const auto bytes = static_cast<std::size_t>(slot);
  p.ahead = std::min(most_ahead, FileMemory::ahead(bytes));
  p.near += buffer_bytes(static_cast<std::int64_t>(SlabStream::near_bytes(bytes, p.ahead)));
  return p;
}

int most_ahead(bool overlaps) { return overlaps ? std::numeric_limits<int>::max() : 0; }

/// Best first: all in memory if allowed; then planes, then also fields in files, with as few pieces as
/// possible. A ring of three slots is preferred to smaller pieces.
std::vector<Budget> ways(const Needs& s, const StorageOptions& options, bool overlaps) {
  std::vector<Budget> all;
  const int most = most_ahead(overlaps);
  if (options.where == Where::memory) all.push_back(budget_of(s, false, false, 1, most));
  const std::int64_t planes = std::min(s.planes, s.mode_planes);
  for (const bool fields : {false, true})
    for (int pieces = 2; pieces <= most_tried && pieces <= planes; pieces *= 2)
      for (const int ahead : {most, std::min(most, 1)})
        all.push_back(budget_of(s, true, fields, pieces, ahead));
  if (all.empty()) all.push_back(budget_of(s, true, true, 1, most));
  return all;
}

}  // namespace

std::string Budget::describe() const {
  if (!disk_used()) return "";
  return mebibytes(near) + " in memory, " + mebibytes(far) + " in files (" +
         (planes_in_files ? fields_in_files ? "planes and fields" : "planes" : "fields") + ", " +
         std::to_string(pieces) + " pieces), " + mebibytes(read) + " read and " + mebibytes(written) +
         " written a step" + at_rate_of("disk", *this);
}

Budget make_budget(Context& context, const Needs& needs, const StorageOptions& options, bool overlaps) {
  const int most = most_ahead(overlaps);
  Plans<Budget> plans{.in_memory = [&] { return budget_of(needs, false, false, 1, most); },
                      .in_pieces =
                          [&] {
                            check_pieces(context, options.pieces, std::min(needs.planes, needs.mode_planes));
                            return budget_of(needs, true, true, options.pieces, most);
                          },
                      .ways = [&] { return ways(needs, options, overlaps); },
                      .needs = "this flow needs"};
  // Transposes need the same pieces on all ranks: the smallest, and the shortest ring.
  plans.alike = [&](const Budget& mine) {
    const int pieces = context.largest(mine.pieces);
    const bool fields = context.any(mine.fields_in_files);
    const int ahead = -context.largest(-mine.ahead);
    return budget_of(needs, pieces > 0, fields, std::max(pieces, 1), ahead);
  };
  return planned(context, options, overlaps, plans);
}

}  // namespace sc::turbulence
