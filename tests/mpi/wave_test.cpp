// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// threads: 2
// timeout: 300
// optimise: no
// label: checked
// Sound in a box against d'Alembert's solution with mirror images, conservation of energy, and equal bits for
// all strategies, splits, lengths of passes and devices.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "engine/move/output/gather.hpp"
#include "solvers/wave/wave.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace {

using namespace sc;
using wave::FaceKind;
using wave::Wave;
using wave::WaveOptions;

/// A room of 1 m with a rigid wall at x = 0 and a soft one at z = 1; the pulse is closest to these two.
WaveOptions room(int n) {
  WaveOptions o;
  o.cells = {n, n, n};
  o.spacing = 1.0 / n;
  o.speed = 1;
  o.faces.fill(FaceKind::rigid);
  o.faces[5] = FaceKind::soft;
  o.centre = {0.3, 0.5, 0.7};
  o.width = 0.1;
  return o;
}

/// A spherically symmetric pulse, initially at rest: ((r - t) f(r - t) + (r + t) f(r + t)) / (2 r).
double pulse(double r, double t, double width) {
  const auto f = [&](double s) { return s * std::exp(-s * s / (width * width)); };
  return (f(r - t) + f(r + t)) / (2 * r);
}

/// In the room, until sound has crossed it: the pulse and its images behind all walls, edges and corners.
double exact(const WaveOptions& o, double x, double y, double z, double t) {
  double sum = 0;
  for (const double cx : {o.centre[0], -o.centre[0], 2 - o.centre[0]})
    for (const double cy : {o.centre[1], -o.centre[1], 2 - o.centre[1]})
      for (const auto& [cz, sign] :
           {std::pair{o.centre[2], 1.0}, std::pair{-o.centre[2], 1.0}, std::pair{2 - o.centre[2], -1.0}})
        sum += sign * pulse(std::hypot(x - cx, y - cy, z - cz), t, o.width);
  return sum;
}

/// Root mean square error at time 0.4, after the echoes of the two closer walls have returned.
double error_on(Context& context, int n) {
  WaveOptions o = room(n);
  const int steps = 3 * n * n / 100;  // dt as h^2, to measure the order in space
  o.dt = 0.4 / steps;
  Wave sound(context, o);
  sound.steps(steps);
  const std::vector<std::byte> bytes = gather(sound.pressure().storage(0));
  if (context.rank() != 0) return 0;
  const auto* p = reinterpret_cast<const double*>(bytes.data());
  double sum = 0;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const double e = *p++ - exact(o, (x + 0.5) / n, (y + 0.5) / n, (z + 0.5) / n, 0.4);
        sum += e * e;
      }
  return std::sqrt(sum / (double(n) * n * n));
}

TEST(Wave, EchoesAreThoseOfTheImagesToFourthOrder) {
  test::TestContext context;
  const double coarse = error_on(context, 40), fine = error_on(context, 80);
  if (context.rank() != 0) return;
  EXPECT_LT(fine, 3e-4);
  EXPECT_GT(std::log2(coarse / fine), 3.7);
}

TEST(Wave, EnergyStays) {
  test::TestContext context;
  for (const bool soft : {false, true}) {
    WaveOptions o = room(24);
    if (soft) o.faces.fill(FaceKind::soft);
    if (!soft) o.faces[2] = o.faces[3] = FaceKind::periodic;
    Wave sound(context, o);
    sound.step();
    const double before = sound.measure().energy;
    sound.steps(300);
    const wave::Measures after = sound.measure();
    EXPECT_GT(before, 0);
    EXPECT_NEAR(after.energy / before, 1, 1e-12);
    EXPECT_LT(after.low, 0);
    EXPECT_EQ(sound.clock().steps, 301);
  }
}

TEST(Wave, APulseAtAPeriodicFaceBeginsOnBothSides) {
  test::TestContext context;
  WaveOptions o = room(20);
  o.faces.fill(FaceKind::rigid);
  o.faces[2] = o.faces[3] = FaceKind::periodic;
  o.centre = {0.525, 0.0, 0.525};  // y = 0 lies between the rows 19 and 0
  Wave sound(context, o);
  const std::vector<std::byte> bytes = gather(sound.pressure().storage(0));
  if (context.rank() != 0) return;
  const auto* p = reinterpret_cast<const double*>(bytes.data());
  for (int y = 0; y < 10; ++y) {
    const double wanted = std::exp(-std::pow((y + 0.5) / 20 / o.width, 2));
    EXPECT_NEAR(p[(10 * 20 + y) * 20 + 10], wanted, 1e-12);
    EXPECT_NEAR(p[(10 * 20 + 19 - y) * 20 + 10], wanted, 1e-12);
  }
}

TEST(Wave, ALostStateIsSaidWithItsStep) {
  test::TestContext context;
  Wave sound(context, room(12));
  static_cast<Field<double>&>(sound.pressure()).fill([](int x, int, int) {
    return x == 7 ? std::numeric_limits<double>::quiet_NaN() : 0;
  });
  sound.steps(2);
  EXPECT_NE(test::refusal([&] { sound.measure(); }, Exit::diverged).find("after step 2"), std::string::npos);
}

std::vector<std::byte> state(Context& context, const WaveOptions& options) {
  Wave sound(context, options);
  sound.steps(13);
  return gather(sound.pressure().storage(0));
}

TEST(Wave, BitsAreThoseOfOneOrderEverywhere) {
  const std::vector<std::byte> reference[2] = {[] {
                                                 test::TestContext context;
                                                 WaveOptions o = room(23);
                                                 o.engine.strategy = Strategy::blocking;
                                                 return state(context, o);
                                               }(),
                                               [] {
                                                 test::TestContext context;
                                                 WaveOptions o = room(23);
                                                 o.single = true;
                                                 o.engine.strategy = Strategy::blocking;
                                                 return state(context, o);
                                               }()};
  test::TestContext context({.threads = 2});
  const int n = context.size();
  std::size_t turn = 0;
  for (const bool single : {false, true})
    for (const Strategy* strategy : Strategy::all())
      for (const Int3 split : {Int3{n, 1, 1}, Int3{1, n, 1}, Int3{1, 1, n}})
        for (const bool passes : {false, true}) {
          WaveOptions o = room(23);
          const int longest = passes ? std::array{3, 5, 8, 2}[turn++ % 4] : 1;
          const int length = std::min(longest, 23 / n / 2);  // a step reads 2 cells
          o.single = single;
          o.split = split;
          o.engine.strategy = *strategy;
          o.engine.steps_per_pass = length;
          EXPECT_EQ(state(context, o), reference[single])
              << strategy->name << ' ' << to_string(split) << ' ' << length;
        }
}

TEST(Wave, WhatCannotBeRunIsRefused) {
  test::TestContext context;
  WaveOptions o = room(12);
  o.dt = wave::largest_step(o);
  EXPECT_THROW(Wave(context, o), Error);
  o = room(12);
  o.width = 0;
  EXPECT_THROW(Wave(context, o), Error);
  o = room(12);
  o.cells.z = 1;
  EXPECT_EQ(test::refusal([&] { wave::check(o); }),
            "grid.cells is [12, 12, 1]; every axis needs 2 or more, because the equation reads so far");
  o = room(12);
  o.faces[2] = wave::FaceKind::periodic;
  o.faces[3] = wave::FaceKind::rigid;
  EXPECT_THROW(Wave(context, o), Error);
}

}  // namespace
