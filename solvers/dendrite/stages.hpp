// SPDX-License-Identifier: Apache-2.0
// The fields, and the stages over them: the step itself, and what is measured.
#pragma once

#include "engine/exec/face_kernel.hpp"
#include "engine/stage/sweep.hpp"
#include "solvers/dendrite/kernels.hpp"
#include "solvers/dendrite/options.hpp"

namespace sc::dendrite {

template <class Real, bool turned>
struct Fields {
  Fields(const Grid& grid, const FieldOptions& where)
      : phi(grid, "phase", {.levels = 2, .space = where.space, .place = where.place}),
        theta(grid, "heat", {.levels = 2, .space = where.space, .place = where.place}) {}
  void advance() {
    phi.advance();
    theta.advance();
  }
  Field<Real> phi;    ///< 1 solid, 0 melt
  Field<Real> theta;  ///< T - T_m, K
};
template <class Real>
struct Fields<Real, true> : Fields<Real, false> {
  Fields(const Grid& grid, const FieldOptions& where)
      : Fields<Real, false>(grid, where), turn(grid, "turn", where) {}
  Field<Real, 4> turn;  ///< unit quaternion of the crystal that a cell belongs to
};

/// Counted by running the kernel on a type that counts (tests/unit/dendrite_kernels_test.cpp). The integer
/// operations of the noise are not in it. A turned crystal's axes are computed for the faces along x, and
/// once more for those along y and z.
constexpr double advance_flops = 138, axes_flops = 36, turned_flops = 222 + 2 * axes_flops, noise_flops = 3;

template <class Real, bool noisy, bool turned>
auto advance_stage(Fields<Real, turned>& q) {
  const double flops = (turned ? turned_flops : advance_flops) + (noisy ? noise_flops : 0);
  if constexpr (turned)
    return Sweep("advance", Advance<Real, noisy>{}, SweepOptions{.flops = flops}, writes(q.phi.next()),
                 writes(q.theta.next()), reads(q.phi.now(), box(1)), reads(q.theta.now(), star(1)),
                 reads(q.turn.now(), star(1)));
  else
    return Sweep("advance", Advance<Real, noisy>{}, SweepOptions{.flops = flops}, writes(q.phi.next()),
                 writes(q.theta.next()), reads(q.phi.now(), box(1)), reads(q.theta.now(), star(1)));
}
template <class Real, bool noisy, bool turned>
using AdvanceStage = decltype(advance_stage<Real, noisy, turned>(std::declval<Fields<Real, turned>&>()));

/// phi, and theta - (L / C) h(phi).
template <class Real>
struct Sums {
  double latent;
  SC_FN std::array<double, 2> operator()(At c, In<Real> phi, In<Real> theta) const {
    const double p = double(phi[c]);
    return {p, double(theta[c]) - latent * latent_share(p)};
  }
};
/// Largest and, with their sign turned, smallest values of both; NaN where either is not finite.
template <class Real>
struct Extremes {
  SC_FN std::array<double, 4> operator()(At c, In<Real> phi, In<Real> theta) const {
    const double p = double(phi[c]), t = double(theta[c]);
    const double lost = (p - p) + (t - t);
    return {p + lost, -p, t, -t};
  }
};

template <class Real>
auto sums_stage(Fields<Real, false>& q) {
  return Sweep("sums", Sums<Real>{}, SweepOptions{.reduce = Reduce::sum, .flops = 9}, reads(q.phi.now()),
               reads(q.theta.now()));
}
template <class Real>
auto extremes_stage(Fields<Real, false>& q) {
  return Sweep("extremes", Extremes<Real>{}, SweepOptions{.reduce = Reduce::max, .flops = 4},
               reads(q.phi.now()), reads(q.theta.now()));
}

}  // namespace sc::dendrite
