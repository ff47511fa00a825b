// SPDX-License-Identifier: Apache-2.0
// Cut: which cells of a stage wait for neighbours or are waited for (shell), and which do not (core).
#pragma once

#include <vector>

#include "engine/grid/box.hpp"

namespace sc {

class Stage;

struct Cut {
  Box all, core;
  std::vector<Box> shell;
};

/// The shell is what lies within reach of a halo that a neighbour fills, of inputs and of what later stages
/// read of the outputs. Where `copies_at_once` (what this rank sends itself is there when it is started), an
/// axis on which the rank is its own neighbour has none.
Cut cut_of(const Stage& stage, bool copies_at_once);

/// Whether a boundary condition has to be filled beside a periodic face before what lies there is computed:
/// where a kernel or a condition reads across the edge.
bool conditions_cross(const Stage& stage);

/// a without b, as at most six boxes: z slabs first, then y, then x.
std::vector<Box> subtract(const Box& a, const Box& b);

}  // namespace sc
