// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3 4
// timeout: 120
// optimise: no
// Planets against the serial reference: start, time steps, floors and all eight variables of both sets, for
// every kind of face, planes of symmetry, a tilted dipole and a rotating planet.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "tests/mpi/plasma_runs.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/oracle/mhd_reference.hpp"

namespace {

using namespace sc;
using namespace sc::magnetosphere;

constexpr double degree = std::numbers::pi / 180;

oracle::Beyond beyond(FaceKind kind) {
  switch (kind) {
    case FaceKind::periodic:
      return oracle::Beyond::periodic;
    case FaceKind::wind:
      return oracle::Beyond::wind;
    case FaceKind::free:
      return oracle::Beyond::free;
    case FaceKind::oblique:
      return oracle::Beyond::oblique;
    case FaceKind::mirror:
      return oracle::Beyond::mirror;
    case FaceKind::equator:
      return oracle::Beyond::equator;
  }
  throw Error(Exit::failure, "no such face");
}

oracle::MhdOptions reference_of(const MagnetosphereOptions& o) {
  const PlanetOptions& p = *o.planet;
  const oracle::State wind{o.wind.rho, o.wind.v[0], o.wind.v[1], o.wind.v[2],
                           o.wind.p,   o.wind.B[0], o.wind.B[1], o.wind.B[2]};
  oracle::MhdOptions r;
  r.box = {.n = {o.cells.x, o.cells.y, o.cells.z}, .kinds = {}, .wind = wind};
  for (std::size_t f = 0; f < 6; ++f) r.box.kinds[f] = beyond(o.faces[f]);
  r.low = o.low;
  r.h = o.spacing;
  r.gamma = o.gamma;
  r.courant = o.courant;
  r.cycle = o.cycle;
  r.D = o.diffusion.density;
  r.Dp = o.diffusion.pressure;
  r.mu = o.diffusion.viscosity;
  r.eta = o.diffusion.resistivity;
  r.smoothing = o.diffusion.smoothing;
  r.heating = o.diffusion.heating;
  r.rho_floor = o.density_floor;
  r.p_floor = o.pressure_floor;
  r.planet = oracle::Planet{.inner = p.inner,
                            .outer = p.outer,
                            .strength = p.strength,
                            .tilt = p.tilt,
                            .gravity = p.gravity,
                            .pressure = p.pressure,
                            .rotation = p.rotation,
                            .mirror = p.mirror,
                            .wind = wind};
  return r;
}

/// Largest difference of a variable over its largest value, of all points beyond half of r_a. The solver need
/// not follow r^-3 further inside, where everything is held.
double off(const oracle::Mhd& expected, const oracle::Plasma& q, const std::vector<double>& found) {
  const std::size_t points = q.values[0].size();
  const double inner = expected.o.planet->inner;
  double worst = 0;
  for (std::size_t v = 0; v < oracle::variables; ++v) {
    double difference = 0, largest = 0;
    expected.each([&](oracle::Cell c) {
      const double r = oracle::Planet::radius(expected.position(q.centres, c));
      const std::size_t at = expected.o.box.index(c);
      if (r <= inner / 2) return;
      const double here = std::abs(found[v * points + at] - q.values[v][at]);
      if (!(here <= difference)) difference = here;  // NaN too
      if (r > inner) largest = std::max(largest, std::abs(q.values[v][at]));
    });
    if (!(difference / largest <= worst)) worst = difference / largest;
  }
  return worst;
}

// The two add up in different orders: per step some hundred terms, each rounded to 1.1e-16 of itself.
constexpr double rounding = 1e-13;

void expect_the_reference(const char* name, MagnetosphereOptions o) {
  test::TestContext context;
  o.cycle = 4;
  Magnetosphere solver(context, o);
  oracle::Mhd expected(reference_of(o));
  const bool here = context.rank() == 0;
  const std::vector<double> start = test::all_of(solver.nodes());
  const double at_start = here ? off(expected, expected.nodes, start) : 0;
  EXPECT_LT(at_start, 2e-14) << name;
  std::int64_t floors = 0;
  for (int n = 0; n < 6; ++n) {  // a whole cycle and the beginning of the next
    const magnetosphere::StepReport report = solver.step();
    floors += report.floors;
    if (!here) continue;
    EXPECT_EQ(report.floors, expected.step()) << name << ", step " << n + 1;
    EXPECT_NEAR(report.dt / expected.dt, 1, rounding) << name << ", step " << n + 1;
  }
  const std::vector<double> nodes = test::all_of(solver.nodes()), centres = test::all_of(solver.centres());
  if (!here) return;
  const double n = off(expected, expected.nodes, nodes), c = off(expected, expected.centres, centres);
  std::printf("%s: start %.1e, nodes %.1e, centres %.1e; %lld points at floors\n", name, at_start, n, c,
              static_cast<long long>(floors));
  EXPECT_LT(n, rounding) << name;
  EXPECT_LT(c, rounding) << name;
}

TEST(MagnetospherePlanet, AQuarterOfTheEarthFollowsTheReference) {
  expect_the_reference("low planes of symmetry", test::small_earth());
  expect_the_reference("high planes of symmetry", test::high_earth());
}

MagnetosphereOptions earth(Int3 cells, Vec3 low, double tilt) {
  MagnetosphereOptions o = test::small_earth();
  o.cells = cells;
  o.low = low;
  o.planet->tilt = tilt;
  o.planet->mirror = -9;
  return o;
}

TEST(MagnetospherePlanet, AHalfWithATiltedDipoleFollowsTheReference) {
  MagnetosphereOptions o = earth({15, 7, 15}, {-16, 0, -14}, 30 * degree);
  o.faces = {FaceKind::wind, FaceKind::free, FaceKind::mirror,
             FaceKind::free, FaceKind::free, FaceKind::oblique};
  o.wind.B = {1e-4, 0, -1.5e-4};
  o.diffusion.smoothing = 0;
  o.diffusion.heating = true;
  expect_the_reference("tilted", o);
}

TEST(MagnetospherePlanet, AllOfSpaceInAWindFromOneSideFollowsTheReference) {
  MagnetosphereOptions o = earth({14, 13, 11}, {-16, -12, -10}, -50 * degree);
  o.faces = {FaceKind::wind,    FaceKind::free,    FaceKind::wind,
             FaceKind::oblique, FaceKind::oblique, FaceKind::wind};
  o.planet->rotation = 2e-3;
  o.wind.v = {0.04, 0.01, -0.005};
  o.wind.B = {1e-4, -5e-5, -1.5e-4};
  o.diffusion = {};
  expect_the_reference("without diffusion", o);
}

/// The numbers of cases/jupiter in the solver's units, on few nodes.
TEST(MagnetospherePlanet, JupiterFollowsTheReference) {
  MagnetosphereOptions o;
  o.cells = {13, 10, 6};
  o.low = {-70, -40, 0};
  o.spacing = 10;
  o.faces = {FaceKind::wind, FaceKind::free,    FaceKind::free,
             FaceKind::free, FaceKind::equator, FaceKind::free};
  o.initial = Initial::planet;
  o.planet = PlanetOptions{
      .inner = 15, .outer = 30, .gravity = 2.1e-7, .pressure = 2.5e-9, .rotation = 1.37e-4, .mirror = -45};
  o.wind = {.rho = 2e-5, .v = {3.27e-3, 0, 0}, .p = 7.9e-12, .B = {}};
  o.diffusion = {.density = 1e-3, .pressure = 1e-3, .viscosity = 2e-8, .resistivity = 5e-4};
  o.density_floor = 4e-7;
  o.pressure_floor = 2e-12;
  o.courant = 0.5;
  expect_the_reference("Jupiter", o);
}

}  // namespace
