// SPDX-License-Identifier: Apache-2.0
// Snapshots read back: a field at the points of a grid, for runs that start from one.
#pragma once

#include <string>

#include "engine/field/storage.hpp"

namespace sc::io {

/// Collective: fills the own cells of `storage` (real) with the snapshot's field `name`, on any split; the
/// halo is stale afterwards. Throws Error (bad_input) on all ranks when it is no snapshot, or its field has
/// other points or components; Error (storage) when it cannot be read or is damaged, before any cell is set.
void read_snapshot_field(const std::string& path, const std::string& name, Storage& storage);

/// Collective: throws Error (storage) when the file is a snapshot whose points are damaged.
void check_snapshot_points(const Context& context, const std::string& path);

}  // namespace sc::io
