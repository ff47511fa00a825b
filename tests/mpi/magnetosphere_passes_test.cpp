// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3
// ranks when long: 2 4
// threads: 2
// timeout: 300
// optimise: no
// label: checked
// MHD in passes of several steps: the bits, floors and reports of single steps, for every length of a pass,
// with and without a planet, walls and a wind that changes.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/mpi/plasma_runs.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace {

using namespace sc;
using namespace sc::magnetosphere;
using test::Kind;
using test::Outcome;

constexpr Int3 cells{22, 20, 24};
constexpr int all_steps = 11;  // a cycle, and the beginning of the next

/// Waves of which some points reach the floor of the density.
MagnetosphereOptions waves(FaceKind faces, Diffusion kind) {
  MagnetosphereOptions o;
  o.cells = cells;
  o.spacing = 0.1;
  o.faces.fill(faces);
  o.courant = 0.3;
  o.density_floor = 0.88;
  o.pressure_floor = 0.3;
  if (kind != Diffusion::none)
    o.diffusion = {.density = 2e-3, .pressure = 3e-3, .viscosity = 1e-3, .resistivity = 2e-3};
  if (kind == Diffusion::mixing) o.diffusion.smoothing = 0.02;
  return o;
}

void set_waves(Magnetosphere& m) {
  const auto value = [](int v, int x, int y, int z) {
    const double base[8] = {1, 0.1, -0.2, 0.15, 0.8, 0.4, 0.3, -0.5};
    return base[v] +
           0.15 * std::sin(2 * M_PI * (x / 22.0 + 2 * y / 20.0) + v) * std::cos(2 * M_PI * z / 24.0 + v);
  };
  m.nodes().rho.fill([&](int x, int y, int z) { return value(0, x, y, z); });
  m.nodes().v.fill([&](int k, int x, int y, int z) { return value(1 + k, x, y, z); });
  m.nodes().p.fill([&](int x, int y, int z) { return value(4, x, y, z); });
  m.nodes().B.fill([&](int k, int x, int y, int z) { return value(5 + k, x, y, z); });
}

/// A quarter of the Earth, whose mirrors are the low or the high faces, in a constant wind or in gusts.
MagnetosphereOptions earth(bool high, bool gusty) {
  MagnetosphereOptions o = high ? test::high_earth() : test::small_earth();
  o.cells = cells;
  if (high) o.low = {-22, -38, -46};
  for (FaceKind& face : o.faces)
    if (face == FaceKind::oblique) face = FaceKind::free;
  if (!gusty) return o;
  o.winds = WindTable{.name = "gusts.csv", .times = {}, .states = {}};
  for (double t = -3; t < 40; t += 2.5) {
    PointState q = o.wind;
    q.rho *= 1.5 + std::sin(t);
    q.v[0] *= 1.2 + 0.3 * std::cos(2 * t);
    q.p *= 1.4 + 0.3 * std::sin(t + 1);
    q.B[2] *= std::cos(t);
    o.winds->times.push_back(t);
    o.winds->states.push_back(q);
  }
  return o;
}

std::vector<Kind> kinds() {
  return {{"periodic", waves(FaceKind::periodic, Diffusion::mixing), set_waves},
          {"walls", waves(FaceKind::free, Diffusion::none), set_waves},
          {"earth", earth(false, false), {}},
          {"high earth", earth(true, false), {}},
          {"gusts", earth(false, true), {}}};
}

/// The floors of each step beside the state.
struct Steps {
  Outcome outcome;
  std::vector<std::int64_t> floors;
  Runner::Passes passes;
};
/// `counts` steps a call, in turn.
Steps run(Context& context, const MagnetosphereOptions& o, const std::function<void(Magnetosphere&)>& start,
          const std::vector<int>& counts) {
  Magnetosphere solver(context, o);
  if (start) start(solver);
  Steps s;
  for (const int count : counts) {
    const magnetosphere::StepReport report = solver.steps(count);
    EXPECT_EQ(report.step, solver.clock().steps);
    EXPECT_EQ(report.dt, solver.clock().dt);
    s.floors.push_back(count == 1 ? report.floors : report.all_floors);
  }
  s.passes = solver.runner().passes();
  s.outcome = test::outcome_of(context, solver);
  return s;
}

void expect_passes(Context& context, const Kind& kind, const Steps& expected, int length, Int3 split,
                   const Strategy& strategy) {
  MagnetosphereOptions o = kind.options;
  o.split = split;
  o.engine.strategy = strategy;
  o.engine.poke_seconds = 1e-6;
  o.engine.steps_per_pass = length;
  const std::string how = std::string(kind.name) + " " + std::to_string(length) + " steps a pass, " +
                          std::string(strategy.name) + " " + to_string(split);
  const Steps got = run(context, o, kind.start, {all_steps});
  expect_same(context, got.outcome, expected.outcome, how);
  const int passes = (o.cycle + length - 1) / length + (all_steps - o.cycle + length - 1) / length;
  EXPECT_EQ(got.passes.passes, passes) << how << ": " << got.passes.describe();
  EXPECT_EQ(got.passes.steps, all_steps) << how;
}

