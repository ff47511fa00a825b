// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4
// ranks when long: 2
// threads: 2
// timeout: 240
// device: yes
// optimise: no
// label: checked
// A wind that changes with time: exact solutions, which need the right wind at every time level and in every
// layer of both sets; equal bits; refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>

#include "tests/mpi/plasma_runs.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace {

using namespace sc;
using namespace sc::magnetosphere;
using test::copy;
using test::Kind;
using test::Outcome;
using test::small_earth;

WindTable table_of(double from, double to, int rows, const std::function<PointState(double)>& state) {
  WindTable table{.name = "gusts.csv", .times = {}, .states = {}};
  for (int n = 0; n < rows; ++n) {
    table.times.push_back(from + (to - from) * n / (rows - 1));
    table.states.push_back(state(table.times.back()));
  }
  return table;
}

/// A tube along x that the wind enters at x = 0.
MagnetosphereOptions tube(int points, double h) {
  MagnetosphereOptions o;
  o.cells = {points, 1, 1};
  o.spacing = h;
  o.faces.fill(FaceKind::periodic);
  o.faces[0] = FaceKind::wind;
  o.faces[1] = FaceKind::free;
  o.cycle = 4;
  return o;
}

TEST(Wind, IsLinearBetweenRowsAndConstantBeyond) {
  const WindTable table{.name = "",
                        .times = {1, 2, 4},
                        .states = {{.rho = 1, .v = {1, 2, 3}, .p = 4, .B = {0, 1, 2}},
                                   {.rho = 3, .v = {1, 0, 3}, .p = 2, .B = {0, 1, -2}},
                                   {.rho = 3, .v = {5, 0, 3}, .p = 2, .B = {0, 0, 0}}}};
  for (const double early : {-5.0, 1.0}) EXPECT_EQ(table.at(early).rho, 1);
  for (const double late : {4.0, 9.0}) EXPECT_EQ(table.at(late).v[0], 5);
  const PointState a = table.at(1.25), b = table.at(3);
  EXPECT_EQ(a.rho, 1.5);
  EXPECT_EQ(a.v, (Vec3{1, 1.5, 3}));
  EXPECT_EQ(a.p, 3.5);
  EXPECT_EQ(a.B, (Vec3{0, 1, 1}));
  EXPECT_EQ(b.rho, 3);
  EXPECT_EQ(b.v, (Vec3{3, 0, 3}));
  EXPECT_EQ(b.B, (Vec3{0, 0.5, -1}));
}

/// A density that plasma of constant pressure and velocity carries along: rho(x, t) = rho_in(t - x / v).
double pulse(double t) { return 1 + 0.5 * std::exp(-std::pow((t - 0.5) / 0.12, 2)); }

/// Mean |rho - exact| over the nodes at t = 0.9, when the pulse lies within.
double error_of_pulse(Context& context, int points, double along) {
  const double speed = 1.25;
  MagnetosphereOptions o = tube(points, 1.5 / points);
  o.winds = table_of(-0.5, 2, 20001, [=](double t) {
    return PointState{.rho = pulse(t), .v = {speed, 0, 0}, .p = 0.2, .B = {along, 0, 0}};
  });
  const int steps = 9 * points / 10 * 2;
  o.dt = 0.9 / steps;
  Magnetosphere solver(context, o);
  for (int n = 0; n < steps; ++n) solver.step();
  Accumulator sum(Reduce::sum);
  const Box box = solver.grid().global_box();
  for (int x = box.lo.x; x < box.hi.x; ++x) {
    const double exact = pulse(solver.clock().time - x * o.spacing / speed);
    const double error = std::abs(solver.nodes().rho.get({x - box.lo.x, 0, 0}) - exact);
    sum.add(&error, 1);
  }
  GlobalValue global(context);
  return global.reduce(std::span<const Accumulator>(&sum, 1)) / points;
}

TEST(Wind, APulseThatEntersConvergesAtSecondOrder) {
  test::TestContext context;
  for (const double along : {0.0, 0.4}) {
    double before = 0;
    for (const int points : {60, 120, 240, 480}) {
      const double error = error_of_pulse(context, points, along);
      if (context.rank() == 0 && before > 0)
        std::printf("B_x = %g, %d points: error %.3g, order %.2f\n", along, points, error,
                    std::log2(before / error));
      if (points == 480) {
        EXPECT_LT(error, 1e-3);
        EXPECT_GT(std::log2(before / error), 1.9);
        EXPECT_LT(std::log2(before / error), 2.2);
      }
      before = error;
    }
  }
}

// A density that is linear in t - x / v has no truncation error and no diffusion, so that only a wrong wind
// in the halo of nodes or centres, at the old or the new time level, can change it.
TEST(Wind, ALinearDensityThatEntersIsExact) {
  test::TestContext context;
  const double speed = 0.8, h = 0.1;
  const auto exact = [&](double x, double t) { return 5 + 0.3 * (t - x / speed); };
  for (const DiffusionOptions& diffusion : std::vector<DiffusionOptions>{
           {}, {.density = 4e-3, .pressure = 4e-3, .viscosity = 1e-3}, {.smoothing = 0.05}}) {
    MagnetosphereOptions o = tube(60, h);
    o.dt = 0.03;
    o.diffusion = diffusion;
    o.winds = WindTable{.name = "ramp.csv", .times = {-10, 10}, .states = {}};
    for (const double t : {-10.0, 10.0})
      o.winds->states.push_back({.rho = exact(0, t), .v = {speed, 0, 0}, .p = 0.5, .B = {0, 0, 0}});
    Magnetosphere solver(context, o);
    solver.nodes().rho.fill([&](int x, int, int) { return exact(x * h, 0); });
    for (int n = 1; n <= 10; ++n) {
      solver.step();
      const double end = n * o.dt, middle = end - o.dt / 2;
      const Box box = solver.grid().global_box();
      for (int x = box.lo.x; x < std::min(box.hi.x, 40); ++x) {  // x+ has not yet been felt there
        const Int3 c{x - box.lo.x, 0, 0};
        ASSERT_NEAR(solver.nodes().rho.get(c), exact(x * h, end), 1e-13) << "node " << x << ", step " << n;
        ASSERT_NEAR(solver.centres().rho.get(c), exact((x + 0.5) * h, middle), 1e-13)
            << "centre " << x << ", step " << n;
        ASSERT_NEAR(solver.nodes().v.get(c, 0), speed, 1e-13);
      }
    }
  }
}

