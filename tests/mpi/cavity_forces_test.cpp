// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// timeout: 300
// optimise: no
// Forces on walls against exact flows: Couette, Poiseuille, between turning cylinders, a box whose forces
// have to cancel; and a wall that is a part of a face.
#include <gtest/gtest.h>

#include <cstdio>
#include <numbers>

#include "tests/mpi/annulus.hpp"
#include "tests/mpi/channels.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;
using cavity::CavityOptions;
using cavity::Clustering;
using cavity::FaceForce;
using test::FaceKind;
using test::Vec3;

constexpr double pi = std::numbers::pi;

FaceForce on(const std::vector<FaceForce>& forces, std::size_t face) {
  for (const FaceForce& one : forces)
    if (one.face == face) return one;
  ADD_FAILURE() << "no force on face " << face;
  return {};
}
Vec3 total(const FaceForce& f) {
  return {f.pressure[0] + f.viscous[0], f.pressure[1] + f.viscous[1], f.pressure[2] + f.viscous[2]};
}
void expect_near(const Vec3& got, const Vec3& expected, double error, const char* what) {
  for (std::size_t e = 0; e < 3; ++e)
    EXPECT_NEAR(got[e], expected[e], error) << what << " "
                                            << "xyz"[e];
}

// u = U z / h: the stress is U / (Re h), on points at any distances from the walls.
TEST(CavityForces, CouetteFlowPullsBothWalls) {
  test::TestContext context;
  for (const Clustering clustering : {Clustering::uniform, Clustering::tanh}) {
    CavityOptions o = test::channel({8, 5, 12}, {2, 0.7, 0.5}, 40);
    o.clustering = clustering;
    o.smallest = 0.02;
    o.faces[0] = o.faces[1] = {.kind = FaceKind::periodic};
    o.faces[5] = {.kind = FaceKind::moving, .motion = {.velocity = {0.8, -0.4, 0}}};
    cavity::Cavity solver(context, o);
    solver.start_from(test::flow_at_points(o, [](const Vec3& x) {
      return Vec3{1.6 * x[2], -0.8 * x[2], 0};
    }));
    solver.step();
    const std::vector<FaceForce> forces = solver.forces();
    ASSERT_EQ(forces.size(), 2u);
    const Vec3 drag{1.6 / 40 * 1.4, -0.8 / 40 * 1.4, 0};
    expect_near(on(forces, 4).viscous, drag, 1e-12, "wall");
    expect_near(on(forces, 5).viscous, {-drag[0], -drag[1], 0}, 1e-12, "lid");
    expect_near(on(forces, 5).pressure, {}, 1e-9, "pressure on the lid");
  }
}

// The drag of both walls is the drop of the pressure times the area.
TEST(CavityForces, PoiseuilleFlowDragsWhatThePressureDrives) {
  test::TestContext context;
  CavityOptions o = test::channel({10, 4, 11}, {2, 0.3, 1}, 2);
  o.faces[0] = {.kind = FaceKind::pressure, .pressure = 5 + 12 / o.reynolds * 2};
  o.faces[1] = {.kind = FaceKind::pressure, .pressure = 5};
  cavity::Cavity solver(context, o);
  test::run_until_steady(solver, 1e-8);
  const std::vector<FaceForce> forces = solver.forces();
  ASSERT_EQ(forces.size(), 2u);
  const double drop = 12 / o.reynolds * 2, area = 2 * 0.3;
  for (const std::size_t face : {4u, 5u}) {
    expect_near(on(forces, face).viscous, {drop * 0.3 / 2, 0, 0}, 1e-7, "drag");
    const double normal = (face == 4 ? -1 : 1) * (5 + drop / 2) * area;
    expect_near(on(forces, face).pressure, {0, 0, normal}, 1e-6, "pressure");
    // M = ∫ x × f: the drag acts at z = 0 and z = 1, the pressure falls along x.
    const double arm = 5 * 2 + drop * 2 / 3;  // ∫ p x dx
    const double z = face == 4 ? 0 : 1, side = face == 4 ? -1 : 1;
    const double y = 0.3 * (1 - 1.0 / 4) / 2;  // the middle of the points of a periodic axis
    const Vec3 moment{y * normal, z * drop * 0.3 / 2 - side * 0.3 * arm, -y * drop * 0.3 / 2};
    expect_near(on(forces, face).moment, moment, 2e-2 * std::abs(moment[1]), "moment");
    const Vec3 about{0.3, -2, 0.4}, shift = cavity::cross(about, total(on(forces, face)));
    const Vec3 here = on(forces, face).moment, there = on(solver.forces(about), face).moment;
    expect_near(there, {here[0] - shift[0], here[1] - shift[1], here[2] - shift[2]}, 1e-12, "shifted moment");
  }
}

