// SPDX-License-Identifier: Apache-2.0
// Border: a column of cells through a face of the domain, as the kernel of a boundary condition sees it.
#pragma once

#include "engine/field/views.hpp"

namespace sc {

struct Border {
  At first;                ///< the first halo cell
  std::ptrdiff_t outward;  ///< elements from a cell to the next one outward
  int layers;              ///< number of halo layers to fill

  /// The n-th halo cell outward from the face, n = 1 … layers.
  SC_FN constexpr At ghost(int n) const { return {first.i + (n - 1) * outward, first.sy, first.sz}; }
  /// The n-th own cell inward from the face, n = 1, 2, …
  SC_FN constexpr At inside(int n) const { return {first.i - n * outward, first.sy, first.sz}; }
};

}  // namespace sc
