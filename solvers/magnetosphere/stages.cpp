// SPDX-License-Identifier: Apache-2.0
// make_stages: selects the terms of the equations once.
#include "solvers/magnetosphere/stages.hpp"

namespace sc::magnetosphere {

Stages make_stages(Plasma& nodes, Plasma& centres, const MagnetosphereOptions& o) {
  const DiffusionOptions& d = o.diffusion;
  const bool planet = o.planet.has_value();
  if (d.smoothing > 0) return stages_with<Diffusion::mixing>(nodes, centres, planet);
  if (d.density > 0 || d.pressure > 0 || d.viscosity > 0 || d.resistivity > 0)
    return stages_with<Diffusion::constant>(nodes, centres, planet);
  return stages_with<Diffusion::none>(nodes, centres, planet);
}

}  // namespace sc::magnetosphere