// The torque of u = A r + B / r is 4 pi nu B on the cylinder outside and its opposite inside.
std::array<double, 2> torque_errors(Context& context, int intervals) {
  constexpr double inner = 1, outer = -0.2, depth = 0.5, twist = 0.5;
  CavityOptions o = test::between_cylinders({intervals + 1, 4 * intervals, 4}, inner, outer);
  o.reynolds = 5;
  o.pressure.tolerance = 1e-7;
  cavity::Cavity solver(context, o, test::points_of(test::Annulus{.twist = twist, .depth = depth}));
  while (solver.time() < 30 && solver.step().max_change > 1e-6) {
  }
  const double exact = 4 * pi / o.reynolds * (4 * (inner - outer) / 3) * depth;
  const std::vector<FaceForce> forces = solver.forces();
  expect_near(total(on(forces, 0)), {}, 1e-5, "force on the inner cylinder");
  return {on(forces, 0).moment[2] / exact + 1, on(forces, 1).moment[2] / exact - 1};
}

TEST(CavityForces, TorqueOfTaylorAndCouettesFlowAtSecondOrder) {
  test::TestContext context;
  const auto coarse = torque_errors(context, 8), fine = torque_errors(context, 16);
  for (std::size_t side = 0; side < 2; ++side) {
    if (context.rank() == 0)
      std::printf("%s cylinder: %.2e %.2e\n", side ? "outer" : "inner", coarse[side], fine[side]);
    EXPECT_GT(std::abs(coarse[side]), 3.2 * std::abs(fine[side])) << side;
    EXPECT_LT(std::abs(fine[side]), 3e-3) << side;
  }
}

/// The sum of the forces on all walls over the sum of their sizes.
double imbalance(Context& context, Clustering clustering, int points) {
  CavityOptions o;
  o.points = {points, points, points};
  o.reynolds = 10;
  o.clustering = clustering;
  o.smallest = 0.6 / (points - 1);
  o.skew = 0.1;
  o.dt = 2.5e-4;
  o.pressure.tolerance = 1e-7;
  cavity::Cavity solver(context, o);
  solver.start_from(test::flow_at_points(o, test::off_centre));
  for (int n = 0; n < 40; ++n) solver.step();
  Vec3 sum{};
  double size = 0;
  for (const FaceForce& force : solver.forces()) {
    const Vec3 all = total(force);
    for (std::size_t e = 0; e < 3; ++e) sum[e] += all[e];
    size += std::sqrt(cavity::dot(all, all));
  }
  return std::sqrt(cavity::dot(sum, sum)) / size;
}

// The momentum of a fluid in a closed box at rest is zero at all times, and so is the sum of the forces.
TEST(CavityForces, ForcesOnAClosedBoxCancelAtSecondOrder) {
  test::TestContext context;
  EXPECT_LT(imbalance(context, Clustering::tanh, 26), 5e-3);
  for (const Clustering clustering : {Clustering::uniform, Clustering::skewed}) {
    const double coarse = imbalance(context, clustering, 18), fine = imbalance(context, clustering, 35);
    if (context.rank() == 0) std::printf("closed box: %.2e, %.2e\n", coarse, fine);
    EXPECT_GT(coarse, 3.4 * fine) << int(clustering);
    EXPECT_LT(fine, 0.02) << int(clustering);
  }
}

// Of a plane without shear only the normal stress 2 nu dw/dz remains.
TEST(CavityForces, FacesOfSlipHaveNoShear) {
  test::TestContext context;
  CavityOptions o = test::channel({8, 5, 12}, {2, 0.7, 1}, 4);
  o.faces[0] = o.faces[1] = {.kind = FaceKind::periodic};
  o.faces[4] = o.faces[5] = {.kind = FaceKind::slip};
  cavity::Cavity solver(context, o);
  solver.start_from(test::flow_at_points(o, [](const Vec3& x) {
    return Vec3{1 + x[2], -x[2], x[2] * (1 - x[2])};
  }));
  for (const FaceForce& force : solver.forces()) {
    expect_near(force.viscous, {0, 0, 2.0 / 4 * 1.4}, 1e-12, "slip");
    expect_near(force.pressure, {}, 0, "pressure");
  }
}

// At rest under a given pressure, on the part of a face that an inflow leaves as a wall.
TEST(CavityForces, TheWallBesideAnInflowIsPushed) {
  test::TestContext context;
  CavityOptions o = test::channel({10, 4, 12}, {2, 0.3, 1}, 1);
  o.faces[0].inflow = {.velocity = {1e-9, 0, 0}, .from = {0, 0, 0.5}};
  o.faces[1] = {.kind = FaceKind::pressure, .pressure = 3};
  cavity::Cavity solver(context, o);
  for (int n = 0; n < 3; ++n) solver.step();
  const std::vector<FaceForce> forces = solver.forces();
  ASSERT_EQ(forces.size(), 3u);
  expect_near(on(forces, 0).pressure, {-3 * 0.5 * 0.3, 0, 0}, 1e-5, "beside the inflow");
  o.faces[0].inflow.from = {};
  EXPECT_EQ(cavity::Cavity(context, o).forces().size(), 2u);
}

}  // namespace
