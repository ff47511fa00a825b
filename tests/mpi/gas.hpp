// SPDX-License-Identifier: Apache-2.0
// What the tests of the compressible solver share: a box of gas, and its values cell by cell.
#pragma once

#include <vector>

#include "solvers/compressible/kernels.hpp"
#include "solvers/compressible/solver.hpp"
#include "tests/mpi/whole_field.hpp"

namespace sc::test {

using compressible::Compressible;
using compressible::CompressibleOptions;
using compressible::Initial;
using compressible::Measures;

inline CompressibleOptions box(Int3 cells, Initial initial, double mach) {
  CompressibleOptions o;
  o.cells = cells;
  o.flow.initial = initial;
  o.flow.mach = mach;
  return o;
}

/// Collective: the conserved values of all cells, on rank 0; of a solver in double precision.
inline std::vector<double> conserved(compressible::Compressible& flow) { return on_root(flow.conserved()); }

/// Component k of a field of doubles.
template <int N>
double at(AnyField& field, Int3 cell, int k) {
  return dynamic_cast<Field<double, N>&>(field).get(cell, k);
}
inline double state_at(compressible::Compressible& flow, Int3 cell, int k) {
  return at<compressible::state_size>(flow.state(), cell, k);
}

}  // namespace sc::test
