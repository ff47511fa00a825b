// SPDX-License-Identifier: Apache-2.0
// The pressure equation A p = b: three solvers with one interface, for 7 or 19 points and either precision.
#pragma once

#include <memory>

#include "solvers/cavity/mesh.hpp"

namespace sc::cavity {

struct Solved {
  int iterations = 0;   ///< sweeps of jacobi and sor, cycles of multigrid
  double residual = 0;  ///< max |laplacian p - rhs|, or the scaled residual, according to the options
  bool capped = false;  ///< ended above the tolerance: at max_iterations, or multigrid at its rounding errors
};

class Poisson {
 public:
  virtual ~Poisson() = default;
  /// The unknown, which is also the first guess of the next solve, and the right-hand side b = J rhs.
  virtual AnyField& x() = 0;
  virtual AnyField& b() = 0;
  virtual Solved solve() = 0;
};

/// Collective; x and b are of type Field<Real>. Uses 7 points on an orthogonal mesh, 19 otherwise. `ends`:
/// how rows end beside the faces; a given pressure needs an orthogonal mesh.
template <class Real>
std::unique_ptr<Poisson> make_poisson(Mesh<Real>& mesh, const PressureOptions& options, Runner& runner,
                                      const std::array<RowEnd, 6>& ends = {});

}  // namespace sc::cavity
