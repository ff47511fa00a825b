// SPDX-License-Identifier: Apache-2.0
// ranks: 1
// timeout: 400
// optimise: no
// Arms follow the crystal's anisotropy, not the grid: without anisotropy the crystal remains round, and a
// rotated crystal grows as the rotated image of an unrotated one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <numbers>

#include "engine/move/output/gather.hpp"
#include "solvers/dendrite/solver.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;
using dendrite::DendriteOptions;
using dendrite::FaceKind;
using std::numbers::pi;

/// phi of the whole domain, on rank 0.
struct Picture {
  explicit Picture(dendrite::Dendrite& solver) : n(solver.grid().cells()) {
    const std::vector<std::byte> bytes = gather(solver.phase().storage(0));
    phi.resize(bytes.size() / sizeof(float));
    if (!bytes.empty()) std::memcpy(phi.data(), bytes.data(), bytes.size());
  }
  /// Distance from `centre` (in cells) in a direction to the last point with phi = 1/2.
  double radius(std::array<double, 3> centre, std::array<double, 3> to) const {
    const double l = std::sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
    double last = 0, before = 1;
    for (double s = 0;; s += 0.1) {
      std::array<double, 3> p;
      for (std::size_t a = 0; a < 3; ++a) p[a] = centre[a] + s * to[a] / l - 0.5;
      for (int a = 0; a < 3; ++a)
        if (p[std::size_t(a)] < -0.5 || p[std::size_t(a)] > n[a] - 1) return last;
      const double here = at(p);
      if (before >= 0.5 && here < 0.5) last = s - 0.1 * (0.5 - here) / (before - here);
      before = here;
    }
  }

 private:
  double at(std::array<double, 3> p) const {
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      std::array<int, 3> c;
      double weight = 1;
      for (std::size_t a = 0; a < 3; ++a) {
        const int low = int(std::floor(p[a])), up = corner >> a & 1;
        weight *= up ? p[a] - low : 1 - (p[a] - low);
        c[a] = std::clamp(low + up, 0, n[int(a)] - 1);
      }
      sum +=
          weight * double(phi[(std::size_t(c[2]) * std::size_t(n.y) + std::size_t(c[1])) * std::size_t(n.x) +
                              std::size_t(c[0])]);
    }
    return sum;
  }
  Int3 n;
  std::vector<float> phi;
};

TEST(DendriteShape, WithoutAnisotropyTheCrystalStaysRound) {
  test::TestContext context;
  DendriteOptions o;
  o.cells = {48, 48, 48};
  o.faces.fill(FaceKind::insulated);
  o.faces[0] = o.faces[2] = o.faces[4] = FaceKind::symmetry;
  o.material.anisotropy = 0;
  o.material.noise = 0;
  o.seeds = {{.centre = {0, 0, 0}, .radius = 8 * o.spacing}};
  auto solver = std::make_unique<dendrite::Dendrite>(context, o);
  while (solver->arms()[0] < 28 * o.spacing)
    for (int n = 0; n < 50; ++n) solver->step();
  const Picture picture(*solver);
  if (context.rank() != 0) return;
  double low = 1e9, high = 0, sum = 0;
  int count = 0;
  for (double theta = 0; theta < pi / 2; theta += pi / 40)
    for (double azimuth = 0; azimuth < pi / 2; azimuth += pi / 40) {
      const double r = picture.radius({0, 0, 0}, {std::sin(theta) * std::cos(azimuth),
                                                  std::sin(theta) * std::sin(azimuth), std::cos(theta)});
      low = std::min(low, r);
      high = std::max(high, r);
      sum += r;
      ++count;
    }
  std::printf("radius from %.3f to %.3f cells, step %lld\n", low, high,
              static_cast<long long>(solver->clock().steps));
  const double mean = sum / count;
  EXPECT_LT(high, 1.01 * mean);
  EXPECT_GT(low, 0.99 * mean);
}

TEST(DendriteShape, ATurnedCrystalGrowsAlongItsOwnAxes) {
  test::TestContext context;
  std::array<double, 2> along{}, between{}, arms{};
  for (int rotated = 0; rotated < 2; ++rotated) {
    DendriteOptions o;
    o.cells = {64, 64, 32};
    o.faces.fill(FaceKind::insulated);
    o.material.noise = 0;
    const double middle = 32 * o.spacing;
    o.seeds = {{.centre = {middle, middle, 0.5 * middle}, .radius = 6 * o.spacing}};
    if (rotated) o.seeds[0].angle = pi / 4;
    auto solver = std::make_unique<dendrite::Dendrite>(context, o);
    for (int n = 0; n < 1500; ++n) solver->step();
    const std::array<double, 6> lengths = solver->arms();
    arms[std::size_t(rotated)] = lengths[0] / o.spacing;
    EXPECT_NEAR(lengths[0], lengths[1], 0.01 * lengths[0]);
    EXPECT_NEAR(lengths[0], lengths[2], 0.01 * lengths[0]);
    const Picture picture(*solver);
    if (context.rank() != 0) continue;
    const std::array<double, 3> centre = {32, 32, 16}, grid = {1, 0, 0}, diagonal = {1, 1, 0};
    along[std::size_t(rotated)] = picture.radius(centre, rotated ? diagonal : grid);
    between[std::size_t(rotated)] = picture.radius(centre, rotated ? grid : diagonal);
  }
  if (context.rank() != 0) return;
  for (const std::size_t rotated : {0, 1}) {
    std::printf("%s: %.2f cells along its axes (arms() says %.2f), %.2f between them\n",
                rotated ? "rotated" : "not rotated", along[rotated], arms[rotated], between[rotated]);
    EXPECT_GT(along[rotated], 1.05 * between[rotated]);
    EXPECT_NEAR(arms[rotated], along[rotated], 0.1);
  }
  EXPECT_NEAR(along[1] / along[0], 1, 0.05);
}

}  // namespace
