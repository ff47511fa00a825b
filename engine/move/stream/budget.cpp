// SPDX-License-Identifier: Apache-2.0
// Budget: agreement of all ranks, and the error messages.
#include "engine/move/stream/budget.hpp"

#include <algorithm>
#include <cstdio>

#include "engine/base/align.hpp"
#include "engine/base/error.hpp"
#include "engine/move/stream/rehearsed_files.hpp"

namespace sc {

FileMemoryOptions scratch_files(Context& context, const StorageOptions& options, bool overlaps) {
  if (context.rehearses()) refuse("fields of this solver in files cannot be rehearsed yet");
  return {.folder = options.scratch,
          .name = "rank " + std::to_string(context.rank()),
          .mode = !overlaps              ? IoMode::blocking
                  : context.spare_core() ? IoMode::sqpoll
                                         : IoMode::automatic,
          .say = options.say,
          .outcome = options.outcome,
          .most_bytes_per_second = options.most_bytes_per_second};
}

std::unique_ptr<FarMemory> far_files(Context& context, const StorageOptions& options, bool overlaps) {
  if (context.rehearses()) return std::make_unique<RehearsedFiles>(context, overlaps);
  return std::make_unique<FileMemory>(scratch_files(context, options, overlaps));
}

void check_fits(const Context& context, const Budget& budget, std::int64_t process, std::int64_t memory,
                const std::string& needs) {
  const double most = context.max(static_cast<double>(budget.near + process));
  if (!context.any(budget.near > share_of(context, memory, process))) return;
  const bool device = context.device() != nullptr;
  const std::string ranks = std::to_string(context.size()) + (context.size() > 1 ? " ranks" : " rank");
  // Rounded up a little, so that the suggested value is sufficient.
  const double least = most * (device ? 1 : context.size()) * 1.001 + 0.1 * (1 << 20);
  refuse("storage.memory is " + mebibytes(memory) + (device ? " a rank; " : "; ") + needs + " at least " +
         mebibytes(static_cast<std::int64_t>(least)) + " on " + (device ? "the device" : ranks));
}

void check_pieces(const Context& context, int pieces, std::int64_t parts, const std::string& of) {
  const std::int64_t most = std::min<std::int64_t>(parts, most_pieces);
  context.agree(Exit::bad_input, pieces >= 1 && pieces <= most
                                     ? ""
                                     : "storage.pieces is " + std::to_string(pieces) +
                                           "; it must be from 1 to " + std::to_string(most) + ", the " + of +
                                           " that rank " + std::to_string(context.rank()) +
                                           " has or the requests that are made at a time");
}

void measure(Context& context, Budget& budget, const StorageOptions& options, bool overlaps) {
  if (context.rehearses()) return;  // the disk or the link is that of another machine
  constexpr std::int64_t sample = std::int64_t{32} << 20, sample_of_link = std::int64_t{8} << 20;
  context.together([&] {
    if (Device* device = context.device().get()) {
      // Half of it in each direction, so that it needs no more memory of the device than the fields.
      budget.rate = link_rate(*device, std::min(sample_of_link, budget.near / 2));
      return;
    }
    FileMemoryOptions files = scratch_files(context, options, overlaps);
    files.name += " rate";
    files.say = [](const std::string&) {};  // warnings come from the files of the run
    files.outcome = {};
    // The measurement needs no more memory than the fields, which are made later.
    const std::int64_t near = std::min(most_near, (budget.near - budget.process) / 2);
    budget.rate = measured_rate(files, std::min(sample, budget.far), near);
  });
  budget.seconds = budget.rate.seconds(budget.read, budget.written);
}

std::string at_rate_of(const std::string& what, const Budget& budget) {
  if (budget.rate.both <= 0) return "";
  char text[96];
  std::snprintf(text, sizeof text, ": %.2g s at the %s's %.0f MB/s, or as long as it computes",
                budget.seconds, what.c_str(), budget.rate.both * 1e-6);
  return text;
}

std::int64_t buffer_bytes(std::int64_t bytes) {
  constexpr std::int64_t page = memory_page, huge = std::int64_t{2} << 20;
  return round_up(bytes, bytes < huge ? page : huge);
}

std::string mebibytes(std::int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

}  // namespace sc
