// SPDX-License-Identifier: Apache-2.0
// What a plan has to know of the machine: how fast its disk is, and how much memory the process has already.
#pragma once

#include <algorithm>

#include "engine/move/stream/file_memory.hpp"

namespace sc {

/// Bytes a second of a disk.
struct DiskRate {
  double read = 0, write = 0;  ///< nothing going the other way
  double both = 0;             ///< read and written together, each way at the same time

  /// Of an idle disk, with requests of this size.
  double seconds(std::int64_t bytes_in, std::int64_t bytes_out) const {
    const auto in = static_cast<double>(bytes_in), out = static_cast<double>(bytes_out);
    return read > 0 ? std::max({in / read, out / write, (in + out) / both}) : 0;
  }
};

/// Of scratch files with these options (with IoMode::blocking `both` is one after the other), over `bytes`
/// each way. Throws Error (storage).
DiskRate measured_rate(const FileMemoryOptions& options, std::int64_t bytes);

/// Bytes of this process in memory now, those shared with others included; 0 where the system does not tell.
std::int64_t resident_bytes();

}  // namespace sc
