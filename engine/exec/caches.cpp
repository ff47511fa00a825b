// SPDX-License-Identifier: Apache-2.0
// Cache sizes as the C library reports them.
#include "engine/exec/caches.hpp"

#include <unistd.h>

namespace sc {

std::size_t second_level_cache() {
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : std::size_t{512} << 10;
}

}  // namespace sc
