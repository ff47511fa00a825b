// SPDX-License-Identifier: Apache-2.0
// What the options of a compressible flow must be.
#include "solvers/common/check.hpp"
#include "solvers/common/check_passes.hpp"

#include <algorithm>

#include "engine/exec/line_system.hpp"
#include "solvers/compressible/forcing.hpp"

namespace sc::compressible {

namespace {

void check_share(const char* name, double value) {
  if (!(value >= 0 && value <= 1)) refuse(name + (" is " + shown(value)) + "; it must be from 0 to 1");
}
void check_not_negative(const char* name, double value) {
  if (!(value >= 0 && std::isfinite(value)))
    refuse(name + (" is " + shown(value)) + "; it must be finite and not negative");
}
/// The random start has the modes up to twice the peak, which the grid must be able to tell apart.
void check_peak(double peak, Int3 cells) {
  const double most = std::min({cells[0], cells[1], cells[2]}) / 4.0;
  if (!(peak >= 0.5 && peak <= most))
    refuse("flow.peak is " + shown(peak) + "; it must be from 0.5 to a quarter of the fewest grid.points, " +
           shown(most));
}

}  // namespace

void check(const CompressibleOptions& o) {
  for (int a = 0; a < 3; ++a)
    if (o.cells[a] < LineSystem::usual_block)
      refuse("grid.points is " + to_string(o.cells) + "; every axis needs at least 8");
  check_positive("flow.mach", o.flow.mach);
  check_positive("gas.prandtl", o.gas.prandtl);
  check_positive("run.courant", o.courant);
  if (!(o.gas.gamma > 1)) refuse("gas.gamma is " + shown(o.gas.gamma) + "; it must be greater than 1");
  check_not_negative("gas.viscosity", o.gas.viscosity);
  if (!(o.filter >= 0 && o.filter < 0.5))
    refuse("scheme.filter is " + shown(o.filter) + "; it must be at least 0 and below 0.5");
  if (o.flow.initial == Initial::random) check_peak(o.flow.peak, o.cells);
  const bool wave = o.flow.initial == Initial::acoustic || o.flow.initial == Initial::entropy ||
                    o.flow.initial == Initial::vorticity || o.flow.initial == Initial::vortex;
  if (wave) check_positive("flow.amplitude", o.flow.amplitude);
  check_share("flow.dilatational", o.flow.dilatational);
  check_share("forcing.dilatational", o.forcing.dilatational);
  check_not_negative("forcing.power", o.forcing.power);
  check_not_negative("run.dt", o.dt);
  if (!(o.forcing.kmax > 1 && o.forcing.kmax <= highest + 1))
    refuse("forcing.kmax is " + shown(o.forcing.kmax) + "; it must be above 1 and at most 3");
  check_single_steps(o.engine, "its compact derivatives need whole grid lines");
}

}  // namespace sc::compressible
