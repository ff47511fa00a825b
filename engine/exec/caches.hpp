// SPDX-License-Identifier: Apache-2.0
// Sizes of this machine's caches, for tiles.
#pragma once

#include <cstddef>

namespace sc {

/// Bytes of the second-level cache that a core has; 512 KiB where the machine does not say.
std::size_t second_level_cache();

}  // namespace sc
