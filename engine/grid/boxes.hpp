// SPDX-License-Identifier: Apache-2.0
// Boxes of cells that are no box: differences, and the parts of a halo.
#pragma once

#include <vector>

#include "engine/grid/grid.hpp"

namespace sc {

/// a without b, as at most six boxes: z slabs first, then y, then x.
std::vector<Box> subtract(const Box& a, const Box& b);

/// The cells around a block that follow from its own cells, by conditions and around undivided axes, and
/// those that follow from cells of other ranks.
enum class HaloPart { all, own, others };
/// The cells of a box around the grid's block that belong to the part.
std::vector<Box> part_of(const Grid& grid, const Box& box, HaloPart part);

}  // namespace sc
