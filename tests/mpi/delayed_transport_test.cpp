// SPDX-License-Identifier: Apache-2.0
// ranks: 2
// threads: 2
// timeout: 120
// timed: yes
// With messages delayed by 80 to 100 ms, strategies that overlap must finish earlier than blocking. Only this
// test asserts on time: a strategy that secretly blocks passes all other tests. The kernel sleeps instead of
// computing, so that other programs delay all strategies equally.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "engine/subcurrent.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

constexpr double delay = 80e-3;  // as long as the core
constexpr int sweeps = 3;
constexpr Int3 cells{8, 4, 44};  // two blocks of 4 x 22 rows, 4 x 2 of which are shell
// Long compared with the system's overhead of a sleep (about 70 us).
constexpr auto row = std::chrono::milliseconds(1);

struct Slow {  // 80 ms of core and 8 ms of shell
  SC_FN void operator()(At c, Index g, Out<double> next, In<double> u) const {
    if (g.x == 0) std::this_thread::sleep_for(row);
    next[c] = 0.5 * u[c] + 0.25 * (u[c.z(1)] + u[c.z(-1)]);
  }
};

struct Times {
  double seconds = 0;  // of a sweep, on the slowest rank
  double wait = 0;     // of a sweep, on this rank
  std::vector<double> values;
};

Times measure(Strategy strategy, int threads, double under_way = delay, double rate = 0) {
  TestContext context(
      {.threads = threads, .transport = TransportPolicy::delayed, .delay = under_way, .rate = rate});
  const Grid grid(
      context,
      {.cells = cells, .periodic = {rate > 0, false, true}, .halo = 1, .split = {1, 1, context.size()}});
  Field<double> u(grid, "u", {.levels = 2});
  u.boundaries().leave_others(Beyond::unread);
  u.fill([](int x, int y, int z) { return std::sin(x + 3 * y + 7 * z); });
  Runner runner(context, {.strategy = strategy});
  Sweep slow("slow", Slow{}, writes(u.next()), reads(u.now(), star(1)));
  const auto step = [&] {
    runner.run(slow);
    u.advance();
  };
  context.accounts().sampling = {.first = 0, .every = 0};  // no samples: a run without overlap would wait
  step();                                                  // the first runs record which halos are read
  step();
  context.timeline().clear();
  context.barrier();
  const double begin = MPI_Wtime();
  for (int n = 0; n < sweeps; ++n) step();
  Times m;
  m.seconds = (MPI_Wtime() - begin) / sweeps;
  MPI_Allreduce(MPI_IN_PLACE, &m.seconds, 1, MPI_DOUBLE, MPI_MAX, context.comm());
  m.wait = context.timeline().total(Phase::wait).seconds / sweeps;
  each_cell(grid.own(), [&](Int3 c) { m.values.push_back(u.get(c)); });
  u.storage(0).settle();
  return m;
}

void report(Strategy strategy, const Times& m) {
  std::printf("%-20s %6.1f ms a sweep, %5.1f ms of it waiting\n", strategy.name.data(), m.seconds * 1e3,
              m.wait * 1e3);
}

TEST(DelayedTransport, HidingStrategiesFinishSooner) {
  const Times blocking = measure(Strategy::blocking, 1);
  report(Strategy::blocking, blocking);
  EXPECT_GE(blocking.wait, 0.9 * delay);
  for (Strategy strategy : {Strategy::boundary_first, Strategy::interior_first, Strategy::pipelined}) {
    const Times hiding = measure(strategy, 1);
    report(strategy, hiding);
    EXPECT_GE(blocking.seconds - hiding.seconds, 50e-3) << strategy.name;
    EXPECT_LT(hiding.wait, 0.4 * blocking.wait) << strategy.name;
    EXPECT_EQ(hiding.values, blocking.values) << strategy.name;
  }
}

// Thread 0 waits, but alone: the other thread computes the whole core meanwhile. Even if that takes half as
// long again as it should, 40 ms, half of the core, are gained.
TEST(DelayedTransport, AHaloThreadWaitsAlone) {
  constexpr double long_delay = 120e-3;
  const Times blocking = measure(Strategy::blocking, 2, long_delay);
  report(Strategy::blocking, blocking);
  EXPECT_GE(blocking.wait, 0.9 * long_delay);
  for (Strategy strategy : {Strategy::halo_thread, Strategy::halo_thread.not_joining()}) {
    const Times hiding = measure(strategy, 2, long_delay);
    report(strategy, hiding);
    EXPECT_GE(blocking.seconds - hiding.seconds, 20e-3) << strategy.name;
    EXPECT_EQ(hiding.values, blocking.values) << strategy.name;
  }
}

// A rank sends two halos of 8 x 4 doubles, the second when the first has left; copies within a rank, here of
// the periodic x, are not held back.
TEST(DelayedTransport, AnAdapterSendsOneMessageAfterTheOther) {
  constexpr double rate = 2 * 8 * 4 * sizeof(double) / delay;
  const Times blocking = measure(Strategy::blocking, 1, 0, rate);
  report(Strategy::blocking, blocking);
  EXPECT_GE(blocking.wait, 0.9 * delay);
  EXPECT_LT(blocking.wait, 1.5 * delay);
  const Times hiding = measure(Strategy::boundary_first, 1, 0, rate);
  report(Strategy::boundary_first, hiding);
  EXPECT_GE(blocking.seconds - hiding.seconds, 50e-3);
  EXPECT_LT(hiding.wait, 0.4 * blocking.wait);
  EXPECT_EQ(hiding.values, blocking.values);
}

// `ordered` measures M without overlap, so it must not overlap.
TEST(DelayedTransport, OrderedHidesNothing) {
  const Times ordered = measure(Strategy::ordered, 1);
  report(Strategy::ordered, ordered);
  EXPECT_GE(ordered.wait, 0.9 * delay);
}

}  // namespace
}  // namespace sc::test
