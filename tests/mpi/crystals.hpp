// SPDX-License-Identifier: Apache-2.0
// Two small crystals, after several steps, for tests of the dendrite's bits.
#pragma once

#include <vector>

#include "engine/move/gather.hpp"
#include "solvers/dendrite/solver.hpp"

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
inline bool same(const Outcome& a, const Outcome& b) { return a.phi == b.phi && a.theta == b.theta; }

}  // namespace sc::test
