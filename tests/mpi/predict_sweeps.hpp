// SPDX-License-Identifier: Apache-2.0
// A rehearsed stencil, and a machine with a network, for the tests of predictions.
#pragma once

#include "model/predict/forecast.hpp"
#include "tests/mpi/rehearsals.hpp"

namespace sc::test {

using model::Forecast;
using model::Machine;

inline constexpr Int3 cells{64, 32, 64};
inline constexpr double own_cells = 64 * 32 * 16, own_rows = 32 * 16;
inline constexpr double shell_cells = 2 * 64 * 32, shell_rows = 2 * 32;
inline constexpr double message = 64 * 32 * 8;  // bytes of a plane, which is one piece

/// Runs `sweeps` of the stencil, recorded after the readers are known.
template <class Note>
void sweep_over(Context& context, const Grid& grid, const Strategy& strategy, int sweeps, const Note& note) {
  Field<double> T(grid, "T", {.levels = 2});
  for (int side = 0; side < 2; ++side)
    if (!grid.periodic()[2]) boundary(T, {2, side}, Mirrored<double>{});
  Runner runner(context, {.strategy = strategy});
  auto mean = mean_of(T);
  const auto step = [&] {
    for (int s = 0; s < sweeps; ++s) {
      runner.run(mean);
      T.advance();
    }
  };
  step();
  step();
  note(step);
}

/// A rank of four along z, each on its own node; `sweeps` of the stencil.
inline Rehearsal rehearse(const Strategy& strategy, int sweeps = 1, int ranks_per_node = 1) {
  return rehearsed({1, 4, ranks_per_node}, [&](Context& context, const auto& note) {
    const Grid grid(context, {.cells = cells, .periodic = {true, true, true}, .halo = 1, .split = {1, 1, 4}});
    sweep_over(context, grid, strategy, sweeps, note);
  });
}

inline Machine wires() {
  Machine m;
  m.rates["mean"] = {{2e-9, 30e-9}};
  m.network = {.latency = 20e-6, .byte = 40e-9, .overhead = 2e-6, .gap = 1e-6};
  m.copied_byte = 0.1e-9;
  m.node = {.latency = 1e-6, .copied_byte = 0.2e-9};
  m.look = 1e-6;
  m.run = 5e-6;
  return m;
}

inline double computing(const Machine& m, double n, double rows) {
  const model::Rate rate = m.rate({"mean"}, 1);
  return n * rate.cell + rows * rate.row;
}

// C, then the first plane is packed, both are sent one after another, and the last one is unpacked. Copies
// along x and y, where the rank is its own neighbour, and the remaining packing overlap with that.
inline double blocking_by_hand(const Machine& m, int sweeps = 1) {
  const double handling = m.network.overhead + message * m.copied_byte;
  return sweeps * (m.run + computing(m, own_cells, own_rows) + handling + 2 * message * m.network.byte +
                   m.network.latency + handling);
}

/// Two slabs between walls, with different numbers of planes.
inline Rehearsal rehearse_slab(int rank, int planes, int of, int sweeps) {
  return rehearsed({rank, 2, 1}, [&](Context& context, const auto& note) {
    const Grid grid(context,
                    {.cells = {64, 32, of},
                     .periodic = {true, true, false},
                     .halo = 1,
                     .split = {1, 1, 2},
                     .cuts = {std::vector<int>{}, std::vector<int>{}, std::vector<int>{0, planes, of}}});
    sweep_over(context, grid, Strategy::blocking, sweeps, note);
  });
}

}  // namespace sc::test