TEST(MagnetospherePasses, LeaveTheBitsOfSingleSteps) {
  for (const Kind& kind : kinds()) {
    MagnetosphereOptions o = kind.options;
    o.engine.strategy = Strategy::blocking;
    const Steps expected = test::on_one_rank(
        [&](Context& one) { return run(one, o, kind.start, std::vector<int>(all_steps, 1)); });
    EXPECT_GT(expected.outcome.clock.floors, 0) << kind.name;  // otherwise the floors would not be tested
    EXPECT_LT(expected.outcome.clock.floors, all_steps * 2LL * cells.x * cells.y * cells.z / 2) << kind.name;
    test::TestContext context({.threads = test::world_size() == 1 ? 2 : 1});
    int turn = 0;
    for (const Int3 split : test::splits(context.size())) {
      const int thinnest = std::min({cells.x / split.x, cells.y / split.y, cells.z / split.z});
      for (const int length : {2, 3, 5, 8})
        if (2 * length <= thinnest)
          expect_passes(context, kind, expected, length, split,
                        ++turn % 3 == 0 ? Strategy::blocking : Strategy::boundary_first);
    }
  }
}

// Restarted from the fields and the clock, as from a checkpoint, within a cycle and with other lengths.
TEST(MagnetospherePasses, CountTheFloorsOfEveryStepAndContinueFromAny) {
  test::TestContext context;
  for (const Kind& kind : {kinds()[0], kinds()[4]}) {
    MagnetosphereOptions o = kind.options;
    o.split = context.size() == 4 ? Int3{1, 2, 2} : Int3{1, 1, context.size()};  // whatever the halo
    const Steps single = run(context, o, kind.start, std::vector<int>(all_steps, 1));
    o.engine.steps_per_pass = 4;
    const Steps parts = run(context, o, kind.start, {3, 1, 5, 2});
    const auto sum = [&](int from, int to) {
      std::int64_t floors = 0;
      for (int n = from; n < to; ++n) floors += single.floors[std::size_t(n)];
      return floors;
    };
    EXPECT_EQ(parts.floors, (std::vector<std::int64_t>{sum(0, 3), sum(3, 4), sum(4, 9), sum(9, 11)}))
        << kind.name;
    for (const int taken : {3, 6, 8}) {
      o.engine.steps_per_pass = 3;
      Magnetosphere first(context, o);
      if (kind.start) kind.start(first);
      first.steps(taken);
      o.engine.steps_per_pass = 4;
      const Steps rest =
          run(context, o, [&](Magnetosphere& second) { test::copy(first, second); }, {all_steps - taken});
      expect_same(context, rest.outcome, single.outcome, std::string(kind.name) + std::to_string(taken));
      context.barrier();
    }
  }
}

// The time step follows from the state at the start of a cycle, and is the same whether it is asked for or
// not.
TEST(MagnetospherePasses, KnowTheTimeStepBefore) {
  test::TestContext context;
  MagnetosphereOptions o = waves(FaceKind::periodic, Diffusion::none);
  o.engine.steps_per_pass = 4;
  Magnetosphere asked(context, o), other(context, o);
  set_waves(asked);
  set_waves(other);
  for (int n = 0; n < 3; ++n) {
    const double dt = asked.next_dt();
    EXPECT_EQ(asked.next_dt(), dt);
    EXPECT_EQ(asked.steps_of_dt(), o.cycle);
    EXPECT_EQ(other.steps(3).dt, dt);
    EXPECT_EQ(other.steps_of_dt(), o.cycle - 3);
    asked.steps(o.cycle);
    other.steps(o.cycle - 3);
    EXPECT_EQ(asked.clock().time, other.clock().time);
  }
  context.barrier();
}

TEST(MagnetospherePasses, NameTheStepInWhichThePlasmaIsLost) {
  test::TestContext context;
  MagnetosphereOptions o = waves(FaceKind::periodic, Diffusion::none);
  o.dt = 0.9;
  const auto said = [&](int length) {
    o.engine.steps_per_pass = length;
    Magnetosphere solver(context, o);
    set_waves(solver);
    return test::refusal([&] { solver.steps(200); }, Exit::diverged);
  };
  const std::string single = said(1);
  ASSERT_NE(single.find("not finite after step "), std::string::npos) << single;
  const std::string when = single.substr(0, single.find(" at node"));
  const int step = std::stoi(single.substr(single.find("after step ") + 11));
  EXPECT_NE(step % 4, 0) << single;  // within a pass
  const std::string passes = said(4);
  EXPECT_EQ(passes.find(when + "; "), 0U) << passes << " | " << single;
  EXPECT_NE(passes.find("engine.steps_per_pass = 1 names the node"), std::string::npos) << passes;
}

TEST(MagnetospherePasses, RefuseWhatReadsBesideItsColumn) {
  test::TestContext context;
  MagnetosphereOptions o = test::small_earth();
  o.engine.steps_per_pass = 2;
  EXPECT_EQ(test::refusal([&] { Magnetosphere solver(context, o); }),
            "engine.steps_per_pass is 2, but boundaries.y+ is oblique: its condition reads points beside its "
            "column; allowed there is 1");
}

}  // namespace
