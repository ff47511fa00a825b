// SPDX-License-Identifier: Apache-2.0
// Two small crystals, after several steps, for tests of the dendrite's bits.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/move/output/gather.hpp"
#include "solvers/dendrite/solver.hpp"
#include "tests/refusal.hpp"

namespace sc::test {

/// Spacing, m.
constexpr double h = 0.02e-6;

/// Two crystals that touch, one of them optionally rotated; periodic along y, a mirror at x-.
inline dendrite::DendriteOptions two_crystals(Int3 cells, bool single, bool noisy, bool rotated) {
  using dendrite::FaceKind;
  dendrite::DendriteOptions o;
  o.cells = cells;
  o.single = single;
  o.faces = {FaceKind::insulated, FaceKind::insulated, FaceKind::periodic,
             FaceKind::periodic,  FaceKind::insulated, FaceKind::insulated};
  if (!rotated) o.faces[0] = FaceKind::symmetry;
  if (!noisy) o.material.noise = 0;
  o.seeds = {{.centre = {3.2 * h, 5 * h, 6 * h}, .radius = 4 * h},
             {.centre = {12 * h, 1 * h, 8.3 * h}, .radius = 3 * h}};
  if (rotated) o.seeds[1].axis = {1, 2, 0.5}, o.seeds[1].angle = 0.6;
  o.noise_seed = 77;
  return o;
}

/// The same crystals with the model of Karma and Rappel, of which the second is rotated or none.
inline dendrite::DendriteOptions karma_rappel_crystals(Int3 cells, bool single, bool rotated) {
  dendrite::DendriteOptions o = two_crystals(cells, single, false, rotated);
  o.karma_rappel.emplace();
  o.temperature = -0.4;
  o.spacing = 0.8;
  for (dendrite::Seed& seed : o.seeds) {
    for (double& place : seed.centre) place *= o.spacing / h;
    seed.radius *= o.spacing / h;
  }
  return o;
}

/// What must leave the same bits however it is computed: both precisions, with and without rotated crystals,
/// and the other model.
inline std::vector<dendrite::DendriteOptions> crystals_of_all_kinds(Int3 cells) {
  return {two_crystals(cells, true, true, false),    two_crystals(cells, true, true, true),
          two_crystals(cells, false, true, false),   two_crystals(cells, false, true, true),
          karma_rappel_crystals(cells, true, false), karma_rappel_crystals(cells, false, true)};
}
inline std::string kind_of(const dendrite::DendriteOptions& o) {
  return std::string(o.single ? " single" : " double") + (o.rotated() ? " rotated" : "") +
         (o.karma_rappel ? " Karma and Rappel" : "");
}

struct Outcome {
  std::vector<std::byte> phi, theta;
  dendrite::Measures measures;
  std::int64_t passes = 0;
};
inline Outcome run(Context& context, const dendrite::DendriteOptions& options, int steps) {
  auto solver = std::make_unique<dendrite::Dendrite>(context, options);
  solver->steps(steps);
  Outcome r{gather(solver->phase().storage(0)), gather(solver->heat().storage(0)), solver->measure(),
            solver->runner().passes().passes};
  context.barrier();
  return r;
}
/// What is said where no step is possible.
inline std::string refused(Context& context, const dendrite::DendriteOptions& options) {
  return refusal([&] { dendrite::Dendrite(context, options).step(); });
}
/// The same bits on rank 0, which has all cells, and the same measures on every rank.
inline void expect_same(const Context& context, const Outcome& got, const Outcome& expected,
                        const std::string& how) {
  EXPECT_EQ(got.measures.total, expected.measures.total) << how;
  EXPECT_EQ(got.measures.phi_high, expected.measures.phi_high) << how;
  EXPECT_EQ(got.measures.tip, expected.measures.tip) << how;
  EXPECT_EQ(got.measures.free_energy, expected.measures.free_energy) << how;
  if (context.rank() != 0) return;
  EXPECT_TRUE(got.phi == expected.phi && got.theta == expected.theta) << how;
}

}  // namespace sc::test
