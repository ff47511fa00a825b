// SPDX-License-Identifier: Apache-2.0
// Cells that a stage must set, in a checked build: NaN before it computes them.
#pragma once

#include "engine/field/place.hpp"
#include "engine/grid/box.hpp"

namespace sc {

/// Fills the cells of `box` (local, also in the halo) of a storage that lies at `place` with signalling NaNs
/// (integers: with their bits). Fields on a device and in a caller's memory are not changed.
void poison_cells(const Storage& storage, const Place& place, const Box& box);

}  // namespace sc
