// SPDX-License-Identifier: Apache-2.0
// Runs of the MHD solver for tests, on any backend: all values of both sets on rank 0, and the measurements,
// compared bit by bit.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "engine/move/gather.hpp"
#include "solvers/magnetosphere/solver.hpp"
#include "tests/mpi/backends.hpp"

namespace sc::test {

using magnetosphere::Magnetosphere;
using magnetosphere::MagnetosphereOptions;
using magnetosphere::Plasma;

/// Test suites that run on every backend.
class PlasmaOn : public OnBackend {
 protected:
  /// Opens the backend's device in the context; returns a solver with its fields there.
  std::unique_ptr<Magnetosphere> make(Context& context, MagnetosphereOptions options) {
    if (!context.device()) open(context, GetParam());
    options.space = space_of(GetParam());
    return std::make_unique<Magnetosphere>(context, options);
  }
};

inline std::vector<double> gathered(AnyField& field) {
  const std::vector<std::byte> bytes = gather(field.storage(0));
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

inline std::vector<double> all_of(Plasma& q) {
  std::vector<double> all;
  for (AnyField* field : std::initializer_list<AnyField*>{&q.rho, &q.v, &q.p, &q.B}) {
    const std::vector<double> part = gathered(*field);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

struct Outcome {
  std::vector<double> nodes, centres, axis;
  Magnetosphere::Clock clock;
  magnetosphere::Measures measures;
  double wave_error = 0;  ///< after Initial::linear_wave
};

/// All numbers of the axis.
inline std::vector<double> numbers_of(const std::vector<magnetosphere::AxisPoint>& axis) {
  std::vector<double> all;
  for (const magnetosphere::AxisPoint& p : axis) {
    all.insert(all.end(), {p.x, p.state.rho, p.state.p, p.current});
    all.insert(all.end(), p.state.v.begin(), p.state.v.end());
    all.insert(all.end(), p.state.B.begin(), p.state.B.end());
  }
  return all;
}

inline Outcome run(Context& context, const MagnetosphereOptions& options, int steps,
                   const std::function<void(Magnetosphere&)>& start = {}) {
  auto solver = std::make_unique<Magnetosphere>(context, options);
  if (start) start(*solver);
  for (int n = 0; n < steps; ++n) solver->step();
  Outcome r;
  r.clock = solver->clock();
  r.measures = solver->measure();
  r.nodes = all_of(solver->nodes());
  r.centres = all_of(solver->centres());
  r.axis = numbers_of(solver->axis());
  if (options.initial == magnetosphere::Initial::linear_wave) r.wave_error = solver->wave_error();
  context.barrier();
  return r;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

inline void expect_same(Context& context, const Outcome& got, const Outcome& expected,
                        const std::string& how) {
  EXPECT_EQ(got.clock.dt, expected.clock.dt) << how;
  EXPECT_EQ(got.clock.floors, expected.clock.floors) << how;
  EXPECT_EQ(got.measures.energy, expected.measures.energy) << how;
  EXPECT_EQ(got.measures.divergence, expected.measures.divergence) << how;
  EXPECT_EQ(got.wave_error, expected.wave_error) << how;
  if (context.rank() != 0) return;
  EXPECT_TRUE(same_bits(got.nodes, expected.nodes)) << how;
  EXPECT_TRUE(same_bits(got.centres, expected.centres)) << how;
  EXPECT_TRUE(same_bits(got.axis, expected.axis)) << how;
}

}  // namespace sc::test
