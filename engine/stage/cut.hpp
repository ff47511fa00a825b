// SPDX-License-Identifier: Apache-2.0
// Cut: the cells of a stage that need data from neighbours or are needed by them (shell), and the others
// (core).
#pragma once

#include <vector>

#include "engine/grid/boxes.hpp"

namespace sc {

class Stage;

struct Cut {
  Box all, core;
  std::vector<Box> shell;
};

/// The shell is all cells within reach of a halo that a neighbour fills, for inputs and for what later stages
/// read of the outputs. If `copies_at_once` (copies within the rank complete when they are started), an axis
/// on which the rank is its own neighbour has no shell.
Cut cut_of(const Stage& stage, bool copies_at_once);

/// Whether a boundary condition must be applied beside a periodic face before the cells there are computed:
/// if a kernel or a condition reads across the edge.
bool conditions_cross(const Stage& stage);

}  // namespace sc
