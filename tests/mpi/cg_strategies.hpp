// SPDX-License-Identifier: Apache-2.0
// The strategies that hide what a division of the matrix sends, after blocking.
#pragma once

#include <vector>

#include "solvers/cg/product.hpp"

namespace sc::cg {

inline std::vector<Strategy> strategies_of(Division division) {
  const Strategy first = division == Division::row ? Strategy::interior_first : Strategy::boundary_first;
  const Strategy last = division == Division::row ? Strategy::halo_thread : Strategy::pipelined;
  return {Strategy::blocking, first, last};
}

}  // namespace sc::cg
