// SPDX-License-Identifier: Apache-2.0
// The stages of the pressure solvers on the finest level. Their kernels are compiled in finest.cpp,
// relaxation.cpp, residuals.cpp and projection.cpp.
#pragma once

#include "solvers/cavity/levels.hpp"
#include "solvers/cavity/mesh.hpp"

namespace sc::cavity {

/// Collective: sets the couplings of the finest level, and 1 / J.
template <class Real, class Points>
void set_finest(Mesh<Real>& mesh, const Walls& walls, PoissonLevel<Real, Points>& level,
                Field<Real>& reciprocal, Runner& runner);

/// A sweep x' = x + omega D^-1 (A x - b), into x.next(), and in place, one colour after the other.
template <class Real, class Points>
std::unique_ptr<Stage> jacobi(PoissonLevel<Real, Points>& level, double omega);
template <class Real, class Points>
std::unique_ptr<Stage> over_relaxation(PoissonLevel<Real, Points>& level, double omega);

/// The largest |b - A x| times `scale`.
template <class Real, class Points>
std::unique_ptr<Stage> residual_size(PoissonLevel<Real, Points>& level, Field<Real>& scale);
/// The same, and z.b = b - A x.
template <class Real, class Points>
std::unique_ptr<Stage> residual_into(PoissonLevel<Real, Points>& z, PoissonLevel<Real, Points>& level,
                                     Field<Real>& scale);

/// The vectors of generalised conjugate residuals besides x, b and those of the cycle: direction, A
/// direction, A correction.
template <class Real>
struct Krylov {
  Krylov(const Grid& grid, Space space)
      : d(grid, "direction", {.space = space}),
        q(grid, "A direction", {.space = space}),
        w(grid, "A correction", {.space = space}) {}
  Field<Real> d, q, w;
};
struct Factors {
  double alpha, beta;
};

/// w = A z, with the sums of ApplyAndProject.
template <class Real, class Points>
std::unique_ptr<Stage> projection(PoissonLevel<Real, Points>& z, Krylov<Real>& krylov);
/// d = z - beta d, q = w - beta q, x += alpha d, r -= alpha q; the largest |r| times `scale`.
template <class Real, class Points>
SetStage<Factors> advance(PoissonLevel<Real, Points>& level, PoissonLevel<Real, Points>& z,
                          Krylov<Real>& krylov, Field<Real>& scale);

}  // namespace sc::cavity
