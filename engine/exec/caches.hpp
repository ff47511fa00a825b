// SPDX-License-Identifier: Apache-2.0
// Sizes of this machine's caches, to choose tile sizes.
#pragma once

#include <cstddef>

namespace sc {

/// Bytes of a core's second-level cache; 512 KiB if the machine does not report it.
std::size_t second_level_cache();

}  // namespace sc
