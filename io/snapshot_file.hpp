// SPDX-License-Identifier: Apache-2.0
// Reading of snapshots: a field at the points of a grid, or at some of them, for runs that start from a
// snapshot.
#pragma once

#include <string>
#include <vector>

#include "engine/field/storage.hpp"
#include "io/snapshot.hpp"

namespace sc::io {

/// Where a snapshot's field lies that has points with uniform spacing.
struct UniformField {
  Int3 points;
  UniformPoints at;
};

/// Collective. Throws Error (bad_input) on all ranks if the file is no snapshot with such a field, or its
/// points have coordinates of their own; Error (storage) if it cannot be read.
UniformField find_uniform_field(const Context& context, const std::string& path, const std::string& name);

/// Collective: sets the own cells of `storage` (real) to the snapshot's field `name`, with any decomposition;
/// the halo is stale afterwards. Throws Error (bad_input) on all ranks if the file is no snapshot, or its
/// field has other points or components; Error (storage) if it cannot be read or is damaged, before any cell
/// is set.
void read_snapshot_field(const std::string& path, const std::string& name, Storage& storage);

/// Collective: values [component][z][y][x] of the snapshot's field `name` in `box`, which may differ between
/// ranks and be empty. The field must have the shape `points` and so many components. Throws as above.
std::vector<double> read_snapshot_box(const Context& context, const std::string& path,
                                      const std::string& name, Int3 points, int components, const Box& box);

/// Collective: throws Error (storage) if the file is a snapshot with damaged points.
void check_snapshot_points(const Context& context, const std::string& path);

}  // namespace sc::io
