// SPDX-License-Identifier: Apache-2.0
// Gathering a whole field on rank 0, for pictures and tests of moderate size.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/field/storage.hpp"

namespace sc {

/// Collective. On rank 0 the own cells of all ranks as one dense array [component][z][y][x]; empty elsewhere.
std::vector<std::byte> gather(const Storage& storage);

}  // namespace sc
