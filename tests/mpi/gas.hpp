// SPDX-License-Identifier: Apache-2.0
// What the tests of the compressible solver share: a box of gas, and its values cell by cell.
#pragma once

#include <cstring>
#include <vector>

#include "engine/move/gather.hpp"
#include "solvers/compressible/kernels.hpp"
#include "solvers/compressible/solver.hpp"

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
inline std::vector<double> conserved(compressible::Compressible& flow) {
  Storage& storage = flow.conserved().storage(0);
  storage.settle();
  const std::vector<std::byte> bytes = gather(storage);
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Component k of a field of doubles.
template <int N>
double at(AnyField& field, Int3 cell, int k) {
  return dynamic_cast<Field<double, N>&>(field).get(cell, k);
}
inline double state_at(compressible::Compressible& flow, Int3 cell, int k) {
  return at<compressible::state_size>(flow.state(), cell, k);
}

}  // namespace sc::test
