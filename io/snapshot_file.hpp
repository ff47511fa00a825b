// SPDX-License-Identifier: Apache-2.0
// Snapshots read back: a field at the points of a grid, for runs that start from one.
#pragma once

#include <string>

#include "engine/field/storage.hpp"

namespace sc::io {

/// Collective: fills the own cells of `storage` (real) with the snapshot's field `name`, on any split; the
/// halo is stale afterwards. Throws Error (bad_input) on all ranks when there is no such file, it is no
/// snapshot, or its field has other points or components.
void read_snapshot_field(const std::string& path, const std::string& name, Storage& storage);

}  // namespace sc::io
