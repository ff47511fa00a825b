// SPDX-License-Identifier: Apache-2.0
// Snapshots read back: a field at the points of a grid or at some of its own, for runs that start from one.
#pragma once

#include <string>
#include <vector>

#include "engine/field/storage.hpp"

namespace sc::io {

/// Collective: fills the own cells of `storage` (real) with the snapshot's field `name`, on any split; the
/// halo is stale afterwards. Throws Error (bad_input) on all ranks when it is no snapshot, or its field has
/// other points or components; Error (storage) when it cannot be read or is damaged, before any cell is set.
void read_snapshot_field(const std::string& path, const std::string& name, Storage& storage);

/// Collective: the points of `box`, [component][z][y][x], of the snapshot's field `name`, whose shape must be
/// `points` of so many components; the box may differ between ranks and be empty. Throws as above.
std::vector<double> read_snapshot_box(const Context& context, const std::string& path,
                                      const std::string& name, Int3 points, int components, const Box& box);

/// Collective: throws Error (storage) when the file is a snapshot whose points are damaged.
void check_snapshot_points(const Context& context, const std::string& path);

}  // namespace sc::io
