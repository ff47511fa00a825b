// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3
// ranks when long: 2
// threads: 2
// timeout: 240
// device: yes
// optimise: no
// label: checked
// The MHD solver against its serial reference, and equal bits for all strategies x splits x threads x
// devices.
#include <cmath>
#include <numbers>

#include "tests/mpi/cells.hpp"
#include "tests/mpi/plasma_runs.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/oracle/mhd_reference.hpp"
#include "tests/refusal.hpp"

namespace {

using namespace sc;
using namespace sc::magnetosphere;
using test::all_of;
using test::high_earth;
using test::Kind;
using test::Outcome;
using test::run;
using test::small_earth;

MagnetosphereOptions periodic_box(Int3 cells, double h) {
  MagnetosphereOptions o;
  o.cells = cells;
  o.spacing = h;
  o.faces.fill(FaceKind::periodic);
  o.dt = 0.1 * h;
  o.density_floor = 1e-3;
  o.pressure_floor = 1e-3;
  return o;
}

/// A smooth function of all three coordinates for every variable.
double smooth(int variable, double x, double y, double z) {
  constexpr double tau = 2 * std::numbers::pi;
  const double base[8] = {1, 0.1, -0.2, 0.15, 0.8, 0.4, 0.3, -0.5};
  return base[variable] +
         0.15 * std::sin(tau * (x + 2 * y) + variable) * std::cos(tau * (z - y) + 0.3 * variable);
}

void set_smooth(Magnetosphere& m) {
  const MagnetosphereOptions& o = m.options();
  const auto value = [&o](int v, int x, int y, int z) {
    return smooth(v, double(x) / o.cells.x, double(y) / o.cells.y, double(z) / o.cells.z);
  };
  m.nodes().rho.fill([&](int x, int y, int z) { return value(0, x, y, z); });
  m.nodes().v.fill([&](int k, int x, int y, int z) { return value(1 + k, x, y, z); });
  m.nodes().p.fill([&](int x, int y, int z) { return value(4, x, y, z); });
  m.nodes().B.fill([&](int k, int x, int y, int z) { return value(5 + k, x, y, z); });
}

class OnDevices : public test::PlasmaOn {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(test::backends()), test::backend_name);

TEST_P(OnDevices, AgreesWithTheOracleCellByCell) {
  test::TestContext context;
  const std::vector<DiffusionOptions> kinds = {
      {},
      {.density = 2e-3, .pressure = 3e-3, .viscosity = 1e-3, .resistivity = 2.5e-3, .heating = true},
      {.density = 2e-3, .smoothing = 0.02},
      {.resistivity = 1e-3, .smoothing = 0.02, .heating = true}};
  for (const DiffusionOptions& diffusion : kinds) {
    MagnetosphereOptions o = periodic_box({13, 10, 9}, 0.1);
    o.cycle = 4;
    o.diffusion = diffusion;
    auto solver = make(context, o);
    set_smooth(*solver);
    oracle::Mhd expected({.box = {.n = {o.cells.x, o.cells.y, o.cells.z}},
                          .h = o.spacing,
                          .dt = o.dt,
                          .cycle = 4,
                          .D = o.diffusion.density,
                          .Dp = o.diffusion.pressure,
                          .mu = o.diffusion.viscosity,
                          .eta = o.diffusion.resistivity,
                          .smoothing = o.diffusion.smoothing,
                          .heating = o.diffusion.heating});
    expected.each([&](oracle::Cell c) {
      for (std::size_t v = 0; v < 8; ++v)
        expected.nodes.values[v][expected.o.box.index(c)] =
            smooth(int(v), double(c[0]) / o.cells.x, double(c[1]) / o.cells.y, double(c[2]) / o.cells.z);
    });
    for (int n = 0; n < 6; ++n) {  // a whole cycle and the beginning of the next
      EXPECT_EQ(solver->step().floors, 0);
      if (context.rank() == 0) expected.step();
    }
    const std::vector<double> nodes = all_of(solver->nodes()), centres = all_of(solver->centres());
    if (context.rank() != 0) continue;
    const std::size_t cells = expected.nodes.values[0].size();
    double worst = 0;
    for (std::size_t v = 0; v < 8; ++v)
      for (std::size_t c = 0; c < cells; ++c) {
        worst = std::max(worst, std::abs(nodes[v * cells + c] - expected.nodes.values[v][c]));
        worst = std::max(worst, std::abs(centres[v * cells + c] - expected.centres.values[v][c]));
      }
    EXPECT_LT(worst, 2e-14) << "kind " << &diffusion - kinds.data();
  }
}

MagnetosphereOptions small_wave() {
  MagnetosphereOptions o = periodic_box({18, 9, 10}, 1.0 / 9);
  o.dt = 0;
  o.initial = Initial::linear_wave;
  o.amplitude = 0.1;
  return o;
}

std::vector<Kind> kinds() {
  return {{"smooth", periodic_box({19, 12, 10}, 0.1), set_smooth},
          {"earth", small_earth(), {}},
          {"wave", small_wave(), {}}};
}

// Sums, products, divisions, roots and fused() are the same on CUDA and on a host with fused multiply-adds:
// results of a device are compared with one rank on the host.
TEST_P(OnDevices, LeaveTheSameBits) {
  for (const Kind& kind : kinds()) {
    const int steps = 11;
    MagnetosphereOptions options = kind.options;
    options.engine.strategy = Strategy::blocking;
    const Outcome expected =
        test::on_one_rank([&](Context& one) { return run(one, options, steps, kind.start); });
    if (options.planet) {
      EXPECT_GT(expected.clock.floors, 0);  // otherwise the floors would not be tested
    }
    options.space = test::space_of(GetParam());
    for (int threads : {1, 2}) {
      if (threads > 1 && options.space == Space::device) continue;
      test::TestContext context({.threads = threads});
      open(context, GetParam());
      expect_same_bits(context, kind, options, expected, steps);
    }
  }
}

std::string refusal(Context& context, const MagnetosphereOptions& o) {
  return test::refusal([&] { std::make_unique<Magnetosphere>(context, o); });
}

// The state beyond a mirror is that of the second or third layer of the block beside it.
TEST(Magnetosphere, RefusesBlocksThatAMirrorLooksThrough) {
  for (const bool high : {false, true}) {
    MagnetosphereOptions o = high ? high_earth() : small_earth();
    for (FaceKind& face : o.faces)
      if (face == FaceKind::oblique) face = FaceKind::free;
    o.cells = {23, 4, 7};
    if (high) o.low = {-22, -6, -12};
    o.engine.strategy = Strategy::blocking;
    const Outcome expected = test::on_one_rank([&](Context& one) { return run(one, o, 6); });
    test::TestContext context;
    const int needed = high ? 3 : 2;
    for (const Int3 split : test::splits(context.size())) {
      o.split = split;
      const std::string how = std::string(high ? "high " : "low ") + to_string(split);
      const bool thin = (split.y > 1 && 4 / split.y < needed) || (split.z > 1 && 7 / split.z < needed);
      const std::string said = refusal(context, o);
      EXPECT_EQ(thin, said != "accepted") << how << ": " << said;
      if (said == "accepted") {
        expect_same(context, run(context, o, 6), expected, how);
        continue;
      }
      for (const std::string& part :
           {std::string("engine.split is ") + to_string(split),
            std::string("boundaries.") + (split.y > 1 ? "y" : "z") + (high ? "+" : "-"),
            "at least " + std::to_string(needed)})
        EXPECT_NE(said.find(part), std::string::npos) << part << ": " << said;
    }
    o.split = {0, 0, 0};
    expect_same(context, run(context, o, 6), expected, "the split that the engine chooses");
  }
}

TEST(Magnetosphere, RefusesWhatCannotBeRun) {
  test::TestContext context;
  const auto refused = [&](auto change) {
    MagnetosphereOptions o = small_earth();
    change(o);
    return refusal(context, o);
  };
  EXPECT_NE(refused([](auto& o) { o.wind.B = {0, 1e-4, 0}; }).find("mirror"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.planet->tilt = 0.1; }).find("tilted"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.planet->rotation = 0.1; }).find("turning"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.low[2] = 1; }).find("plane"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.faces[1] = FaceKind::periodic; }).find("periodic"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.density_floor = 0; }).find("positive"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.cycle = 0; }).find("cycle"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.planet->mirror = -o.planet->outer; }).find("planet.mirror is -7"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.wind.v[0] = 0; }).find("wind.velocity"), std::string::npos);
  EXPECT_NE(refused([](auto& o) {
              o.diffusion.heating = true;
              o.diffusion.smoothing = 0.1;
            }).find("dipole"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.space = Space::device; }).find("none open"), std::string::npos);
}

TEST_P(OnDevices, SaysWhereThePlasmaIsLost) {
  test::TestContext context;
  MagnetosphereOptions o = periodic_box({12, 12, 12}, 0.1);
  o.dt = 5;
  auto solver = make(context, o);
  set_smooth(*solver);
  const auto steps = [&] {
    for (int n = 0; n < 200; ++n) solver->step();
  };
  const std::string sentence = test::refusal(steps, Exit::diverged);
  EXPECT_NE(sentence.find("not finite after step"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("node ["), std::string::npos) << sentence;
}

TEST_P(OnDevices, EndsARunWhoseStepsWouldNeverEnd) {
  test::TestContext context;
  MagnetosphereOptions o = periodic_box({12, 12, 12}, 0.1);
  o.dt = 0;
  o.end = 1;
  auto solver = make(context, o);
  set_smooth(*solver);
  for (int n = 0; n < o.cycle; ++n) solver->step();
  solver->nodes().p.fill([](int, int, int) { return 1e20; });
  const std::string said = test::refusal([&] { solver->step(); }, Exit::diverged);
  EXPECT_NE(said.find("breaks up: after step 8"), std::string::npos) << said;
}

}  // namespace
