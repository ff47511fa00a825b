// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// timeout: 120
// device: yes
// optimise: no
// A planet with a tilted dipole: its field against that of an aligned one, rotated about y; no force of the
// dipole on the plasma around it; a divergence that steps do not change; and the same bits for any split.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "tests/mpi/cells.hpp"
#include "tests/mpi/plasma_runs.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;
using namespace sc::magnetosphere;

constexpr double degree = std::numbers::pi / 180;
constexpr double nowhere = -1e6;  // a mirror so far away that its image has no effect

MagnetosphereOptions tilted_earth(double tilt, double mirror = -15) {
  MagnetosphereOptions o;
  o.cells = {25, 9, 23};
  o.low = {-24, 0, -22};
  o.spacing = 2;
  o.faces = {FaceKind::wind, FaceKind::free, FaceKind::mirror,
             FaceKind::free, FaceKind::free, FaceKind::free};
  o.initial = Initial::planet;
  o.planet = PlanetOptions{};
  o.planet->tilt = tilt;
  o.planet->mirror = mirror;
  o.wind = {.rho = 5e-4, .v = {0.044, 0, 0}, .p = 3.56e-8, .B = {0, 0, 1.5e-4}};
  o.density_floor = 1e-5;
  o.pressure_floor = 1e-8;
  return o;
}

/// A vector field, gathered on rank 0, and the positions of the nodes.
struct Vectors {
  Vectors(const MagnetosphereOptions& o, AnyField& field)
      : positions(positions_of(o, Half::nodes)), cells(o.cells), values(test::on_root(field)) {}
  double operator()(int k, Int3 c) const {
    return values[std::size_t(((k * cells.z + c.z) * cells.y + c.y) * cells.x + c.x)];
  }
  Vector position(Int3 c) const { return positions.at({c.x, c.y, c.z}); }
  template <class Visit>
  void each(int margin, Visit visit) const {
    if (!values.empty())
      each_cell({{margin, 0, margin}, {cells.x - margin, cells.y - margin, cells.z - margin}}, visit);
  }
  Lattice3 positions;
  Int3 cells;
  std::vector<double> values;
};

/// B = (-3 x z, -3 y z, r^2 - 3 z^2) / r^5 about the axis of the dipole, rotated by `tilt` from z towards x.
Vector turned_dipole(Vector r, double tilt) {
  const double c = std::cos(tilt), s = std::sin(tilt);
  const double x = r.x * c - r.z * s, z = r.x * s + r.z * c;
  const double r2 = square(r), r5 = r2 * r2 * std::sqrt(r2);
  const double Bx = -3 * x * z / r5, Bz = (r2 - 3 * z * z) / r5;
  return {Bx * c + Bz * s, -3 * r.y * z / r5, Bz * c - Bx * s};
}

class OnTiltedDipoles : public test::PlasmaOn {};
INSTANTIATE_TEST_SUITE_P(On, OnTiltedDipoles, testing::ValuesIn(test::backends()), test::backend_name);

TEST_P(OnTiltedDipoles, IsAnAlignedOneTurned) {
  test::TestContext context;
  for (const double tilt : {-90 * degree, -30 * degree, 0.0, 12 * degree, 75 * degree}) {
    const MagnetosphereOptions o = tilted_earth(tilt, nowhere);
    const auto solver = make(context, o);
    const Vectors B(o, solver->nodes().B);
    double worst = 0;
    B.each(0, [&](Int3 c) {
      const Vector r = B.position(c);
      if (square(r) < 4) return;  // inside the core the field only needs to be finite
      const Vector expected = turned_dipole(r, tilt);
      const double r3 = std::pow(square(r), 1.5);
      worst = std::max({worst, r3 * std::abs(B(0, c) - expected.x), r3 * std::abs(B(1, c) - expected.y),
                        r3 * std::abs(B(2, c) - expected.z)});
    });
    EXPECT_LT(worst, 5e-14) << tilt / degree << " degrees";
  }
}

// The discrete curl of the dipole is subtracted from J: in the first half of a step only pressure and gravity
// accelerate the centres, for every direction of the dipole. (The second half uses means of the dipole's
// field.) The conditions at faces do not include the dipole, so the outermost centres are excluded.
TEST_P(OnTiltedDipoles, PushesNoPlasmaAtRest) {
  test::TestContext context;
  const auto velocity = [&](double tilt) {
    MagnetosphereOptions o = tilted_earth(tilt, nowhere);
    o.wind.v = {1e-30, 0, 0};  // at rest: a wind must come from the sun, and this one is below all rounding
    o.wind.B = {};
    o.dt = 0.1;
    const auto solver = make(context, o);
    solver->step();
    return Vectors(o, solver->centres().v);
  };
  const Vectors aligned = velocity(0), tilted = velocity(-35 * degree);
  double worst = 0, largest = 0;
  aligned.each(1, [&](Int3 c) {
    for (int k = 0; k < 3; ++k) {
      largest = std::max(largest, std::abs(aligned(k, c)));
      worst = std::max(worst, std::abs(tilted(k, c) - aligned(k, c)));
    }
  });
  if (context.rank() == 0) {
    std::printf("velocity %.3e, difference %.3e\n", largest, worst);
    EXPECT_GT(largest, 1e-9);
    EXPECT_LT(worst, 1e-16);
  }
}

