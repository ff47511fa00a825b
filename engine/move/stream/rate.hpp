// SPDX-License-Identifier: Apache-2.0
// Properties of the machine for a plan: the speed of its disk and of the link to a device, and the memory
// that the process already uses.
#pragma once

#include <algorithm>
#include <functional>

#include "engine/base/device.hpp"
#include "engine/move/stream/file_memory.hpp"

namespace sc {

/// Speed of a disk, or of the link to a device, in bytes a second.
struct TransferRate {
  double read = 0, write = 0;  ///< without transfers in the other direction
  double both = 0;             ///< in both directions at the same time, the sum of them

  /// Of an idle disk or link.
  double seconds(std::int64_t bytes_in, std::int64_t bytes_out) const {
    const auto in = static_cast<double>(bytes_in), out = static_cast<double>(bytes_out);
    return read > 0 ? std::max({in / read, out / write, (in + out) / both}) : 0;
  }
};

/// Memory for the copies of a measurement, in each direction, in bytes. Copies to memory that stays in the
/// caches are faster than those of a run.
constexpr std::int64_t most_near = std::int64_t{32} << 20;
/// Measured with scratch files with these options (with IoMode::blocking `both` is one after the other), with
/// `bytes` in each direction, to and from `near` bytes of memory in turn. Throws Error (storage).
TransferRate measured_rate(const FileMemoryOptions& options, std::int64_t bytes,
                           std::int64_t near = most_near);
/// Of copies of `bytes` to a device and back, from and to pinned host memory. Throws Error (storage).
TransferRate link_rate(Device& device, std::int64_t bytes);
/// The share, from 0.01 to 1, of the speed of copies in both directions that is left while `compute` computes
/// for a number of seconds, because cores and disk share the processor and the memory: the median of three
/// measurements. Throws Error (storage).
double computing_share(const FileMemoryOptions& options, std::int64_t bytes,
                       const std::function<void(double)>& compute);

/// Resident bytes of this process, including shared memory; 0 if the system does not report them.
std::int64_t resident_bytes();

}  // namespace sc
