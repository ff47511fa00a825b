// SPDX-License-Identifier: Apache-2.0
// The grid of halo_step, and registered arrays as fields on it. All throw Failure (HALO_ERR_UNSUPPORTED) for
// arrays that do not fit a grid of three axes.
#pragma once

#include <vector>

#include "api/c/registration.hpp"
#include "engine/field/storage.hpp"

namespace sc::halo {

/// Process dimensions in the order of the grid's axes: the fastest one in the first array's memory is x.
std::vector<int> axes_of(const Registration& registration);
Grid make_grid(Context& context, const Registration& registration, const std::vector<int>& axes);

/// An array as seen by a grid: contiguous cells (of all leading unsplit dimensions), x, y, z, and one further
/// dimension that becomes components.
struct View {
  ExternalCells cells;
  int components = 1;
};

View view_of(const halo_array& array, const std::vector<int>& axes, int number, void* data);

ElementType element_of(int type);

}  // namespace sc::halo
