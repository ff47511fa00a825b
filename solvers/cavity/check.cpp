// SPDX-License-Identifier: Apache-2.0
// check: validates the options of a cavity.
#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/cavity/options.hpp"
#include "solvers/common/check.hpp"
#include "solvers/common/check_passes.hpp"

namespace sc::cavity {

namespace {

void check_inflow(const CavityOptions& o, std::size_t f) {
  const Inflow& inflow = o.faces[f].inflow;
  const double inward = (f % 2 == 0 ? 1 : -1) * inflow.velocity[f / 2];
  if (!(inward > 0 && std::isfinite(inward)))
    refuse(face_key(f) + " has an inflow that does not enter: its velocity must point into the box");
  for (std::size_t a = 0; a < 3; ++a)
    if (a != f / 2 && !(std::max(inflow.from[a], 0.0) < std::min(inflow.to[a], o.size[a])))
      refuse(face_key(f) + " has an inflow through a rectangle without area in the box, from " +
             shown(inflow.from[a]) + " to " + shown(inflow.to[a]) + " along " + "xyz"[a]);
}

/// Faces that are no walls.
void check_open_faces(const CavityOptions& o) {
  std::array<bool, 3> outflow{};
  for (std::size_t f = 0; f < 6; ++f) {
    const FaceKind kind = o.faces[f].kind;
    if (o.faces[f].solid() || kind == FaceKind::periodic) continue;
    if (o.mixed_derivatives())
      refuse(face_key(f) +
             " is neither a wall nor periodic, which needs grid lines parallel to the axes: grid.clustering "
             "must be uniform or tanh");
    if (kind == FaceKind::inflow) check_inflow(o, f);
    if (kind == FaceKind::pressure && !std::isfinite(o.faces[f].pressure))
      refuse(face_key(f) + " has a pressure that is not finite");
    outflow[f / 2] = outflow[f / 2] || kind == FaceKind::outflow;
  }
  const bool enters = o.any(FaceKind::inflow), leaves = o.any(FaceKind::outflow),
             given = o.any(FaceKind::pressure);
  if (enters && !leaves && !given)
    refuse("boundaries let fluid enter and not leave: inflow needs a face of outflow or of given pressure");
  if (leaves && !enters) refuse("boundaries have outflow without inflow: nothing would leave");
  if (leaves && given)
    refuse("boundaries have both outflow and a given pressure: only one of them can decide what leaves");
  if (outflow[0] + outflow[1] + outflow[2] > 1)
    refuse("boundaries have outflow on faces of several axes; one axis is allowed");
}

}  // namespace

void check(const CavityOptions& options) {
  const Int3 n = options.cells();
  for (int a = 0; a < 3; ++a)
    if (n[a] < 4)
      refuse("grid.points is " + to_string(options.points) +
             "; every axis needs at least 4 interior points (6 points between walls)");
  if (!(options.reynolds > 0))  // infinity is allowed: no viscosity
    refuse("flow.reynolds is " + std::to_string(options.reynolds) + "; it must be positive");
  if (!(options.dt > 0)) check_positive("run.courant", options.courant);
  if (options.average_from && !(*options.average_from >= 0 && std::isfinite(*options.average_from)))
    refuse("output.average_from is " + shown(*options.average_from) + "; it must be a time, 0 or later");
  if (options.order != 1 && options.order != 2)
    refuse("run.order is " + std::to_string(options.order) + "; allowed are 1 and 2");
  check_periodic([&](std::size_t f) { return options.faces[f].kind == FaceKind::periodic; });
  for (std::size_t f = 0; f < 6; ++f)
    if (options.faces[f].kind == FaceKind::moving && options.faces[f].motion.velocity[f / 2] != 0 &&
        options.clustering != Clustering::file)
      refuse(face_key(f) + " moves through itself: its velocity along the normal must be 0");
  for (const double side : options.size) check_positive("grid.size", side);
  check_open_faces(options);
  if (options.initial == Initial::taylor_green && !(options.size[0] == 1 && options.size[1] == 1))
    refuse("flow.initial is taylor_green, whose vortices fill a box with grid.size 1 along x and y");
  const PressureOptions& p = options.pressure;
  if (p.fixed_iterations == 0) check_positive("pressure.tolerance", p.tolerance);
  if (p.method == Method::sor && !(p.relaxation >= 0 && p.relaxation < 2))
    refuse("pressure.relaxation is " + std::to_string(p.relaxation) +
           "; over-relaxation lies between 0 and 2");
  if (p.method == Method::jacobi && !(p.relaxation >= 0 && p.relaxation <= 1))
    refuse("pressure.relaxation is " + std::to_string(p.relaxation) +
           "; with jacobi it must not be above 1, where the iteration diverges");
  check_single_steps(options.engine,
                     "passes of the cavity consist of relaxation sweeps: pressure.sweeps_per_pass");
  const Bool3 periodic = options.periodic();
  for (int a = 0; p.method == Method::sor && a < 3; ++a)
    if (periodic[a] && n[a] % 2 != 0)
      refuse("grid.points has " + std::to_string(n[a]) +
             " points along a periodic axis; the colours of sor need an even number");
}

}  // namespace sc::cavity
