// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// optimise: no
// Cavity flows that start from a flow on another grid: finer, coarser, with another clustering, periodic.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/grid/cells.hpp"
#include "engine/move/output/gather.hpp"
#include "solvers/cavity/solver.hpp"
#include "tests/mpi/annulus.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace {

using namespace sc;
using cavity::CavityOptions;
using cavity::Clustering;
using cavity::FaceKind;
using cavity::OtherFlow;
using cavity::Vec3;

Vec3 flow_at(const Vec3& x) {
  return {std::sin(2 * x[0]) * std::cos(1.5 * x[1]) + x[2] * x[2], std::cos(x[0] * x[1]) - x[2],
          std::exp(x[0]) * x[2] - std::cos(3 * x[1])};
}
double pressure_at(const Vec3& x) { return std::sin(x[0] + 2 * x[1] - x[2]); }

/// The points of a snapshot: x by index from 0.
using PlaceOf = std::function<Vec3(Int3)>;

OtherFlow known_flow(Int3 points, const PlaceOf& place) {
  const auto values = [place](int components, const auto& f) {
    return [place, components, f](const Box& box) {
      cavity::BoxValues all;
      for (int e = 0; e < components; ++e) each_cell(box, [&](Int3 c) { all.push_back(f(place(c), e)); });
      return all;
    };
  };
  return {"the other flow", points, values(3, [](const Vec3& x, int e) { return x[std::size_t(e)]; }),
          values(3, [](const Vec3& x, int e) { return flow_at(x)[std::size_t(e)]; }),
          values(1, [](const Vec3& x, int) { return pressure_at(x); })};
}

CavityOptions box_options(Int3 points, Clustering clustering) {
  CavityOptions o;
  o.points = points;
  o.clustering = clustering;
  o.smallest = 0.5 / (std::max({points.x, points.y, points.z}) - 1);
  o.skew = 0.08;
  o.faces[5] = {FaceKind::moving, {.velocity = {1, 0, 0}}};
  return o;
}

OtherFlow on_box(Int3 points, Clustering clustering) {
  const cavity::Points at = cavity::analytic_points(box_options(points, clustering));
  return known_flow(points, [at](Int3 c) { return at(c - Int3{1, 1, 1}); });
}

struct Largest {
  double velocity = 0, iterate = 0;
};

/// The largest errors over all own points of this rank.
Largest errors(cavity::Cavity& solver) {
  Largest worst;
  const auto& x = static_cast<Field<double, 3>&>(solver.coordinates());
  const auto& V = static_cast<Field<double, 3>&>(solver.velocity());
  const auto& p = static_cast<Field<double>&>(solver.iterate());
  each_cell(solver.grid().own(), [&](Int3 c) {
    const Vec3 here{x.get(c, 0), x.get(c, 1), x.get(c, 2)}, expected = flow_at(here);
    for (int e = 0; e < 3; ++e)
      worst.velocity = std::max(worst.velocity, std::abs(V.get(c, e) - expected[std::size_t(e)]));
    worst.iterate = std::max(worst.iterate, std::abs(p.get(c) - pressure_at(here)));
  });
  return worst;
}

TEST(CavityStart, IsOfFourthOrderFromAnyGridToAnyOther) {
  test::TestContext context;
  const Int3 coarse{12, 14, 13}, fine{24, 28, 26}, mine{17, 19, 18};
  for (const Clustering from : {Clustering::uniform, Clustering::tanh, Clustering::skewed})
    for (const Clustering to : {Clustering::uniform, Clustering::tanh, Clustering::skewed}) {
      SCOPED_TRACE(testing::Message() << int(from) << " to " << int(to));
      cavity::Cavity solver(context, box_options(mine, to));
      solver.start_from(on_box(coarse, from));
      const Largest a = errors(solver);
      solver.start_from(on_box(fine, from));
      const Largest b = errors(solver);
      EXPECT_LT(b.velocity, 5e-4);
      EXPECT_GT(a.velocity, 8 * b.velocity);
      EXPECT_GT(a.iterate, 8 * b.iterate);
      EXPECT_EQ(solver.time(), 0);
      EXPECT_EQ(solver.steps(), 0);
      EXPECT_FALSE(solver.step().capped);
    }
}

TEST(CavityStart, OnTheSamePointsChangesNothing) {
  test::TestContext context;
  for (const Clustering clustering : {Clustering::tanh, Clustering::skewed}) {
    cavity::Cavity solver(context, box_options({14, 13, 15}, clustering));
    solver.start_from(on_box({14, 13, 15}, clustering));
    EXPECT_LT(errors(solver).velocity, 1e-9);
  }
}

