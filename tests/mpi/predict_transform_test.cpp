// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4 6
// optimise: no
// Rehearsal of transforms on ranks of a larger run: the bytes of a real transform, both ends of every
// message, and the times on a described machine, by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "model/predict/forecast.hpp"
#include "spectral/fft.hpp"
#include "tests/mpi/rehearsals.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using model::Forecast;
using model::Machine;
using spectral::FFT;
using spectral::FftOptions;
using Complex = std::complex<double>;

/// Forward and backward.
void transform(FFT<double>& fft) {
  Field<double> u(fft.real_grid(), "u");
  Field<Complex> modes(fft.mode_grid(), "modes");
  u.fill([](int x, int, int) { return double(x); });
  fft.forward(u.now(), modes.now());
  fft.backward(modes.now(), u.now());
}

Rehearsal rehearse(const FftOptions& options, Rehearsed part) {
  return rehearsed(part, [&](Context& context, const auto& note) {
    FFT<double> fft(context, options);
    note([&] { transform(fft); });
  });
}

std::vector<RehearsedRun> runs_of(const Rehearsal& rehearsal) {
  std::vector<RehearsedRun> runs;
  for (const RehearsedEvent& event : rehearsal.events)
    if (const auto* run = std::get_if<RehearsedRun>(&event)) runs.push_back(*run);
  return runs;
}

std::int64_t bytes_leaving(const Rehearsal& rehearsal) {
  std::int64_t sum = 0;
  for (const RehearsedRun& run : runs_of(rehearsal))
    for (const Passage& passage : run.departures)
      if (passage.way != Passage::Way::self) sum += passage.bytes;
  return sum;
}

std::vector<FftOptions> cases(int ranks) {
  std::vector<FftOptions> all;
  for (int py = 1; py <= ranks; ++py)
    if (ranks % py == 0)
      for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first, Strategy::pipelined})
        for (const Int3 kept : {Int3{-1, -1, -1}, Int3{7, 6, 5}})
          all.push_back({.cells = {24, 20, 18},
                         .process_grid = {py, ranks / py},
                         .largest_mode = kept,
                         .chunks = 3,
                         .strategy = strategy});
  return all;
}

TEST(RehearsedTransform, SendsTheBytesThatARealOneCounts) {
  TestContext context({.transport = TransportPolicy::mpi});
  for (const FftOptions& options : cases(context.size())) {
    FFT<double> fft(context, options);
    const Account before = context.accounts()[Resource::messages];
    transform(fft);
    const Account counted = context.accounts()[Resource::messages] - before;
    const Rehearsal rehearsal = rehearse(options, {context.rank(), context.size(), 1});
    EXPECT_EQ(bytes_leaving(rehearsal), counted.bytes);
    std::int64_t leaving = 0;
    for (const RehearsedRun& run : runs_of(rehearsal))
      for (const Passage& p : run.departures) leaving += p.way == Passage::Way::network && p.bytes > 0;
    EXPECT_EQ(leaving, counted.pieces);
    context.barrier();
  }
}

// The messages that one rank sends another equal those that the other waits for, in every run.
TEST(RehearsedTransform, HasBothEndsOfEveryMessage) {
  TestContext context;
  if (context.rank() > 0) return;
  constexpr int ranks = 6;
  for (const FftOptions& options : cases(ranks)) {
    using Key = std::tuple<std::size_t, int, int, std::int64_t>;  // run, from, to, bytes
    std::map<Key, int> balance;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto runs = runs_of(rehearse(options, {rank, ranks, 2}));
      ASSERT_EQ(runs.size(), 2U);
      for (std::size_t r = 0; r < runs.size(); ++r) {
        for (const Passage& p : runs[r].departures) ++balance[{r, rank, p.peer, p.bytes}];
        for (const auto& arrival : runs[r].arrivals)
          for (const auto& awaited : arrival) {
            const Passage& p = awaited.passage;
            --balance[{r, p.peer, rank, p.bytes}];
            EXPECT_EQ(p.way == Passage::Way::self, p.peer == rank);
            EXPECT_EQ(p.way == Passage::Way::network, p.peer / 2 != rank / 2);
          }
      }
    }
    for (const auto& [key, left] : balance) EXPECT_EQ(left, 0);
  }
}

// Slabs on four nodes. Lines along x and y at all points, then three quarters of the modes are sent over the
// rank's link and as many received, then lines along z.
TEST(RehearsedTransform, BlockingIsLinesAndThenMoving) {
  TestContext context;
  if (context.rank() > 0) return;
  constexpr int n = 64, kept = n / 2 + 1, ranks = 4;
  Machine m;
  m.rates = {{"fft x", {{2e-9, 0}}}, {"fft y", {{3e-9, 0}}}, {"fft z", {{5e-9, 7e-9}}}};
  m.network = {.latency = 20e-6, .byte = 10e-9, .overhead = 2e-6, .gap = 0};
  const FftOptions options{
      .cells = {n, n, n}, .process_grid = {1, ranks}, .chunks = 1, .strategy = Strategy::blocking};
  const Rehearsal rehearsal = rehearse(options, {1, ranks, 1});
  const Forecast f = model::forecast(rehearsal, m, Strategy::blocking);
  ASSERT_EQ(f.stages.size(), 2U);
  const double points = double(n) * n * n / ranks, modes = double(kept) * n * n / ranks;
  const double lines = points * 2e-9 + modes * 3e-9 + modes * 5e-9 + modes / n * 7e-9;
  const double bytes = modes * 3 / 4 * 16;
  for (const model::StageTimes& t : f.stages) {
    EXPECT_NEAR(t.core, lines, 1e-12) << t.stage;
    EXPECT_EQ(double(t.bytes), bytes) << t.stage;
    const double wire = bytes * m.network.byte + m.network.latency;
    EXPECT_NEAR(t.total, lines + wire, 0.01 * t.total + 2 * double(t.messages) / 3 * m.network.overhead);
  }
  // with overlap a transform takes no longer than without, and at least the longer of both parts
  const FftOptions hiding{
      .cells = {n, n, n}, .process_grid = {1, ranks}, .chunks = 8, .strategy = Strategy::boundary_first};
  const Forecast h = model::forecast(rehearse(hiding, {1, ranks, 1}), m, Strategy::boundary_first);
  EXPECT_LT(h.total, f.total);
  EXPECT_GE(h.total, 2 * std::max(lines, bytes * m.network.byte));
}

}  // namespace
}  // namespace sc::test
