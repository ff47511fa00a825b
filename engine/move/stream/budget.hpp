// SPDX-License-Identifier: Apache-2.0
// Budget: the place of a run's fields, chosen by the user or for a given memory size, and its cost on a rank,
// computed before any field exists. One planner, planned(), serves all solvers with a table [storage].
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/move/stream/rate.hpp"

namespace sc {

/// The table [storage] of a case file.
enum class Where {
  memory,  ///< where they are computed, on the host or on a device ("device")
  host,    ///< the host's memory beside a device, to which they are copied piece by piece
  files    ///< scratch files, from which they are read piece by piece
};

struct StorageOptions {
  Where where = Where::memory;
  int pieces = 8;  ///< number of pieces of each array in files or beside a device
  /// > 0: limit in bytes for all ranks together or, with a device, for each rank's device. Fields are in
  /// memory if they fit, otherwise in as few pieces as possible.
  std::int64_t memory = 0;
  std::string scratch = "scratch";  ///< folder for the files; each rank creates its own folder there
  /// Called with a warning (no io_uring, no O_DIRECT).
  std::function<void(const std::string&)> say = [](const std::string&) {};
  /// For tests; see FileMemoryOptions.
  std::function<std::int64_t(const FileRequest&, std::int64_t)> outcome = {};
  double most_bytes_per_second = 0;
};

/// `overlaps`: read and write during computation.
FileMemoryOptions scratch_files(Context& context, const StorageOptions& options, bool overlaps);
/// The far memory of the fields; in a rehearsal it only records copies. Throws Error (storage).
std::unique_ptr<FarMemory> far_files(Context& context, const StorageOptions& options, bool overlaps);

/// The cost of one variant on a rank, in bytes.
struct Budget {
  int pieces = 0;                      ///< of every array in far memory; 0: none
  int ahead = 0;                       ///< pieces read ahead; 0: one by one
  std::int64_t near = 0;               ///< memory where it is computed, which `memory` limits
  std::int64_t process = 0;            ///< part of `near` that the process used when the budget was made
  std::int64_t far = 0;                ///< in files, or in host memory beside a device
  std::int64_t read = 0, written = 0;  ///< a step
  TransferRate rate = {};              ///< measured when the budget was made, if it uses a disk or a link
  double seconds = 0;                  ///< for a step that waits only for them
};

/// The first of `ways`, best first, that needs at most `most` bytes on this rank; otherwise the one that
/// needs least.
template <class Way>
const Way& fitting(const std::vector<Way>& ways, std::int64_t most) {
  const Way* least = &ways.front();
  for (const Way& way : ways) {
    if (way.near <= most) return way;
    if (way.near < least->near) least = &way;
  }
  return *least;
}
/// The part of `memory` for this rank's fields, without what its process already uses, in bytes. Each rank
/// has all of the given memory of its device; on hosts the ranks share it.
inline std::int64_t share_of(const Context& context, std::int64_t memory, std::int64_t process) {
  return context.device() ? memory : memory / context.size() - process;
}
/// Collective. Throws Error (bad_input) if a rank's `near` and process exceed its part of `memory`; the
/// message contains the smallest possible value and begins with `needs`, as in "this flow needs".
void check_fits(const Context& context, const Budget& budget, std::int64_t process, std::int64_t memory,
                const std::string& needs);
/// Largest number of pieces of an array: the requests of a batch.
constexpr int most_pieces = 128;
/// Collective. Throws Error (bad_input) unless this rank can divide its `parts` into `pieces`.
void check_pieces(const Context& context, int pieces, std::int64_t parts, const std::string& of = "planes");
/// Collective. Measures the disk, or the link to the device, of a budget that uses it. Throws Error
/// (storage).
void measure(Context& context, Budget& budget, const StorageOptions& options, bool overlaps);

/// What a solver tells the planner of its fields.
template <class Plan>
struct Plans {
  std::function<Plan()> in_memory;
  /// Collective: in StorageOptions::pieces pieces in far memory, after a check of their number.
  std::function<Plan()> in_pieces;
  /// For a given memory, best first. Only the first may be in memory.
  std::function<std::vector<Plan>()> ways;
  /// Collective: one plan for all ranks, for a solver that needs the same pieces everywhere. Without it ranks
  /// agree on the place only.
  std::function<Plan(const Plan& mine)> alike = {};
  std::string needs;  ///< see check_fits()
};

/// Collective: the plan for the user's options. Throws Error (bad_input) for pieces that do not divide the
/// fields, and for a memory that is too small, with the smallest sufficient one; Error (storage) if the
/// scratch folder cannot be used.
template <class Plan>
Plan planned(Context& context, const StorageOptions& options, bool overlaps, const Plans<Plan>& plans) {
  const std::int64_t process = context.device() ? 0 : resident_bytes();
  Plan plan;
  if (options.memory > 0) {
    const std::int64_t share = share_of(context, options.memory, process);
    std::vector<Plan> ways = plans.ways();
    plan = fitting(ways, share);
    if (!plans.alike && context.any(plan.pieces > 0) && plan.pieces == 0) {  // one place on all ranks
      ways.erase(ways.begin());
      plan = fitting(ways, share);
    }
    check_fits(context, plan, process, options.memory, plans.needs);
    if (plans.alike) plan = plans.alike(plan);
  } else {
    plan = options.where == Where::memory ? plans.in_memory() : plans.in_pieces();
  }
  plan.process = process;
  plan.near += process;
  if (plan.pieces > 0) measure(context, plan, options, overlaps);
  return plan;
}

/// ": 2 s at the disk's 500 MB/s, or as long as it computes", for the `disk` or the `link`; empty where
/// nothing was measured.
std::string at_rate_of(const std::string& what, const Budget& budget);

/// Host memory of the buffers of a far memory, in bytes; large ones use large pages.
std::int64_t buffer_bytes(std::int64_t bytes);
/// "12.3 MiB".
std::string mebibytes(std::int64_t bytes);

}  // namespace sc