/// Pressure, speed and a field that turns, within the few steps of the tests.
MagnetosphereOptions gusty_earth() {
  MagnetosphereOptions o = small_earth();
  o.cells = {17, 12, 12};  // four blocks fit along every axis
  o.cycle = 4;
  o.winds = table_of(-3, 40, 9, [wind = o.wind](double t) {
    PointState q = wind;
    q.rho *= 1.5 + std::sin(t);
    q.v[0] *= 1.2 + 0.3 * std::cos(2 * t);
    q.p *= 1.4 + 0.3 * std::sin(t + 1);
    q.B[2] *= std::cos(t);
    return q;
  });
  return o;
}

Outcome on_one_rank(MagnetosphereOptions options, int steps) {
  options.engine.strategy = Strategy::blocking;
  return test::on_one_rank([&](Context& one) { return test::run(one, options, steps); });
}

class WindOn : public test::PlasmaOn {};
INSTANTIATE_TEST_SUITE_P(On, WindOn, testing::ValuesIn(test::backends()), test::backend_name);

TEST_P(WindOn, LeavesTheSameBits) {
  Kind kind{"gusts", gusty_earth(), {}};
  const int steps = 6;
  const Outcome expected = on_one_rank(kind.options, steps);
  kind.options.space = test::space_of(GetParam());
  for (const int threads : {1, 2}) {
    if (threads > 1 && kind.options.space == Space::device) continue;
    test::TestContext context({.threads = threads});
    open(context, GetParam());
    expect_same_bits(context, kind, kind.options, expected, steps);
  }
}

TEST(Wind, AConstantTableIsAConstantWind) {
  const MagnetosphereOptions constant = small_earth();
  MagnetosphereOptions table = constant;
  table.wind = {.rho = 1, .v = {1, 0, 0}, .p = 1, .B = {0, 0, 0}};  // is replaced
  table.winds = table_of(0.3, 25.7, 7, [&](double) { return constant.wind; });
  test::TestContext context;
  expect_same(context, test::run(context, table, 10), test::run(context, constant, 10), "constant");
}

// In a program that continues, the sums of the start refresh halos before the first step.
TEST(Wind, ARunContinuesFromAnyStepWithTheSameBits) {
  test::TestContext context;
  MagnetosphereOptions o = gusty_earth();
  const int steps = 7;
  const Outcome expected = test::run(context, o, steps);
  for (int taken = 1; taken < steps; ++taken) {
    Magnetosphere first(context, o);
    for (int n = 0; n < taken; ++n) first.step();
    const double divergence = first.measure().divergence;
    const Outcome whole = test::run(context, o, steps - taken, [&](Magnetosphere& second) {
      copy(first, second);
      EXPECT_EQ(second.measure().divergence, divergence);
    });
    expect_same(context, whole, expected, "after step " + std::to_string(taken));
  }
}

std::string refusal(Context& context, const std::function<void(MagnetosphereOptions&)>& change) {
  MagnetosphereOptions o = gusty_earth();
  change(o);
  return test::refusal([&] { Magnetosphere solver(context, o); });
}

TEST(Wind, RefusesARowByItsNumber) {
  test::TestContext context;
  const auto row = [&](auto change) {
    return refusal(context, [&](MagnetosphereOptions& o) { change(o.winds->states[3]); });
  };
  const auto says = [](const std::string& sentence, const std::string& part) {
    EXPECT_EQ(sentence.find("gusts.csv, row 4: "), 0U) << sentence;
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
  };
  says(row([](PointState& q) { q.rho = 0; }), "wind.density is 0; it must be positive");
  says(row([](PointState& q) { q.p = -1; }), "wind.pressure is -1; it must be positive");
  says(row([](PointState& q) { q.v[0] = -0.1; }), "wind.velocity is -0.1 along x");
  says(row([](PointState& q) { q.v[1] = 0.1; }), "boundaries.y- reflects, but the wind blows through it");
  says(row([](PointState& q) { q.B[1] = 0.1; }),
       "boundaries.y- is a mirror, but the wind's field crosses it");
  says(row([](PointState& q) { q.B[0] = 0.1; }), "boundaries.z- is an equator, but the wind's field lies in");
  says(row([](PointState& q) { q.v[2] = std::nan(""); }), "every number must be finite");
  says(refusal(context, [](auto& o) { o.winds->times[3] = o.winds->times[2]; }), "it must be after");
  says(refusal(context,
               [](auto& o) {
                 o.faces = {FaceKind::wind, FaceKind::free, FaceKind::free,
                            FaceKind::free, FaceKind::free, FaceKind::free};
                 o.winds->states[3].B[0] = 0.1;
               }),
       "the field along x is not that of row 1; it must not change, because it crosses boundaries.x-");
  EXPECT_NE(refusal(context, [](auto& o) { o.winds->states.pop_back(); }).find("9 times and 8 states"),
            std::string::npos);
  EXPECT_NE(refusal(context, [](auto& o) { o.winds = WindTable{}; }).find("at least one"), std::string::npos);
}

}  // namespace
