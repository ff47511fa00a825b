// SPDX-License-Identifier: Apache-2.0
// check: validates the options of a plasma.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "solvers/common/check.hpp"
#include "solvers/common/check_passes.hpp"
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

/// The wind of the case, or a row of its table, which `row` names. `blows`: along +x.
void check_wind(const MagnetosphereOptions& o, const PointState& wind, bool blows, const std::string& row) {
  check_positive((row + "wind.density").c_str(), wind.rho);
  check_positive((row + "wind.pressure").c_str(), wind.p);
  if (blows && !(wind.v[0] > 0))
    refuse(row + "wind.velocity is " + shown(wind.v[0]) +
           " along x in the solver's units; it must be positive, because the sun is at -x");
  for (std::size_t f = 0; f < 6; ++f) {
    if (!o.reflects(f)) continue;
    const std::size_t axis = f / 2;
    const bool mirror = o.faces[f] == FaceKind::mirror;
    if (wind.v[axis] != 0) refuse(row + face_key(f) + " reflects, but the wind blows through it");
    for (std::size_t k = 0; k < 3; ++k)
      if (((k == axis) == mirror) && wind.B[k] != 0)
        refuse(row + face_key(f) +
               (mirror ? " is a mirror, but the wind's field crosses it"
                       : " is an equator, but the wind's field lies in it"));
  }
}

bool finite(const PointState& q) {
  const std::array<double, 8> all{q.rho, q.v[0], q.v[1], q.v[2], q.p, q.B[0], q.B[1], q.B[2]};
  return std::ranges::all_of(all, [](double value) { return std::isfinite(value); });
}

// div B = 0: no uniform inflow can change its field along the normal.
void check_normal_field(const MagnetosphereOptions& o, std::size_t f, const std::string& row,
                        const PointState& wind, const PointState& first) {
  const std::size_t k = f / 2;
  if (o.faces[f] == FaceKind::wind && wind.B[k] != first.B[k])
    refuse(row + "the field along " + "xyz"[k] + " is not that of row 1; it must not change, because it " +
           "crosses " + face_key(f) + " and has no divergence");
}

void check_winds(const MagnetosphereOptions& o, const WindTable& t) {
  if (t.times.empty() || t.times.size() != t.states.size())
    refuse(t.name + " has " + std::to_string(t.times.size()) + " times and " +
           std::to_string(t.states.size()) + " states of the wind; it needs as many, and at least one");
  for (std::size_t n = 0; n < t.times.size(); ++n) {
    const std::string row = t.name + ", row " + std::to_string(n + 1) + ": ";
    if (!std::isfinite(t.times[n]) || !finite(t.states[n])) refuse(row + "every number must be finite");
    if (n > 0 && !(t.times[n] > t.times[n - 1]))
      refuse(row + "the time is " + shown(t.times[n]) + "; it must be after " + shown(t.times[n - 1]) +
             ", that of the row before");
    check_wind(o, t.states[n], true, row);
    for (std::size_t f = 0; f < 6; ++f) check_normal_field(o, f, row, t.states[n], t.states[0]);
  }
}

void check_faces(const MagnetosphereOptions& o) {
  check_periodic([&](std::size_t f) { return o.faces[f] == FaceKind::periodic; });
  for (std::size_t f = 0; f < 6; ++f) {
    const std::string name = face_key(f);
    const auto axis = static_cast<std::size_t>(f / 2);
    const FaceKind kind = o.faces[f];
    if (kind == FaceKind::oblique && o.engine.steps_per_pass > 1)
      refuse("engine.steps_per_pass is " + std::to_string(o.engine.steps_per_pass) + ", but " + name +
             " is oblique: its condition reads points beside its column; allowed there is 1");
    if (kind == FaceKind::oblique && axis == 0)
      refuse(name + " is oblique: waves can leave at 45 degrees to x only through faces along x");
    if (!o.reflects(f)) continue;
    if (o.cells[int(axis)] < 4) refuse(name + " reflects: the axis needs at least 4 points");
    check_block(o, f);
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
  check_wind(o, o.wind, o.planet.has_value(), "");
  if (o.winds) check_winds(o, *o.winds);
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
  if (o.planet && d.heating && d.smoothing > 0)
    refuse(
        "diffusion.heating is not allowed with diffusion.smoothing and a planet: the differences of its "
        "dipole from point to point would count as heat");
  check_faces(o);
  check_longest_pass(o.engine);
}

}  // namespace sc::magnetosphere
