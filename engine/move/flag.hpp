// SPDX-License-Identifier: Apache-2.0
// Flags in memory that ranks of a node share: what was written before a store is seen after the load of it.
#pragma once

#include <atomic>
#include <cstdint>

namespace sc {

inline std::uint64_t load(const std::uint64_t* flag) {
  return std::atomic_ref<std::uint64_t>(*const_cast<std::uint64_t*>(flag)).load(std::memory_order_acquire);
}
inline void store(std::uint64_t* flag, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(*flag).store(value, std::memory_order_release);
}
static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free);

}  // namespace sc
