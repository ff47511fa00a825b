// SPDX-License-Identifier: Apache-2.0
// The tiles of a pass: rows along y and planes along z that are computed together.
#pragma once

#include <vector>

#include "engine/overlap/window.hpp"

namespace sc {

/// Tiles that fit the second-level cache. Each run reads a tile's edges from beyond that cache, few cells if
/// there are about as many rows as planes; rows are adjacent in memory, so there are twice as many of them.
/// Tiles of flux kernels have more rows, since each of their first rows costs an additional row of fluxes.
Int3 tile_of(const std::vector<Recorded>& all, const RecordedArrays& arrays, const Grid& grid);

/// Throws Error (bad_input) for a given tile that passes would not have; `several`: passes of several steps.
void check_tile(Int3 tile, bool several);

}  // namespace sc