/// max |div B - div B'| over the centres of which no corner is held; and max |B - B'| there.
std::pair<double, double> changes(const Vectors& B, const Vectors& before, double outer) {
  double divergence = 0, field = 0;
  B.each(0, [&](Int3 c) {
    if (c.x + 1 == B.cells.x || c.y + 1 == B.cells.y || c.z + 1 == B.cells.z) return;
    double sum = 0, nearest = outer;
    for (int corner = 0; corner < 8; ++corner) {
      const Int3 at{c.x + (corner & 1), c.y + (corner >> 1 & 1), c.z + (corner >> 2 & 1)};
      nearest = std::min(nearest, std::sqrt(square(B.position(at))));
      for (int k = 0; k < 3; ++k) {
        const double change = B(k, at) - before(k, at);
        field = std::max(field, std::abs(change));
        sum += corner >> k & 1 ? change : -change;
      }
    }
    if (nearest >= outer) divergence = std::max(divergence, std::abs(sum) / (4 * B.positions.h));
  });
  return {divergence, field};
}

TEST_P(OnTiltedDipoles, KeepsItsDivergence) {
  test::TestContext context;
  const MagnetosphereOptions o = tilted_earth(-30 * degree);
  const auto solver = make(context, o);
  const Vectors before(o, solver->nodes().B);
  for (int n = 0; n < 20; ++n) solver->step();
  const Vectors later(o, solver->nodes().B);
  const auto [divergence, field] = changes(later, before, o.planet->outer);
  if (context.rank() == 0) {
    std::printf("div B has changed by %.3e, B by %.3e\n", divergence, field);
    EXPECT_GT(field, 1e-5);
    EXPECT_LT(divergence, 1e-17);
  }
}

// Opposite tilts towards the sun and away from it: north and south are exchanged, and v_z, B_x and B_y change
// sign. The centres extend half a spacing further up than down, so cells beside faces are excluded.
TEST_P(OnTiltedDipoles, IsMirroredByTheOppositeTilt) {
  test::TestContext context;
  const int steps = 3;
  const auto field = [&](double tilt) {
    const MagnetosphereOptions o = tilted_earth(tilt);
    const auto solver = make(context, o);
    for (int n = 0; n < steps; ++n) solver->step();
    return std::pair(Vectors(o, solver->nodes().v), Vectors(o, solver->nodes().B));
  };
  const auto [v, B] = field(-30 * degree);
  const auto [mirrored_v, mirrored_B] = field(30 * degree);
  double worst_v = 0, worst_B = 0;
  B.each(steps + 1, [&, &v = v, &B = B, &w = mirrored_v, &C = mirrored_B](Int3 c) {
    const Int3 other{c.x, c.y, B.cells.z - 1 - c.z};
    for (int k = 0; k < 3; ++k) {
      const double sign = k == 2 ? -1 : 1;
      worst_v = std::max(worst_v, std::abs(v(k, c) - sign * w(k, other)));
      worst_B = std::max(worst_B, std::abs(B(k, c) + sign * C(k, other)));
    }
  });
  if (context.rank() == 0) {
    std::printf("v differs by %.3e, B by %.3e\n", worst_v, worst_B);
    EXPECT_LT(worst_v, 1e-15);
    EXPECT_LT(worst_B, 1e-15);
  }
}

TEST_P(OnTiltedDipoles, LeavesTheSameBits) {
  MagnetosphereOptions o = tilted_earth(-30 * degree);
  o.diffusion = {.density = 5e-3, .pressure = 5e-3, .viscosity = 2.5e-6, .resistivity = 1e-3};
  const test::Outcome expected = test::on_one_rank([&](Context& one) { return test::run(one, o, 9); });
  test::TestContext context;
  open(context, GetParam());
  o.space = test::space_of(GetParam());
  for (const Int3 split : test::splits(context.size()))
    for (const Strategy strategy : {Strategy::blocking, Strategy::pipelined}) {
      o.split = split;
      o.engine.strategy = strategy;
      expect_same(context, test::run(context, o, 9), expected,
                  std::string(strategy.name) + " " + to_string(split));
    }
}

}  // namespace
