// SPDX-License-Identifier: Apache-2.0
// A snapshot's `fields` as a netCDF-4 group: dimensions with names, coordinates and units, for xarray and
// others.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "io/h5.hpp"
#include "io/part.hpp"
#include "io/snapshot.hpp"

namespace sc::io {

/// x, y and z of points whose coordinates each depend on their own index alone, one number a plane of points.
using Lines = std::array<std::vector<double>, 3>;

/// The lines of a snapshot's points; none on curved grids. Collective.
std::optional<Lines> lines_of(const Snapshot& snapshot, const Part& points);

/// Adds names, coordinates and units to the fields, which lie under `fields` already. `extent`: points along
/// x, y, z.
void put_axes(H5Layout& file, const Snapshot& snapshot, Int3 extent, const std::optional<Lines>& lines);

}  // namespace sc::io
