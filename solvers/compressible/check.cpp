// SPDX-License-Identifier: Apache-2.0
// What the options of a compressible flow must be.
#include "solvers/common/check.hpp"

#include "engine/exec/line_system.hpp"
#include "solvers/compressible/forcing.hpp"

namespace sc::compressible {

namespace {

void check_share(const char* name, double value) {
  if (!(value >= 0 && value <= 1))
    refuse(std::string(name) + " is " + std::to_string(value) + "; it must be from 0 to 1");
}

}  // namespace

void check(const CompressibleOptions& o) {
  for (int a = 0; a < 3; ++a)
    if (o.cells[a] < LineSystem::usual_block)
      refuse("grid.points is " + to_string(o.cells) + "; every axis needs at least 8");
  check_positive("flow.mach", o.flow.mach);
  check_positive("gas.prandtl", o.gas.prandtl);
  check_positive("run.courant", o.courant);
  if (!(o.gas.gamma > 1))
    refuse("gas.gamma is " + std::to_string(o.gas.gamma) + "; it must be greater than 1");
  if (!(o.gas.viscosity >= 0))
    refuse("gas.viscosity is " + std::to_string(o.gas.viscosity) + "; it must not be negative");
  if (!(o.filter >= 0 && o.filter < 0.5))
    refuse("scheme.filter is " + std::to_string(o.filter) + "; it must be at least 0 and below 0.5");
  if (o.flow.initial == Initial::random) check_positive("flow.peak", o.flow.peak);
  const bool wave = o.flow.initial == Initial::acoustic || o.flow.initial == Initial::entropy ||
                    o.flow.initial == Initial::vorticity || o.flow.initial == Initial::vortex;
  if (wave) check_positive("flow.amplitude", o.flow.amplitude);
  check_share("flow.dilatational", o.flow.dilatational);
  check_share("forcing.dilatational", o.forcing.dilatational);
  if (!(o.forcing.power >= 0))
    refuse("forcing.power is " + std::to_string(o.forcing.power) + "; it must not be negative");
  if (!(o.dt >= 0)) refuse("run.dt is " + std::to_string(o.dt) + "; it must not be negative");
  if (!(o.forcing.kmax > 1 && o.forcing.kmax <= highest + 1))
    refuse("forcing.kmax is " + std::to_string(o.forcing.kmax) + "; it must be above 1 and at most 3");
}

}  // namespace sc::compressible
