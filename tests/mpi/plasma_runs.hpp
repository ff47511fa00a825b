// SPDX-License-Identifier: Apache-2.0
// Runs of the MHD solver for tests, on any backend: all values of both sets on rank 0, and the measurements,
// compared bit by bit.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "solvers/magnetosphere/solver.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/mpi/whole_field.hpp"

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

inline std::vector<double> all_of(Plasma& q) {
  std::vector<double> all;
  for (AnyField* field : std::initializer_list<AnyField*>{&q.rho, &q.v, &q.p, &q.B}) {
    const std::vector<double> part = on_root(*field);
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

inline Outcome outcome_of(Context& context, Magnetosphere& solver) {
  Outcome r;
  r.clock = solver.clock();
  r.measures = solver.measure();
  r.nodes = all_of(solver.nodes());
  r.centres = all_of(solver.centres());
  r.axis = numbers_of(solver.axis());
  if (solver.options().initial == magnetosphere::Initial::linear_wave) r.wave_error = solver.wave_error();
  context.barrier();
  return r;
}
inline Outcome run(Context& context, const MagnetosphereOptions& options, int steps,
                   const std::function<void(Magnetosphere&)>& start = {}) {
  auto solver = std::make_unique<Magnetosphere>(context, options);
  if (start) start(*solver);
  for (int n = 0; n < steps; ++n) solver->step();
  return outcome_of(context, *solver);
}

/// Copies what a checkpoint holds: own cells of both sets, and the clock.
inline void copy(Magnetosphere& from, Magnetosphere& to) {
  const Int3 origin = from.grid().global_box().lo;
  const auto set = [&](Plasma& a, Plasma& b) {
    const auto at = [&](int x, int y, int z) { return Int3{x, y, z} - origin; };
    b.rho.fill([&](int x, int y, int z) { return a.rho.get(at(x, y, z)); });
    b.v.fill([&](int k, int x, int y, int z) { return a.v.get(at(x, y, z), k); });
    b.p.fill([&](int x, int y, int z) { return a.p.get(at(x, y, z)); });
    b.B.fill([&](int k, int x, int y, int z) { return a.B.get(at(x, y, z), k); });
  };
  set(from.nodes(), to.nodes());
  set(from.centres(), to.centres());
  to.clock() = from.clock();
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

/// A quarter of the Earth on few nodes, with all kinds of faces but periodic ones.
inline MagnetosphereOptions small_earth() {
  using magnetosphere::FaceKind;
  MagnetosphereOptions o;
  o.cells = {23, 11, 12};
  o.low = {-22, 0, 0};
  o.spacing = 2;
  o.faces = {FaceKind::wind,    FaceKind::free,    FaceKind::mirror,
             FaceKind::oblique, FaceKind::equator, FaceKind::oblique};
  o.initial = magnetosphere::Initial::planet;
  o.planet = magnetosphere::PlanetOptions{};
  o.planet->mirror = -15;
  o.wind = {.rho = 5e-4, .v = {0.044, 0, 0}, .p = 3.56e-8, .B = {0, 0, 1.5e-4}};
  o.diffusion = {
      .density = 5e-3, .pressure = 5e-3, .viscosity = 2.5e-6, .resistivity = 1e-3, .smoothing = 0.01};
  o.density_floor = 2e-4;  // so high that some points reach it within the few steps of these tests
  o.pressure_floor = 3.5e-8;
  return o;
}

/// The same quarter turned about x: its mirrors are the high faces.
inline MagnetosphereOptions high_earth() {
  MagnetosphereOptions o = small_earth();
  o.low = {-22, -20, -22};
  std::swap(o.faces[2], o.faces[3]);
  std::swap(o.faces[4], o.faces[5]);
  return o;
}

/// A run from `start`, or from the initial state of the options.
struct Kind {
  const char* name;
  MagnetosphereOptions options;
  std::function<void(Magnetosphere&)> start;
};
/// Under every strategy and split of the context's ranks, `options` give the result of one rank.
inline void expect_same_bits(Context& context, const Kind& kind, MagnetosphereOptions options,
                             const Outcome& expected, int steps) {
  for (const Int3 split : splits(context.size()))
    for (const Strategy& strategy : all_strategies(context)) {
      options.split = split;
      options.engine.strategy = strategy;
      options.engine.poke_seconds = 1e-6;
      expect_same(context, run(context, options, steps, kind.start), expected,
                  std::string(kind.name) + " " + std::string(strategy.name) + " " + to_string(split));
    }
}

}  // namespace sc::test
