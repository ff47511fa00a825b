// SPDX-License-Identifier: Apache-2.0
// Budget: where the fields of a run lie, chosen by the user or for a given memory, and what that costs a
// rank: known before any field is there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/move/stream/rate.hpp"

namespace sc {

/// As the table [storage] of a case file says it.
enum class Where {
  memory,  ///< where they are computed, the host's or a device's ("device")
  host,    ///< the host's memory beside a device, to which they come piece by piece
  files    ///< scratch files, from which they come piece by piece
};

struct StorageOptions {
  Where where = Where::memory;
  int pieces = 8;  ///< in which each array in files or beside a device is cut
  /// > 0: bytes that may be used: by all ranks together or, where a device computes, on each rank's device.
  /// The fewest pieces that will do are taken; for fields in memory only where these do not fit there.
  std::int64_t memory = 0;
  std::string scratch = "scratch";  ///< folder for the files; each rank makes one of its own there
  /// Told what is not as it should be (no io_uring, no O_DIRECT).
  std::function<void(const std::string&)> say = [](const std::string&) {};
  /// For tests; see FileMemoryOptions.
  std::function<std::int64_t(const FileRequest&, std::int64_t)> outcome = {};
  double most_bytes_per_second = 0;
};

/// `overlaps`: read and write while something is computed.
FileMemoryOptions scratch_files(Context& context, const StorageOptions& options, bool overlaps);
/// Their memory; in a rehearsal what it would copy is noted. Throws Error (storage).
std::unique_ptr<FarMemory> far_files(Context& context, const StorageOptions& options, bool overlaps);

/// What one way of keeping the fields costs a rank, in bytes.
struct Budget {
  int pieces = 0;                      ///< of every array that comes and goes; 0: none does
  int ahead = 0;                       ///< pieces of the ring beyond the one computed; 0: one by one
  std::int64_t near = 0;               ///< where it is computed: what `memory` limits
  std::int64_t process = 0;            ///< of these, what the process had when the budget was made
  std::int64_t far = 0;                ///< in files, or in the host's memory beside a device
  std::int64_t read = 0, written = 0;  ///< a step
  DiskRate rate = {};                  ///< measured when the budget was made, where it uses the disk
  double seconds = 0;                  ///< of a step that waits for nothing but the disk
};

/// Of `ways`, best first, the first that needs no more than `most` on this rank; or the one that needs least.
template <class Way>
const Way& fitting(const std::vector<Way>& ways, std::int64_t most) {
  const Way* least = &ways.front();
  for (const Way& way : ways) {
    if (way.near <= most) return way;
    if (way.near < least->near) least = &way;
  }
  return *least;
}
/// Bytes of `memory` that a rank has for its fields, beside what its process takes already.
inline std::int64_t share_of(const Context& context, std::int64_t memory, std::int64_t process) {
  return memory / context.size() - process;
}
/// Collective. Throws Error (bad_input) where a rank's `near` and process are beyond its share of `memory`,
/// naming the smallest that would do for `what`.
void check_fits(const Context& context, const Budget& budget, std::int64_t process, std::int64_t memory,
                const std::string& what);
/// In which an array can be cut: the requests of a batch.
constexpr int most_pieces = 128;
/// Collective. Throws Error (bad_input) unless this rank can cut `planes` into `pieces`.
void check_pieces(const Context& context, int pieces, std::int64_t planes);
/// Collective. Measures the disk of a budget that uses it. Throws Error (storage).
void measure_disk(Context& context, Budget& budget, const StorageOptions& options, bool overlaps);
/// ": 2 s at the disk's 500 MB/s, or as long as it computes"; empty where nothing was measured.
std::string at_the_disks_rate(const Budget& budget);

/// What buffers of a far memory take of the host's: large ones come in large pages.
std::int64_t buffer_bytes(std::int64_t bytes);
/// "12.3 MiB".
std::string mebibytes(std::int64_t bytes);

}  // namespace sc
