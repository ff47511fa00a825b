// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 5
// ranks when long: 6 8
// timeout: 180
// timed: yes
// Repeated exchanges: ranks out of step, late or slow; sources overwritten as early as possible; work in
// between; and destruction in the middle of a round.
#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/mpi/halo_fields.hpp"

namespace sc::test {
namespace {

using std::chrono::milliseconds;

// A stress test of the shared transport: two levels that are swapped, sources overwritten as soon as settle()
// allows, ranks out of step, sometimes both exchanges in progress.
TEST_P(Halo, ManyRoundsWithLevelsTurningOver) {
  const Grid grid(*context, {.cells = {16, 9, 17}, .periodic = {true, true, true}, .halo = 1});
  const std::vector<Spec> specs{{ElementType::f64, 2, box(1)}, {ElementType::f32, 1, star(1)}};
  Fields even(grid, specs, {.piece_bytes = 512, .near_piece_bytes = 512});
  Fields odd(grid, specs, {.corners = Corners::staged, .piece_bytes = 512, .near_piece_bytes = 512});
  Fields* now = &even;
  Fields* next = &odd;
  for (int round = 0; round < 200; ++round) {
    if ((round * 7 + context->rank() * 3) % 11 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    now->fill_all(round);
    now->exchange->start();
    if (round % 3 == 0) {
      next->fill_all(round + 1);
      next->exchange->start();
      next->exchange->test();
    }
    now->exchange->wait();
    now->expect(round);
    if (round % 3 == 0) {
      next->exchange->wait();
      next->expect(round + 1);
    }
    if (HasFailure()) return;
    std::swap(now, next);
  }
}

// Long copies, and an owner that overwrites the cells that are read last first, as early as possible.
TEST_P(Halo, OverwrittenTheMomentItIsConsumed) {
  const int ranks = context->size();
  const Grid grid(
      *context,
      {.cells = {96, 96, 3 * ranks}, .periodic = {false, false, true}, .halo = 3, .split = {1, 1, ranks}});
  Storage storage(grid, "s", ElementType::f64, 4, grid.arena());
  Exchange exchange(grid.context(),
                    halo_parcels(grid, {{&storage, star(3)}}, {.piece_bytes = std::size_t{1} << 24}));
  double* const cells = reinterpret_cast<double*>(storage.base());
  const auto row = [&](int k, int z, int y) {
    return cells + k * storage.component_stride() + grid.layout().offset({0, y, z});
  };
  for (int round = 0; round < 150; ++round) {
    storage.settle();
    for (int k = 3; k >= 0; --k)
      for (int z = 2; z >= 0; --z)
        for (int y = 95; y >= 0; --y) std::fill_n(row(k, z, y), 96, round);
    exchange.start();
    // Neighbours alternately read late, while the owner already waits to overwrite.
    if ((round + context->rank()) % 2) std::this_thread::sleep_for(std::chrono::microseconds(200));
    exchange.wait();
    int wrong = 0;
    for (int k = 0; k < 4; ++k)
      for (int z : {-3, -2, -1, 3, 4, 5})
        for (int y = 0; y < 96; ++y)
          wrong += static_cast<int>(96 - std::count(row(k, z, y), row(k, z, y) + 96, round));
    EXPECT_EQ(wrong, 0) << "in round " << round;
  }
}

TEST_P(Halo, OneSlowRankStopsNobody) {
  const Grid grid(*context, {.cells = {16, 16, 17}, .periodic = {true, true, true}, .halo = 1});
  Fields fields(grid, {{ElementType::f64, 1, box(1)}});
  const int slow = context->size() - 1;
  for (int round = 0; round < 6; ++round) {
    const auto dawdle = [&](int when) {
      if (context->rank() == slow && round % 3 == when) std::this_thread::sleep_for(milliseconds(30));
    };
    fields.fill_all(round);
    dawdle(0);
    fields.exchange->start();
    dawdle(1);
    fields.exchange->wait();
    dawdle(2);
    fields.expect(round);
  }
}

TEST_P(Halo, WaitStartsAndFinishIsIdle) {
  const Grid grid(*context, {.cells = {16, 16, 17}, .periodic = {true, false, true}, .halo = 1});
  Fields fields(grid, {{ElementType::f64, 1, box(1)}});
  Exchange& exchange = *fields.exchange;
  exchange.finish();
  EXPECT_TRUE(exchange.test());
  fields.fill_all(1);
  exchange.wait();
  fields.expect(1);
  exchange.finish();
  exchange.finish();
  fields.fill_all(2);
  exchange.start();
  exchange.finish();
  fields.expect(2);
  fields.fill_all(3);
  exchange.start();
  while (!exchange.test()) std::this_thread::yield();
  fields.expect(3);
  exchange.wait();
  fields.expect(3);
}

INSTANTIATE_TEST_SUITE_P(Transports, Halo, all_transports, policy_name);

// Overlap: messages are delayed by `delay`, and the work takes as long.
TEST(DelayedHalo, HidingShortensElapsedTime) {
  constexpr double delay = 0.06;
  Context context(MPI_COMM_WORLD, {.transport = TransportPolicy::delayed, .delay = delay});
  const Grid grid(context, {.cells = {16, 16, 17}, .periodic = {true, true, true}, .halo = 1});
  Fields fields(grid, {{ElementType::f64, 1, box(1)}});
  const auto work = [&](bool poke) {
    for (int tile = 0; tile < 30; ++tile) {
      std::this_thread::sleep_for(milliseconds(2));
      if (poke) fields.exchange->test();
    }
  };
  const auto seconds = [&](bool hide) {
    fields.fill_all(hide ? 1 : 2);
    context.barrier();
    const double begin = MPI_Wtime();
    fields.exchange->start();
    if (hide) work(true);
    fields.exchange->wait();
    if (!hide) work(false);
    return MPI_Wtime() - begin;
  };
  // The minimum of several attempts, because other programs may delay any of them.
  double blocking = 1e9, hidden = 1e9;
  for (int attempt = 0; attempt < 5; ++attempt) {
    blocking = std::min(blocking, seconds(false));
    hidden = std::min(hidden, seconds(true));
  }
  fields.expect(1);
  EXPECT_GE(blocking, 2 * delay);
  EXPECT_LT(hidden, 0.85 * blocking);
  fields.exchange->finish();
  context.close();
}

// A context closed, or an exchange destroyed, during a round: no hang, and no request remains in MPI.
TEST(HaloEnds, InAnyOrder) {
  Context context;
  const Grid grid(context, {.cells = {16, 16, 17}, .periodic = {true, true, true}, .halo = 1});
  {
    Fields fields(grid, {{ElementType::f64, 1, box(1)}});
    fields.fill_all(1);
    fields.exchange->start();
  }
  Fields late(grid, {{ElementType::f64, 1, box(1)}});
  late.fill_all(1);
  late.exchange->start();
  context.close();
}

}  // namespace
}  // namespace sc::test
