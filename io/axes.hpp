// SPDX-License-Identifier: Apache-2.0
// A snapshot's `fields` as a netCDF-4 group with named dimensions, coordinates and units, for xarray and
// other readers.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "io/h5.hpp"
#include "io/part.hpp"
#include "io/snapshot.hpp"

namespace sc::io {

/// The coordinates x, y and z of points whose coordinates each depend on their own index only: one number for
/// each plane of points.
using Lines = std::array<std::vector<double>, 3>;

/// Collective: the coordinates of a snapshot's points; none for curvilinear grids.
std::optional<Lines> lines_of(const Snapshot& snapshot, const Part& points);

/// Adds names, coordinates and units to the fields, which must already exist in `fields`. `extent`: number of
/// points along x, y, z.
void put_axes(H5Layout& file, const Snapshot& snapshot, Int3 extent, const std::optional<Lines>& lines);

}  // namespace sc::io
