// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// ranks when long: 3
// timeout: 300
// optimise: no
// Open faces of the cavity against exact flows: plane Poiseuille flow, flow through a duct, uniform flow, a
// vortex that leaves; and what is refused.
#include <gtest/gtest.h>

#include <cstdio>
#include <numbers>

#include "tests/mpi/channels.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace {

using namespace sc;
using cavity::CavityOptions;
using cavity::Clustering;
using cavity::Method;
using test::FaceKind;
using test::Vec3;

constexpr double pi = std::numbers::pi;

Vec3 poiseuille(const Vec3& x) { return {6 * x[2] * (1 - x[2]), 0, 0}; }

/// The largest error of dp/dx = -12 nu, from the differences of p to its value at the first point.
double slope_error(cavity::Cavity& solver, double slope) {
  const double most =
      test::largest(solver, [&](const Vec3& x, const Vec3&, double p) { return 1e3 + p - slope * x[0]; });
  return test::largest(solver,
                       [&](const Vec3& x, const Vec3&, double p) { return most - (1e3 + p - slope * x[0]); });
}

// A parabola is exact for the differences, and p is linear.
TEST(CavityChannel, PoiseuilleFlowIsExactBetweenInflowAndOutflow) {
  test::TestContext context;
  const CavityOptions o = test::channel({10, 4, 11}, {2, 0.3, 1}, 2);
  cavity::Cavity solver(context, o);
  test::run_until_steady(solver, 1e-7);
  EXPECT_LT(test::velocity_error(solver, poiseuille), 1e-6);
  EXPECT_LT(slope_error(solver, -12 / o.reynolds), 1e-5);
  EXPECT_LT(solver.step().source_balance, 1e-12);
}

// The sides of the box need not be 1, nor the axis x; and fluid may enter at the high face.
TEST(CavityChannel, PoiseuilleFlowIsExactAlongEveryAxis) {
  test::TestContext context;
  const CavityOptions along_x = test::channel({12, 4, 13}, {2, 0.3, 1}, 2);
  for (int axis = 0; axis < 3; ++axis)
    for (const bool back : {false, true}) {
      CavityOptions o = along_x;
      for (int a = 0; a < 3; ++a) {
        const auto to = std::size_t((a + axis) % 3), from = std::size_t(a);
        o.points[int(to)] = along_x.points[a];
        o.size[to] = along_x.size[from];
        o.faces[2 * to] = along_x.faces[2 * from];
        o.faces[2 * to + 1] = along_x.faces[2 * from + 1];
      }
      const auto k = std::size_t(axis), across = std::size_t((axis + 2) % 3);
      if (back) std::swap(o.faces[2 * k], o.faces[2 * k + 1]);
      Vec3& velocity = o.faces[2 * k + (back ? 1 : 0)].inflow.velocity;
      velocity = {};
      velocity[k] = back ? -1 : 1;
      cavity::Cavity solver(context, o);
      const auto exact = [&](const Vec3& x) {
        Vec3 V{};
        V[k] = velocity[k] * 6 * x[across] * (1 - x[across]);
        return V;
      };
      solver.start_from(test::flow_at_points(o, exact));
      for (int n = 0; n < 30; ++n) solver.step();
      EXPECT_LT(test::velocity_error(solver, exact), 1e-6) << axis << back;
    }
}

TEST(CavityChannel, GivenPressuresDrivePoiseuilleFlow) {
  test::TestContext context;
  for (const Method method : {Method::multigrid, Method::sor, Method::jacobi}) {
    CavityOptions o = test::channel({12, 4, 13}, {2, 0.3, 1}, 2);
    o.pressure.method = method;
    o.faces[0] = {.kind = FaceKind::pressure, .pressure = 5 + 12 / o.reynolds * 2};
    o.faces[1] = {.kind = FaceKind::pressure, .pressure = 5};
    cavity::Cavity solver(context, o);
    test::run_until_steady(solver, 1e-7);
    EXPECT_LT(test::velocity_error(solver, poiseuille), 1e-6);
    const double p_error = test::largest(solver, [&](const Vec3& x, const Vec3&, double p) {
      return std::abs(p - (5 + 12 / o.reynolds * (2 - x[0])));
    });
    EXPECT_LT(p_error, 1e-5);
  }
}

// A face of slip is a plane of symmetry: half of the channel.
TEST(CavityChannel, SlipIsThePlaneOfSymmetry) {
  test::TestContext context;
  CavityOptions o = test::channel({12, 4, 13}, {2, 0.3, 0.5}, 2);
  o.faces[0] = {.kind = FaceKind::pressure, .pressure = 12 / o.reynolds * 2};
  o.faces[1] = {.kind = FaceKind::pressure, .pressure = 0};
  o.faces[5].kind = FaceKind::slip;
  cavity::Cavity solver(context, o);
  test::run_until_steady(solver, 1e-7);
  EXPECT_LT(test::velocity_error(solver, poiseuille), 1e-6);
}

