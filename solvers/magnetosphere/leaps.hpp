// SPDX-License-Identifier: Apache-2.0
// The stages of a step over the two sets of points, with their inputs and outputs. Every kind of diffusion is
// compiled in a file of its own.
#pragma once

#include "solvers/magnetosphere/fields.hpp"
#include "solvers/magnetosphere/stages.hpp"

namespace sc::magnetosphere {

/// Counted in kernels.hpp, with each side once and without the planet.
constexpr double leap_flops = 260, diffusion_flops = 90, mixing_flops = 250;

template <bool planet, Diffusion diffusion>
auto predict_stage(Plasma& centres, Plasma& nodes) {
  const SweepOptions options{.reduce = Reduce::max, .flops = leap_flops};
  const auto make = [&](auto... around) {
    return stage_of("first (start)", Predict<diffusion>{}, options, writes(centres.rho.next()),
                    writes(centres.v.next()), writes(centres.p.next()), writes(centres.B.next()),
                    reads(nodes.rho.now(), box(1)), reads(nodes.v.now(), box(1)),
                    reads(nodes.p.now(), box(1)), reads(nodes.B.now(), box(1)), around...);
  };
  if constexpr (planet)
    return make(reads(centres.around.now()));
  else
    return make();
}

template <Half half, bool planet, Diffusion diffusion>
auto leap_stage(const char* name, Plasma& set, Plasma& other) {
  constexpr double more = diffusion == Diffusion::none       ? 0
                          : diffusion == Diffusion::constant ? diffusion_flops
                                                             : diffusion_flops + mixing_flops;
  const SweepOptions options{.reduce = Reduce::max, .flops = leap_flops + more};
  const Reach old = diffusion == Diffusion::none ? point : star(1);
  const auto make = [&](auto... around) {
    return stage_of(name, Leap<half, diffusion>{}, options, writes(set.rho.next()), writes(set.v.next()),
                    writes(set.p.next()), writes(set.B.next()), reads(other.rho.now(), box(1)),
                    reads(other.v.now(), box(1)), reads(other.p.now(), box(1)), reads(other.B.now(), box(1)),
                    reads(set.rho.now(), old), reads(set.v.now(), old), reads(set.p.now(), old),
                    reads(set.B.now(), old), around...);
  };
  if constexpr (planet)
    return make(reads(set.around.now()));
  else
    return make();
}

template <bool planet, Diffusion diffusion>
Stages half_steps(Plasma& nodes, Plasma& centres) {
  return {set_stage<Numbers>(predict_stage<planet, diffusion>(centres, nodes)),
          set_stage<Numbers>(leap_stage<Half::centres, planet, diffusion>("first", centres, nodes)),
          set_stage<Numbers>(leap_stage<Half::nodes, planet, diffusion>("second", nodes, centres))};
}

template <Diffusion diffusion>
Stages stages_with(Plasma& nodes, Plasma& centres, bool planet) {
  return planet ? half_steps<true, diffusion>(nodes, centres) : half_steps<false, diffusion>(nodes, centres);
}

}  // namespace sc::magnetosphere
