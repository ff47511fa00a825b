// SPDX-License-Identifier: Apache-2.0
// Gathers a whole field on rank 0, for pictures and tests of moderate size.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/field/storage.hpp"

namespace sc {

/// Cells of a rank in global coordinates, extended by `layers` beyond adjacent physical faces; an empty box
/// stays empty.
Box with_layers(const Grid& grid, Box box, int layers);

/// The extent of a gathered array: the grid's cells and `layers` of halo beyond every physical face.
Int3 gathered_extent(const Grid& grid, int layers);

/// Collective. On rank 0 the own cells of all ranks, and `layers` of the halo beyond the physical faces
/// (possibly stale), as one dense array [component][z][y][x]; empty on other ranks. Throws Error (failure)
/// for more layers than the halo has.
std::vector<std::byte> gather(Storage& storage, int layers = 0);

}  // namespace sc