/// Flow driven by dp/dx = -G through a duct 0 <= y <= a, 0 <= z <= b (F. M. White, Viscous Fluid Flow).
double in_duct(double y, double z, double a, double b, double per_viscosity) {
  double sum = 0;
  for (int n = 1; n < 60; n += 2)
    sum += (1 - std::cosh(n * pi * (z - b / 2) / a) / std::cosh(n * pi * b / (2 * a))) *
           std::sin(n * pi * y / a) / (n * n * n);
  return 4 * per_viscosity * a * a / (pi * pi * pi) * sum;
}

double duct_error(Context& context, int intervals) {
  constexpr double a = 1, b = 0.5, length = 0.5;
  CavityOptions o = test::channel({7, 2 * intervals + 1, intervals + 1}, {length, a, b}, 1);
  o.faces[0] = {.kind = FaceKind::pressure, .pressure = length};
  o.faces[1] = {.kind = FaceKind::pressure, .pressure = 0};
  o.faces[2].kind = o.faces[3].kind = FaceKind::wall;
  cavity::Cavity solver(context, o);
  test::run_until_steady(solver, 1e-6);
  const double highest = in_duct(a / 2, b / 2, a, b, 1);
  return test::velocity_error(solver,
                              [&](const Vec3& x) {
                                return Vec3{in_duct(x[1], x[2], a, b, 1), 0, 0};
                              }) /
         highest;
}

TEST(CavityChannel, TheFlowThroughADuctIsOfSecondOrder) {
  test::TestContext context;
  const double coarse = duct_error(context, 8), fine = duct_error(context, 16);
  const double order = std::log2(coarse / fine);
  if (context.rank() == 0) std::printf("duct: %.2e, %.2e, order %.2f\n", coarse, fine, order);
  EXPECT_NEAR(order, 2, 0.15);
  EXPECT_LT(fine, 5e-3);
}

/// The largest change of a uniform flow in some steps.
double change_of_uniform_flow(Context& context, CavityOptions o, const Vec3& U) {
  cavity::Cavity solver(context, o);
  solver.start_from(test::flow_at_points(o, [&](const Vec3&) { return U; }));
  for (int n = 0; n < 20; ++n) solver.step();
  return test::velocity_error(solver, [&](const Vec3&) { return U; });
}

TEST(CavityChannel, UniformFlowStaysAsItIs) {
  test::TestContext context;
  for (const Clustering clustering : {Clustering::uniform, Clustering::tanh}) {
    CavityOptions o = test::channel({15, 8, 11}, {3, 0.7, 1}, 50);
    o.clustering = clustering;
    o.smallest = 0.05;
    o.faces[0].inflow.parabolic = false;
    for (const FaceKind kind : {FaceKind::slip, FaceKind::moving}) {
      o.faces[4] = o.faces[5] = {.kind = kind, .motion = {.velocity = {1, 0, 0}}};
      EXPECT_LT(change_of_uniform_flow(context, o, {1, 0, 0}), 1e-13) << int(clustering) << int(kind);
    }
    o.faces[2].kind = o.faces[3].kind = FaceKind::slip;
    EXPECT_LT(change_of_uniform_flow(context, o, {1, 0, 0}), 1e-13) << int(clustering);
    o.faces[1] = {.kind = FaceKind::pressure, .pressure = 0};
    EXPECT_LT(change_of_uniform_flow(context, o, {1, 0, 0}), 1e-13) << int(clustering);
  }
}

// Through a corner: fluid enters at two faces.
TEST(CavityChannel, UniformFlowMayEnterAtTwoFaces) {
  test::TestContext context;
  CavityOptions o = test::channel({15, 6, 11}, {3, 0.7, 1}, 50);
  const Vec3 U{1, 0, 0.5};
  o.faces[0].inflow = {.velocity = U};
  o.faces[1] = {.kind = FaceKind::pressure, .pressure = 0};
  o.faces[4] = {.kind = FaceKind::inflow, .inflow = {.velocity = U}};
  o.faces[5] = {.kind = FaceKind::pressure, .pressure = 0};
  EXPECT_LT(change_of_uniform_flow(context, o, U), 1e-13);
}

