// SPDX-License-Identifier: Apache-2.0
// What the cavity takes from files: the points of its grid, and the flow of another run as a start.
#pragma once

#include <string>

#include "solvers/cavity/other_grid.hpp"
#include "solvers/cavity/solver.hpp"

namespace sc::python {

/// Collective. This rank's part of a grid file; of a periodic axis all of it, as its ends meet.
cavity::Points points_of_file(const Grid& grid, const cavity::CavityOptions& options);
/// A snapshot as a flow on another grid; its points are a grid file's.
cavity::OtherFlow flow_of_snapshot(Context& context, const std::string& path);

}  // namespace sc::python
