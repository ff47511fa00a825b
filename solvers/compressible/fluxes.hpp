// SPDX-License-Identifier: Apache-2.0
// The stages of the fluxes: their kernels take most of the time to compile, a file for each precision.
#pragma once

#include "solvers/compressible/flux.hpp"
#include "solvers/compressible/sweeps.hpp"

namespace sc::compressible {

/// 6 derivatives and, in a viscous gas, 4 diffusions, otherwise the 3 slopes along the axis.
template <int axis, bool viscous, class Real>
StageOf flux_stage(const char* name, const Systems& systems, Fields<Real>& f, const Gas& gas, double per_h) {
  using Op = Flux<axis, viscous>;
  const LineOptions options{.scratch = Op::scratch, .flops = viscous ? 320 : 180, .sums = f.sums};
  constexpr Reach derivative = star(reach_of_derivative), diffusion = star(reach_of_diffusion);
  const auto make = [&](auto rate) {
    if constexpr (viscous)
      return lines_of(name, axis, systems[axis], Op{per_h, gas}, options, rate, reads(f.s.now(), diffusion),
                      reads(f.X.now(), derivative), reads(f.Y.now(), derivative),
                      reads(f.Z.now(), derivative));
    else
      return lines_of(name, axis, systems[axis], Op{per_h, gas}, options, rate, reads(f.s.now(), derivative));
  };
  if constexpr (axis == 0)
    return make(writes(f.rate.now()));
  else
    return make(updates(f.rate.now()));
}

template <bool viscous, class Real>
std::array<StageOf, 3> flux_stages_of(const Systems& systems, Fields<Real>& f, const Gas& gas,
                                      const std::array<double, 3>& per_h) {
  return {flux_stage<0, viscous>("flux along x", systems, f, gas, per_h[0]),
          flux_stage<1, viscous>("flux along y", systems, f, gas, per_h[1]),
          flux_stage<2, viscous>("flux along z", systems, f, gas, per_h[2])};
}

template <class Real>
std::array<StageOf, 3> flux_stages(const Systems& systems, Fields<Real>& f, const Gas& gas,
                                   const std::array<double, 3>& per_h) {
  return gas.viscosity > 0 ? flux_stages_of<true>(systems, f, gas, per_h)
                           : flux_stages_of<false>(systems, f, gas, per_h);
}

extern template std::array<StageOf, 3> flux_stages(const Systems&, Fields<float>&, const Gas&,
                                                   const std::array<double, 3>&);
extern template std::array<StageOf, 3> flux_stages(const Systems&, Fields<double>&, const Gas&,
                                                   const std::array<double, 3>&);

}  // namespace sc::compressible
