// SPDX-License-Identifier: Apache-2.0
// check: validates the options of a plasma.
#include <cmath>
#include <string>

#include "solvers/common/check.hpp"
#include "solvers/magnetosphere/options.hpp"

namespace sc::magnetosphere {

namespace {

/// The image beyond face f consists of points of the block beside it.
void check_block(const MagnetosphereOptions& o, std::size_t f) {
  const int axis = int(f / 2), blocks = o.split[axis], needed = MagnetosphereOptions::mirrored_layers(f);
  if (blocks > 1 && o.cells[axis] / blocks < needed)
    refuse("engine.split is " + to_string(o.split) + ", which leaves blocks of " +
           std::to_string(o.cells[axis] / blocks) + " points along " + "xyz"[axis] + ", but " + face_key(f) +
           " reflects, which needs at least " + std::to_string(needed) + ": at most " +
           std::to_string(o.cells[axis] / needed) + " ranks fit along this axis");
}

void check_faces(const MagnetosphereOptions& o) {
  check_periodic([&](std::size_t f) { return o.faces[f] == FaceKind::periodic; });
  for (std::size_t f = 0; f < 6; ++f) {
    const std::string name = face_key(f);
    const auto axis = static_cast<std::size_t>(f / 2);
    const FaceKind kind = o.faces[f];
    if (kind == FaceKind::oblique && axis == 0)
      refuse(name + " is oblique: waves can leave at 45 degrees to x only through faces along x");
    if (!o.reflects(f)) continue;
    if (o.cells[int(axis)] < 4) refuse(name + " reflects: the axis needs at least 4 points");
    check_block(o, f);
    if (o.wind.v[axis] != 0) refuse(name + " reflects, but the wind blows through it");
    for (std::size_t k = 0; k < 3; ++k)
      if (((k == axis) == (kind == FaceKind::mirror)) && o.wind.B[k] != 0)
        refuse(name + (kind == FaceKind::mirror ? " is a mirror, but the wind's field crosses it"
                                                : " is an equator, but the wind's field lies in it"));
    if (!o.planet) continue;
    const bool right = axis == 2 ? kind == FaceKind::equator : axis == 1 && kind == FaceKind::mirror;
    if (!right)
      refuse(name + ": a dipole is symmetric about y = 0 as a mirror and about z = 0 as an equator");
    if (axis == 2 && o.planet->tilt != 0)
      refuse(name + " is an equator, but planet.tilt is not 0: a tilted dipole has no symmetry about z = 0");
    if (axis == 1 && o.planet->rotation != 0) refuse(name + ": a turning planet has no symmetry about y = 0");
    const double last = o.low[axis] + o.spacing * (o.cells[int(axis)] - 1);
    if (std::abs(f % 2 == 0 ? o.low[axis] : last) > 1e-9 * o.spacing)
      refuse(name + " must lie on the planet: the plane is at 0");
  }
}

}  // namespace

void check(const MagnetosphereOptions& o) {
  check_cells("grid.points", o.cells);
  check_positive("grid.spacing", o.spacing);
  check_positive("run.courant", o.courant);
  check_positive("limits.density", o.density_floor);
  check_positive("limits.pressure", o.pressure_floor);
  check_positive("wind.density", o.wind.rho);
  check_positive("wind.pressure", o.wind.p);
  if (!(o.gamma > 1)) refuse("plasma.gamma is " + std::to_string(o.gamma) + "; it must be greater than 1");
  if (o.cycle < 1) refuse("run.cycle is " + std::to_string(o.cycle) + "; it must be at least 1");
  const DiffusionOptions& d = o.diffusion;
  for (const double value : {d.density, d.pressure, d.viscosity, d.resistivity, d.smoothing})
    if (!(value >= 0))
      refuse("a coefficient of diffusion is " + std::to_string(value) + "; it must not be negative");
  if ((o.initial == Initial::planet) != o.planet.has_value())
    refuse("the start is a planet's, or there is no planet: both or neither");
  if (o.planet && !(o.planet->outer > o.planet->inner && o.planet->inner > 0))
    refuse("planet.outer must be greater than planet.inner, and that positive");
  if (o.planet && !(o.planet->mirror < -o.planet->outer))
    refuse("planet.mirror is " + shown(o.planet->mirror) + "; it must be below -planet.outer = " +
           shown(-o.planet->outer) + ", because upstream of it the start is the wind");
  if (o.planet && !(o.wind.v[0] > 0))
    refuse("wind.velocity is " + shown(o.wind.v[0]) +
           " along x in the solver's units; it must be positive, because the sun is at -x");
  if (o.planet && d.heating && d.smoothing > 0)
    refuse(
        "diffusion.heating is not allowed with diffusion.smoothing and a planet: the differences of its "
        "dipole from point to point would count as heat");
  check_faces(o);
}

}  // namespace sc::magnetosphere
