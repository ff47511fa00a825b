// SPDX-License-Identifier: Apache-2.0
// The peak memory of a process in tests.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace sc::test {

/// VmHWM of this process in bytes; 0 if the system has no /proc/self/status.
inline std::int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return 1024 * std::stoll(line.substr(6));
  return 0;
}

/// From now on the peak is that of what follows.
inline void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace sc::test