// What is left of a vortex after it has crossed the face.
TEST(CavityChannel, AVortexLeavesWithLittleReflection) {
  test::TestContext context;
  constexpr double strength = 0.1, radius = 0.15;
  CavityOptions o = test::channel({65, 4, 49}, {2, 0.125, 1.5}, 5000);
  o.faces[0].inflow.parabolic = false;
  o.faces[4].kind = o.faces[5].kind = FaceKind::slip;
  o.pressure.tolerance = 1e-5;
  cavity::Cavity solver(context, o);
  // psi = strength radius exp(1/2 - r^2 / (2 radius^2)): the largest speed is `strength`, at r = radius.
  const auto vortex = [&](const Vec3& x) {
    const double X = (x[0] - 1.2) / radius, Z = (x[2] - 0.75) / radius;
    const double e = strength * std::exp(0.5 - 0.5 * (X * X + Z * Z));
    return Vec3{1 - Z * e, 0, X * e};
  };
  solver.start_from(test::flow_at_points(o, vortex));
  const auto disturbance = [&] {
    return test::velocity_error(solver, [](const Vec3&) { return Vec3{1, 0, 0}; });
  };
  const double before = disturbance();
  EXPECT_NEAR(before, strength, 0.05 * strength);
  // While its centre is on the face, the vortex is where the flow has carried it.
  while (solver.time() < 0.8) solver.step();
  const double carried = solver.time();
  const double off = test::velocity_error(solver, [&](const Vec3& x) {
    return vortex({x[0] - carried, x[1], x[2]});
  });
  while (solver.time() < 1.3) solver.step();  // its centre is 0.5 behind the face
  const double left = disturbance();
  if (context.rank() == 0)
    std::printf("vortex: off by %.1f %%, %.2f %% is left\n", 100 * off / before, 100 * left / before);
  EXPECT_LT(off, 0.3 * before);
  EXPECT_LT(left, 0.02 * before);
}

TEST(CavityChannel, MultigridTakesFewCyclesWithGivenPressures) {
  test::TestContext context;
  CavityOptions o = test::channel({34, 34, 34}, {1, 1, 1}, 100);
  o.faces[0].inflow.parabolic = false;
  o.faces[2].kind = o.faces[3].kind = FaceKind::wall;
  o.pressure.tolerance = 1e-6;
  for (const bool given : {false, true}) {
    if (given) o.faces[1] = {.kind = FaceKind::pressure, .pressure = 0};
    cavity::Cavity solver(context, o);
    const cavity::StepReport first = solver.step();
    EXPECT_FALSE(first.capped);
    EXPECT_LE(first.iterations, 12) << given;
  }
}

// In a box that is thin along the axis of the given pressure, most of the coarse cells lie beside that face.
TEST(CavityChannel, MultigridTakesAsFewCyclesInThinBoxes) {
  test::TestContext context;
  for (const Vec3 size : {Vec3{0.25, 1, 1}, Vec3{1, 1, 0.25}, Vec3{0.25, 0.25, 1}}) {
    CavityOptions o =
        test::channel({size[0] < 1 ? 10 : 34, size[1] < 1 ? 10 : 34, size[2] < 1 ? 10 : 34}, size, 100);
    o.faces[0].inflow.parabolic = false;
    o.faces[2].kind = o.faces[3].kind = FaceKind::wall;
    o.pressure.tolerance = 1e-6;
    int cycles = 0;
    for (const bool given : {false, true}) {
      if (given) o.faces[1] = {.kind = FaceKind::pressure, .pressure = 0};
      cavity::Cavity solver(context, o);
      const int now = solver.step().iterations;
      if (context.rank() == 0) std::printf("thin box, %s: %d cycles\n", given ? "given" : "outflow", now);
      if (given) {
        EXPECT_LE(now, cycles + 2);
      }
      cycles = now;
    }
  }
}

TEST(CavityChannel, WhatCannotBeIsRefused) {
  test::TestContext context;
  const auto refusal = [&](const auto& change) {
    CavityOptions o = test::channel({12, 6, 12}, {2, 0.3, 1}, 10);
    change(o);
    return test::refusal([&] { cavity::Cavity(context, o); });
  };
  const auto says = [&](const char* part, const auto& change) {
    const std::string said = refusal(change);
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  says("accepted", [](auto&) {});
  says("boundaries.x- is neither a wall nor periodic", [](auto& o) { o.clustering = Clustering::skewed; });
  says("point into the box", [](auto& o) { o.faces[0].inflow.velocity = {-1, 0, 0}; });
  says("rectangle without area", [](auto& o) { o.faces[0].inflow.from = {0, 0, 2}; });
  says("enter and not leave", [](auto& o) { o.faces[1].kind = FaceKind::wall; });
  says("outflow without inflow", [](auto& o) { o.faces[0].kind = FaceKind::wall; });
  says("both outflow and a given pressure", [](auto& o) { o.faces[4].kind = FaceKind::pressure; });
  says("several axes", [](auto& o) { o.faces[4].kind = FaceKind::outflow; });
  says("grid.size", [](auto& o) { o.size = {2, 0, 1}; });
  // Blocks too thin for the cubic beside a face.
  if (context.size() == 4)
    says("3 are needed", [](auto& o) {
      o.points = {12, 6, 10};
      o.split = {1, 1, 4};
    });
}

}  // namespace
