// SPDX-License-Identifier: Apache-2.0
// check: validates the options of a cavity.
#include <string>

#include "solvers/cavity/options.hpp"
#include "solvers/common/check.hpp"

namespace sc::cavity {

void check(const CavityOptions& options) {
  const Int3 n = options.cells();
  for (int a = 0; a < 3; ++a)
    if (n[a] < 4)
      refuse("grid.points is " + to_string(options.points) +
             "; every axis needs at least 4 interior points (6 points between walls)");
  if (!(options.reynolds > 0))  // infinity is allowed: no viscosity
    refuse("flow.reynolds is " + std::to_string(options.reynolds) + "; it must be positive");
  if (!(options.dt > 0)) check_positive("run.courant", options.courant);
  check_periodic([&](std::size_t f) { return options.faces[f].kind == FaceKind::periodic; });
  for (std::size_t f = 0; f < 6; ++f)
    if (options.faces[f].kind == FaceKind::moving && options.faces[f].motion.velocity[f / 2] != 0 &&
        options.clustering != Clustering::file)
      refuse(face_key(f) + " moves through itself: its velocity along the normal must be 0");
  const PressureOptions& p = options.pressure;
  if (p.fixed_iterations == 0) check_positive("pressure.tolerance", p.tolerance);
  if (p.method == Method::sor && !(p.relaxation >= 0 && p.relaxation < 2))
    refuse("pressure.relaxation is " + std::to_string(p.relaxation) +
           "; over-relaxation lies between 0 and 2");
  if (p.method == Method::jacobi && !(p.relaxation >= 0 && p.relaxation <= 1))
    refuse("pressure.relaxation is " + std::to_string(p.relaxation) +
           "; with jacobi it must not be above 1, where the iteration diverges");
  const Bool3 periodic = options.periodic();
  for (int a = 0; p.method == Method::sor && a < 3; ++a)
    if (periodic[a] && n[a] % 2 != 0)
      refuse("grid.points has " + std::to_string(n[a]) +
             " points along a periodic axis; the colours of sor need an even number");
}

}  // namespace sc::cavity
