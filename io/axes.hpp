// SPDX-License-Identifier: Apache-2.0
// A snapshot's `fields` as a netCDF-4 group: dimensions with names, coordinates and units, for xarray and
// others.
#pragma once

#include "io/h5.hpp"
#include "io/snapshot.hpp"

namespace sc::io {

/// Adds names, coordinates and units to the fields, which lie under `fields` already. `extent`: points along
/// x, y, z.
void put_axes(H5Layout& file, const Snapshot& snapshot, Int3 extent);

/// What the coordinates take in the file.
std::int64_t axes_bytes(const Snapshot& snapshot, Int3 extent);

}  // namespace sc::io