TEST(CavityStart, GoesRoundAnAnnulusAndAcrossAPeriod) {
  test::TestContext context;
  const auto other = [](Int3 n, double twist) {  // n: points along the radius, cells along the others
    return known_flow(n, [n, map = test::Annulus{.twist = twist}](Int3 c) {
      return map({double(c.x) / (n.x - 1), double(c.y) / n.y, double(c.z) / n.z});
    });
  };
  const CavityOptions o = test::between_cylinders({15, 40, 6}, 1, 0.2);
  const auto error = [&](Int3 n, double twist) {
    cavity::Cavity solver(context, o, test::points_of(test::Annulus{.twist = 0.7}));
    OtherFlow flow = other(n, twist);
    const auto coordinates = flow.coordinates;
    // A velocity that continues along z by the period.
    flow.velocity = [coordinates](const Box& box) {
      cavity::BoxValues x = coordinates(box), V = x;
      const std::size_t count = x.size() / 3;
      for (std::size_t i = 0; i < count; ++i) V[i] += std::cos(2 * std::numbers::pi * x[2 * count + i]);
      return V;
    };
    solver.start_from(flow);
    double worst = 0;
    const auto& x = static_cast<Field<double, 3>&>(solver.coordinates());
    const auto& V = static_cast<Field<double, 3>&>(solver.velocity());
    each_cell(solver.grid().own(), [&](Int3 c) {
      const double u = x.get(c, 0) + std::cos(2 * std::numbers::pi * x.get(c, 2));
      worst = std::max({worst, std::abs(V.get(c, 0) - u), std::abs(V.get(c, 1) - x.get(c, 1))});
    });
    return worst;
  };
  for (const double twist : {0.0, -0.5}) {
    const double coarse = error({9, 32, 8}, twist), fine = error({17, 64, 16}, twist);
    EXPECT_LT(fine, 2e-3) << twist;
    EXPECT_GT(coarse, 8 * fine) << twist;
  }
}

TEST(CavityStart, LeavesTheSameBits) {
  const CavityOptions options = box_options({22, 21, 24}, Clustering::skewed);
  const auto flow = [&](Context& context, Int3 split) {
    CavityOptions o = options;
    o.split = split;
    cavity::Cavity solver(context, o);
    solver.start_from(on_box({40, 38, 36}, Clustering::tanh));
    for (int n = 0; n < 2; ++n) solver.step();
    return std::pair(gather(solver.velocity().storage(0)), gather(solver.pressure().storage(0)));
  };
  const auto expected = test::on_one_rank([&](Context& one) { return flow(one, {1, 1, 1}); });
  test::TestContext context;
  const int n = context.size();
  for (const Int3 split : {Int3{n, 1, 1}, Int3{1, n, 1}, Int3{1, 1, n}}) {
    const auto got = flow(context, split);
    if (context.rank() == 0) {
      EXPECT_TRUE(got == expected) << to_string(split);
    }
  }
}

TEST(CavityStart, ReadsWhatARankNeeds) {
  test::TestContext context;
  CavityOptions o = box_options({10, 10, 30}, Clustering::tanh);
  o.smallest = 0.03;
  o.split = {1, 1, context.size()};
  cavity::Cavity solver(context, o);
  OtherFlow other = on_box({10, 10, 90}, Clustering::uniform);
  std::int64_t read = 0;
  other.velocity = [&, velocity = other.velocity](const Box& box) {
    read = box.cells();
    return velocity(box);
  };
  solver.start_from(other);
  EXPECT_LT(errors(solver).velocity, 5e-3);
  if (context.size() == 4) {
    EXPECT_LT(read, 10 * 10 * 90 * 7 / 10);
  }
}

std::string refusal(Context& context, const CavityOptions& o, const OtherFlow& other) {
  cavity::Cavity solver(context, o);
  return test::refusal([&] { solver.start_from(other); });
}

TEST(CavityStart, RefusesAFlowThatLeavesPointsOut) {
  test::TestContext context;
  const CavityOptions o = box_options({12, 12, 16}, Clustering::uniform);
  const OtherFlow half = known_flow({9, 9, 9}, [](Int3 c) { return Vec3{c.x / 16.0, c.y / 8.0, c.z / 8.0}; });
  EXPECT_EQ(refusal(context, o, half).find("the other flow does not reach the point (0.5"), 0);
  // A run that is periodic along y has no points on the wall y = 1.
  const OtherFlow open = known_flow({9, 8, 9}, [](Int3 c) { return Vec3{c.x / 8.0, c.y / 8.0, c.z / 8.0}; });
  EXPECT_EQ(refusal(context, o, open).find("the other flow does not reach the point (0.0909"), 0);
  CavityOptions closed = o;
  closed.faces[2].kind = closed.faces[3].kind = FaceKind::periodic;
  const OtherFlow walls = known_flow({9, 9, 9}, [](Int3 c) { return Vec3{c.x / 8.0, c.y / 8.0, c.z / 8.0}; });
  EXPECT_EQ(refusal(context, closed, walls), "the other flow has walls along y, where this run is periodic");
  EXPECT_EQ(refusal(context, closed, open), "accepted");
  const OtherFlow thin = known_flow({9, 3, 9}, [](Int3 c) { return Vec3{c.x / 8.0, c.y / 2.0, c.z / 8.0}; });
  EXPECT_NE(refusal(context, o, thin).find("every axis needs at least 4"), std::string::npos);
}

}  // namespace
