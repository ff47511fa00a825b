// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// timeout: 300
// optimise: no
// Physical properties of the dendrite's results, each compared with an independent result: the profile of a
// front at rest, the speed of plane fronts, conservation, the crystal's symmetry, the order of the scheme.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "engine/exec/face_kernel.hpp"
#include "solvers/dendrite/model.hpp"
#include "solvers/dendrite/solver.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/mpi/whole_field.hpp"
#include "tests/oracle/dendrite_reference.hpp"
#include "tests/oracle/travelling_wave.hpp"

namespace {

using namespace sc;
using dendrite::DendriteOptions;
using dendrite::FaceKind;

Field<double>& doubles(AnyField& field) { return dynamic_cast<Field<double>&>(field); }

/// A row of cells along x, `per_width` for each interface width, with a plane front in the middle and without
/// latent heat.
struct Plane {
  Plane(Context& context, int cells, int per_width, double undercooling) {
    options.cells = {cells, 1, 1};
    options.single = false;
    options.material.anisotropy = 0;
    options.material.noise = 0;
    options.material.heat_capacity = 1e40;  // L / C = 0: the temperature is constant
    options.material.diffusivity = 1e-12;
    options.spacing = options.material.interface_width / per_width;
    options.temperature = options.material.melting - undercooling;
    for (FaceKind& face : options.faces) face = FaceKind::insulated;
    options.seeds = {{}};
    solver = std::make_unique<dendrite::Dendrite>(context, options);
    doubles(solver->phase()).fill([&](int x, int, int) {
      return dendrite::profile(options.material, (x + 0.5 - 0.5 * cells) * options.spacing);
    });
  }
  double position() { return solver->measure().solid * options.cells.x * options.spacing; }
  /// Mean speed of the front over `distance` cells, after it has moved `settling` cells.
  double speed(double settling, double distance) {
    const auto go_on = [&](double cells) {
      const double from = position();
      while (position() < from + cells * options.spacing)
        for (int n = 0; n < 20; ++n) solver->step();
    };
    go_on(settling);
    const double from = position(), since = solver->clock().time;
    go_on(distance);
    return (position() - from) / (solver->clock().time - since);
  }
  DendriteOptions options;
  std::unique_ptr<dendrite::Dendrite> solver;
};

TEST(DendritePhysics, AFrontAtRestKeepsItsProfileAndThickness) {
  test::TestContext context;
  double error[2] = {};
  for (int fine = 0; fine < 2; ++fine) {
    const int per_width = fine ? 32 : 16, cells = 8 * per_width;
    Plane plane(context, cells, per_width, 0);
    // Starts with half the width: the width must follow from the equation.
    doubles(plane.solver->phase()).fill([&](int x, int, int) {
      return dendrite::profile(plane.options.material, 2 * (x + 0.5 - 0.5 * cells) * plane.options.spacing);
    });
    while (plane.solver->clock().time < 4e-8) plane.solver->step();
    const std::vector<double> phi = test::on_root(plane.solver->phase());
    if (context.rank() != 0) continue;
    const auto place_of = [&](double level) {  // um from the middle
      for (int x = 0; x + 1 < cells; ++x)
        if (phi[std::size_t(x)] >= level && phi[std::size_t(x) + 1] < level)
          return (x + 1 - 0.5 * cells - 0.5 +
                  (phi[std::size_t(x)] - level) / (phi[std::size_t(x)] - phi[std::size_t(x) + 1])) *
                 plane.options.spacing;
      return double(NAN);
    };
    const oracle::Metal metal;
    for (int x = 0; x < cells; ++x) {
      const double at = (x + 0.5 - 0.5 * cells) * plane.options.spacing;
      error[fine] = std::max(
          error[fine], std::abs(phi[std::size_t(x)] - 0.5 * (1 - std::tanh(metal.b() * at / metal.delta))));
    }
    EXPECT_NEAR((place_of(0.1) - place_of(0.9)) / metal.delta, 1, fine ? 0.002 : 0.008);
  }
  if (context.rank() != 0) return;
  EXPECT_LT(error[1], 1e-3);
  EXPECT_GT(error[0] / error[1], 3.5);  // second order
}

double wave_at(double undercooling) {
  const oracle::Metal metal;
  return oracle::wave_speed(metal.M() * metal.eps2(), 4 * metal.M() * metal.W(),
                            15 * metal.L * undercooling / (2 * metal.W() * metal.Tm));
}

TEST(DendritePhysics, SlowFrontsTravelByTheKineticCoefficient) {
  test::TestContext context;
  for (const double undercooling : {2.0, 10.0}) {
    Plane plane(context, 192, 16, undercooling);
    const double speed = plane.speed(20, 20), wave = wave_at(undercooling), sharp = 2.0 * undercooling;
    if (context.rank() == 0)
      std::printf("%g K, 16 cells to the width: %.4f m/s, travelling wave %.4f, mu dT %.4f\n", undercooling,
                  speed, wave, sharp);
    EXPECT_NEAR(speed / wave, 1, 0.005) << undercooling;
    if (undercooling <= 2) {
      EXPECT_NEAR(speed / sharp, 1, 0.02);
    }
  }
}

// At high driving force the front is thin: its speed differs from mu dT, and a finer grid is needed.
TEST(DendritePhysics, FastFrontsConvergeToTheTravellingWave) {
  test::TestContext context;
  const double undercooling = 217, wave = wave_at(undercooling);
  EXPECT_LT(wave, 0.35 * 2.0 * undercooling);
  std::map<int, double> error;
  for (const int per_width : {4, 8, 16, 32, 64}) {
    Plane plane(context, 32 * per_width, per_width, undercooling);
    error[per_width] = plane.speed(9 * per_width, 2 * per_width) / wave - 1;
    if (context.rank() == 0)
      std::printf("%g K, %d cells to the width: %+.2f %% of %.2f m/s\n", undercooling, per_width,
                  100 * error[per_width], wave);
  }
  EXPECT_NEAR(error[4], -0.16, 0.02);  // resolution of the cases in cases/
  EXPECT_LT(std::abs(error[64]), 0.01);
  EXPECT_GT(error[32] / error[64], 3);
}

DendriteOptions crystal(int cells, bool single) {
  DendriteOptions o;
  o.cells = {cells, cells, cells};
  o.single = single;
  for (FaceKind& face : o.faces) face = FaceKind::insulated;
  o.seeds = {{.centre = {0.5 * cells * o.spacing, 0.5 * cells * o.spacing, 0.5 * cells * o.spacing},
              .radius = 5 * o.spacing}};
  return o;
}

TEST(DendritePhysics, HeatIsConservedBetweenInsulatedWalls) {
  test::TestContext context;
  for (const bool single : {false, true}) {
    DendriteOptions options = crystal(20, single);
    auto solver = std::make_unique<dendrite::Dendrite>(context, options);
    const dendrite::Measures before = solver->measure();
    for (int n = 0; n < 400; ++n) solver->step();
    const dendrite::Measures after = solver->measure();
    EXPECT_GT(after.solid, before.solid + 0.02);
    // Rounding errors in 8000 cells, relative to the 433 K of solidification.
    EXPECT_LT(std::abs(after.total - before.total), single ? 5e-4 : 1e-11);
    EXPECT_GE(after.phi_low, -1e-6);
    EXPECT_LE(after.phi_high, 1 + 1e-6);
    if (context.rank() == 0)
      std::printf("%s: drift %.2e K, phi in [%.2e, 1 + %.2e]\n", single ? "single" : "double",
                  after.total - before.total, after.phi_low, after.phi_high - 1);
  }
}

// Mirroring gives the same bits. Exchanging axes adds the same three sums in another order; the growing
// crystal amplifies these rounding errors.
TEST(DendritePhysics, ANoiselessCrystalHasTheSymmetryOfTheCube) {
  test::TestContext context;
  DendriteOptions options = crystal(24, false);
  options.material.noise = 0;
  auto solver = std::make_unique<dendrite::Dendrite>(context, options);
  // Distances that are equal to the last bit in all directions.
  doubles(solver->phase()).fill([&](int x, int y, int z) {
    const double a = std::abs(x - 11.5), b = std::abs(y - 11.5), c = std::abs(z - 11.5);
    const double phi =
        dendrite::profile(options.material, (std::sqrt(a * a + b * b + c * c) - 5) * options.spacing);
    return phi < 1e-12 ? 0 : phi;
  });
  for (int n = 0; n < 300; ++n) solver->step();
  const std::vector<double> phi = test::on_root(solver->phase());
  const std::vector<double> T = test::on_root(solver->heat());
  if (context.rank() != 0) return;
  const int n = options.cells.x;
  const auto at = [n](int x, int y, int z) { return std::size_t((z * n + y) * n + x); };
  std::int64_t mirrored = 0;
  double exchanged = 0, most = 0;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        for (const std::vector<double>* q : {&phi, &T}) {
          const double v = (*q)[at(x, y, z)];
          mirrored += v != (*q)[at(n - 1 - x, y, z)];
          mirrored += v != (*q)[at(x, n - 1 - y, z)];
          mirrored += v != (*q)[at(x, y, n - 1 - z)];
          const double scale = q == &phi ? 1 : 433;
          for (const std::size_t other : {at(y, x, z), at(z, y, x), at(y, z, x)})
            exchanged = std::max(exchanged, std::abs(v - (*q)[other]) / scale);
          if (q == &phi && v > 0.5) most = std::max(most, std::abs(x - 11.5));
        }
  EXPECT_EQ(mirrored, 0);
  EXPECT_LT(exchanged, 1e-11);
  EXPECT_GT(most, 6);  // the crystal has grown
  std::printf("after an exchange of axes %.1e\n", exchanged);
}

TEST(DendritePhysics, SinglePrecisionFollowsDouble) {
  test::TestContext context;
  std::vector<double> fine_phi, fine_T;
  double phi_error = 0, T_error = 0;
  for (const bool single : {false, true}) {
    auto solver = std::make_unique<dendrite::Dendrite>(context, crystal(20, single));
    for (int n = 0; n < 100; ++n) solver->step();
    if (!single) {
      fine_phi = test::on_root(solver->phase());
      fine_T = test::on_root(solver->heat());
      continue;
    }
    const std::vector<float> phi = test::on_root<float>(solver->phase());
    const std::vector<float> T = test::on_root<float>(solver->heat());
    for (std::size_t n = 0; n < phi.size(); ++n) {
      phi_error = std::max(phi_error, std::abs(double(phi[n]) - fine_phi[n]));
      T_error = std::max(T_error, std::abs(double(T[n]) - fine_T[n]) / (1728 + fine_T[n]));
    }
  }
  if (context.rank() == 0) std::printf("phi %.1e, T %.1e\n", phi_error, T_error);
  // Seven digits minus one.
  EXPECT_LT(phi_error, 5e-6);
  EXPECT_LT(T_error, 1e-6);
}

}  // namespace
