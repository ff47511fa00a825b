// SPDX-License-Identifier: Apache-2.0
// The stages of the pressure solvers on the finest level. Their kernels are compiled in finest.cpp,
// relaxation.cpp, residuals.cpp and projection.cpp.
#pragma once

#include "solvers/cavity/levels.hpp"
#include "solvers/cavity/mesh.hpp"

namespace sc::cavity {

/// Collective: sets the couplings of the finest level, and 1 / J.
template <class Real, class Points>
void set_finest(Mesh<Real>& mesh, const Walls& walls, PoissonLevel<Points>& level, Field<Real>& reciprocal,
                Runner& runner);

/// A sweep x' = x + omega D^-1 (A x - b): by jacobi into x.next(), by sor in place, one colour after the
/// other.
template <class Points>
std::unique_ptr<Stage> relaxation(PoissonLevel<Points>& level, Method method, double omega);

/// The largest |b - A x| times `scale`; with z also z->b = b - A x, by the couplings of z, which are the
/// same.
template <class Points>
std::unique_ptr<Stage> residual(PoissonLevel<Points>& level, Field<typename Points::Real>& scale,
                                PoissonLevel<Points>* z = nullptr);

struct Factors {
  double alpha, beta;
};
/// Generalised conjugate residuals: the vectors besides x, b and those of the cycle, and the stages.
template <class Points>
struct Krylov {
  using Real = typename Points::Real;
  Krylov(PoissonLevel<Points>& level, PoissonLevel<Points>& z, Field<Real>& scale);
  Field<Real> d, q, w;             ///< direction, A direction, A correction
  std::unique_ptr<Stage> project;  ///< w = A z, with the sums of ApplyAndProject
  /// d = z - beta d, q = w - beta q, x += alpha d, r -= alpha q; the largest |r| times `scale`.
  SetStage<Factors> advance;
};

}  // namespace sc::cavity
