// SPDX-License-Identifier: Apache-2.0
// The pressure equation A p = b: three solvers of one interface, 7 or 19 points, either precision.
#pragma once

#include <memory>

#include "solvers/cavity/mesh.hpp"

namespace sc::cavity {

struct Solved {
  int iterations = 0;   ///< sweeps of jacobi and sor, cycles of multigrid
  double residual = 0;  ///< max |laplacian p - rhs|, or the scaled one, as the options ask
  bool capped = false;  ///< stopped by max_iterations above the tolerance
};

class Poisson {
 public:
  virtual ~Poisson() = default;
  /// The unknown, kept from solve to solve as the first guess, and the right side b = J rhs.
  virtual AnyField& x() = 0;
  virtual AnyField& b() = 0;
  virtual Solved solve() = 0;
};

/// Collective; x and b are Field<Real>s. Chooses 7 points on an orthogonal mesh, 19 otherwise.
template <class Real>
std::unique_ptr<Poisson> make_poisson(Mesh<Real>& mesh, const PressureOptions& options, Runner& runner);

}  // namespace sc::cavity
