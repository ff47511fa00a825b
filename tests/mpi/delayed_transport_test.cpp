// SPDX-License-Identifier: Apache-2.0
// ranks: 2
// threads: 2
// timeout: 120
// With every message 50 ms under way, strategies that hide must finish sooner than blocking. The one test
// that asserts on time: what a strategy promises *is* time, and a strategy that blocks in secret passes all
// others. The kernel sleeps instead of computing, so that a busy machine delays all strategies alike.
#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>
#include <algorithm>

#include <array>
#include <chrono>
#include <cmath>
#include <thread>

#include "engine/subcurrent.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

constexpr double delay = 50e-3;
constexpr int sweeps = 3;
constexpr Int3 cells{8, 16, 44};  // two blocks of 16 x 22 rows, 16 x 2 of them shell
constexpr auto row = std::chrono::microseconds(250);

struct Slow {  // 80 ms of core and 8 ms of shell
  SC_FN void operator()(At c, Index g, Out<double> next, In<double> u) const {
    if (g.x == 0) std::this_thread::sleep_for(row);
    next[c] = 0.5 * u[c] + 0.25 * (u[c.z(1)] + u[c.z(-1)]);
  }
};

struct Measured {
  double seconds =
      0;            // the fastest sweep, of the slowest rank: other load makes sweeps longer, never shorter
  double wait = 0;  // a sweep, of this rank
  std::vector<double> values;
};

Measured measure(Strategy strategy, int threads) {
  TestContext context({.threads = threads, .transport = TransportPolicy::delayed, .delay = delay});
  const Grid grid(
      context,
      {.cells = cells, .periodic = {false, false, true}, .halo = 1, .split = {1, 1, context.size()}});
  Field<double> u(grid, "u", {.levels = 2});
  u.fill([](int x, int y, int z) { return std::sin(x + 3 * y + 7 * z); });
  Runner runner(context, {.strategy = strategy});
  Sweep slow("slow", Slow{}, writes(u.next()), reads(u.now(), star(1)));
  const auto step = [&] {
    runner.run(slow);
    u.advance();
  };
  step();  // first runs learn the demand
  step();
  context.timeline().clear();
  context.barrier();
  std::vector<double> seconds;
  for (int n = 0; n < sweeps; ++n) {
    const double begin = MPI_Wtime();
    step();
    seconds.push_back(MPI_Wtime() - begin);
  }
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), sweeps, MPI_DOUBLE, MPI_MAX, context.comm());
  Measured m;
  m.seconds = *std::min_element(seconds.begin(), seconds.end());
  m.wait = context.timeline().total(Phase::wait).seconds / sweeps;
  for_cells(grid.own(), [&](Int3 c) { m.values.push_back(u.get(c)); });
  u.storage(0).settle();
  return m;
}

void report(Strategy strategy, const Measured& m) {
  std::printf("%-20s %6.1f ms a sweep, %5.1f ms of it waiting\n", strategy_name(strategy).data(),
              m.seconds * 1e3, m.wait * 1e3);
}

TEST(DelayedTransport, HidingStrategiesFinishSooner) {
  const Measured blocking = measure(Strategy::blocking, 1);
  report(Strategy::blocking, blocking);
  EXPECT_GE(blocking.wait, 0.9 * delay);
  for (Strategy strategy : {Strategy::boundary_first, Strategy::interior_first, Strategy::pipelined}) {
    const Measured hiding = measure(strategy, 1);
    report(strategy, hiding);
    EXPECT_GE(blocking.seconds - hiding.seconds, 30e-3) << strategy_name(strategy);
    EXPECT_LT(hiding.wait, 0.4 * blocking.wait) << strategy_name(strategy);
    EXPECT_EQ(hiding.values, blocking.values) << strategy_name(strategy);
  }
}

/// Keeps threads that wait for messages on one CPU and the others on another: who sleeps beside a thread that
/// waits (it looks and yields, looks and yields) wakes a third later, for as long as both stay there.
class Apart {
 public:
  Apart() {
    sched_getaffinity(0, sizeof before_, &before_);
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &before_)) cpus.push_back(cpu);
#pragma omp parallel num_threads(2)
    {
      cpu_set_t own;
      CPU_ZERO(&own);
      CPU_SET(omp_get_thread_num() == 0 ? cpus.front() : cpus.back(), &own);
      sched_setaffinity(0, sizeof own, &own);
    }
  }
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;
  ~Apart() {
#pragma omp parallel num_threads(2)
    sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
};

// Here thread 0 waits, but alone: with two threads half of the wait is gained at most.
TEST(DelayedTransport, AHaloThreadWaitsAlone) {
  const Apart apart;
  const Measured blocking = measure(Strategy::blocking, 2);
  report(Strategy::blocking, blocking);
  for (Strategy strategy : {Strategy::halo_thread, Strategy::halo_thread_no_join}) {
    const Measured hiding = measure(strategy, 2);
    report(strategy, hiding);
    EXPECT_GE(blocking.seconds - hiding.seconds, 8e-3) << strategy_name(strategy);
    EXPECT_EQ(hiding.values, blocking.values) << strategy_name(strategy);
  }
}

// `ordered` exists to measure M where nothing overlaps: it must not hide.
TEST(DelayedTransport, OrderedHidesNothing) {
  const Measured ordered = measure(Strategy::ordered, 1);
  report(Strategy::ordered, ordered);
  EXPECT_GE(ordered.wait, 0.9 * delay);
}

}  // namespace
}  // namespace sc::test
