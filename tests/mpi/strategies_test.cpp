// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// ranks when long: 3 6
// threads: 2
// timeout: 240
// label: sanitize checked
// device: yes
// Every strategy x split x number of threads x transport gives the bits of a plain serial loop: two sweeps
// that read each other with different reach, boundary conditions with and without tangential neighbours,
// halos poisoned before. So does a device under every strategy that it supports.
#include "tests/mpi/backends.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/kernels.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/mpi/two_sweeps.hpp"

namespace {

using namespace sc;
using namespace sc::test;

/// Messages and bytes of this rank's halos in ten sweeps, over all transports, and the runner's count of
/// bytes.
struct Sent {
  std::int64_t messages = 0, bytes = 0;
  double counted = 0;
};
Sent sent_in_ten_sweeps(Context& context, Strategy strategy) {
  const Grid grid(context, {.cells = {12, 11, 40}, .periodic = {false, false, true}, .halo = 1});
  Field<double> q(grid, "q", {.levels = 2});
  q.boundaries().leave_others(Beyond::given);
  Sweep spread("spread", Diffuse{}, writes(q.next()), reads(q.now(), star(1)));
  Runner runner(context, {.strategy = strategy});
  const auto sum = [&] {
    Sent s;
    for (int t = 0; t < transport_count; ++t) {
      const Traffic traffic = runner.traffic(static_cast<Transport>(t));
      s.messages += traffic.messages;
      if (static_cast<Transport>(t) != Transport::self) s.bytes += traffic.bytes;
    }
    s.counted = runner.counts().at("spread").moved;
    return s;
  };
  const auto sweep = [&] {
    runner.run(spread);
    q.advance();
  };
  for (int n = 0; n < 3; ++n) sweep();  // until the runner knows the readers of each output
  const Sent before = sum();
  for (int n = 0; n < 10; ++n) sweep();
  const Sent after = sum();
  runner.refresh(q.now(), star(1));  // completes exchanges in progress
  context.barrier();
  return {after.messages - before.messages, after.bytes - before.bytes, after.counted - before.counted};
}

TEST(Strategies, SendEveryHaloOnceASweep) {
  Context context(MPI_COMM_WORLD, {.threads = 2});
  const Sent usual = sent_in_ten_sweeps(context, Strategy::blocking);
  EXPECT_GT(usual.messages, 0);
  for (const Strategy& strategy : all_strategies(context)) {
    const Sent sent = sent_in_ten_sweeps(context, strategy);
    EXPECT_EQ(sent.messages, usual.messages) << strategy.name;
    EXPECT_EQ(sent.bytes, usual.bytes) << strategy.name;
    EXPECT_EQ(sent.counted, static_cast<double>(sent.bytes)) << strategy.name;
  }
  context.close();
}

/// Every setting with every other; on more than two ranks, in a quarter of the runs, every pair of settings.
TEST(Strategies, LeaveTheSameBits) {
  for (const Problem& problem : problems) {
    const Outcome expected = alone(problem);
    for (double value : expected.u) ASSERT_TRUE(std::isfinite(value));
    for (int threads : {1, 2}) {
      for (TransportPolicy transport :
           {TransportPolicy::automatic, TransportPolicy::mpi, TransportPolicy::delayed}) {
        const bool reordered = transport == TransportPolicy::delayed;  // small pieces arrive out of order
        if (reordered && (threads > 1 || &problem != &problems.back())) continue;
        test::TestContext context({.threads = threads, .transport = transport, .delay = 2e-4});
        const int quarter = 2 * (transport == TransportPolicy::mpi) + threads - 1;
        int turn_of_split = 0;
        for (const Int3 split : splits(context.size())) {
          int turn = turn_of_split++;
          for (const Strategy& strategy : all_strategies(context)) {
            if (context.size() > 2 && !reordered && turn++ % 4 != quarter) continue;
            const Corners corners = threads == 1 && !problem.skewed ? Corners::staged : Corners::direct;
            const Outcome got =
                run(context, problem, split,
                    {.strategy = strategy,
                     .poke_seconds = 1e-6,
                     .halo = {.corners = corners, .piece_bytes = reordered ? 900U : 60U * 1024}});
            EXPECT_EQ(got.sum, expected.sum) << strategy.name << " " << to_string(split);
            if (context.rank() != 0) continue;
            EXPECT_TRUE(same_bits(got.u, expected.u)) << strategy.name << " " << to_string(split) << threads;
            EXPECT_TRUE(same_bits(got.v, expected.v)) << strategy.name << " " << to_string(split) << threads;
          }
        }
      }
    }
  }
}

class OnDevices : public test::OnBackend {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(test::backends()), test::backend_name);

TEST_P(OnDevices, LeaveTheSameBitsUnderEveryStrategy) {
  for (const Problem& problem : problems) {
    // Sums, products and fused() only, so an emulated device has the host's bits. CUDA's bits are compared
    // between CUDA runs, and here also with the host's, since these kernels leave no choice to the compiler
    // (docs/gpu.md).
    const Outcome expected = alone(problem);
    for (const TransportPolicy transport : {TransportPolicy::automatic, TransportPolicy::delayed}) {
      const bool reordered = transport == TransportPolicy::delayed;
      test::TestContext context(
          {.transport = transport, .delay = 2e-4, .sampling = {.first = 2, .every = 0}});
      open(context, GetParam());
      for (const Int3 split : splits(context.size()))
        for (const Strategy& strategy : undivided_strategies()) {
          const Corners corners = problem.skewed ? Corners::direct : Corners::staged;
          const Outcome got = run(context, problem, split,
                                  {.strategy = strategy,
                                   .halo = {.corners = corners,
                                            .piece_bytes = 900,
                                            .near_piece_bytes = 900,
                                            .device_piece_bytes = reordered ? 900U : 4U << 20}},
                                  test::space_of(GetParam()));
          EXPECT_EQ(got.sum, expected.sum) << strategy.name << " " << to_string(split);
          if (context.rank() != 0) continue;
          EXPECT_TRUE(same_bits(got.u, expected.u)) << strategy.name << " " << to_string(split);
          EXPECT_TRUE(same_bits(got.v, expected.v)) << strategy.name << " " << to_string(split);
        }
    }
  }
}

/// Sweeps only, without reductions or conditions, which would synchronise them.
std::vector<double> spread(Context& context, Int3 split, Strategy strategy, Space space) {
  const Grid grid(context,
                  {.cells = {21, 20, 22}, .periodic = {true, true, true}, .halo = 1, .split = split});
  Field<double> q(grid, "q", {.levels = 2, .space = space});
  q.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  Runner runner(context, {.strategy = strategy});
  Sweep sweep("spread", Diffuse{}, writes(q.next()), reads(q.now(), star(1)));
  for (int n = 0; n < 9; ++n) {
    runner.run(sweep);
    q.advance();
  }
  std::vector<double> values = on_root(q);
  context.barrier();
  return values;
}

TEST_P(OnDevices, LeaveTheSameBitsWithNothingBetweenTheSweeps) {
  const auto expected = test::on_one_rank([&](Context& one) {
    return spread(one, {1, 1, 1}, Strategy::blocking, Space::host);
  });
  test::TestContext context;
  open(context, GetParam());
  for (const Int3 split : splits(context.size()))
    for (const Strategy& strategy : undivided_strategies()) {
      const auto got = spread(context, split, strategy, test::space_of(GetParam()));
      if (context.rank() == 0) {
        EXPECT_TRUE(same_bits(got, expected)) << strategy.name << to_string(split);
      }
    }
}

/// On more than two ranks, every split and strategy with one of the numbers of threads in turn.
TEST(ColouredSweeps, LeaveTheSameBits) {
  for (const Bool3 periodic : {Bool3{}, Bool3{true, true, true}, Bool3{false, true, false}}) {
    const auto expected = test::on_one_rank([&](Context& one) {
      return relax(one, periodic, {1, 1, 1}, {.strategy = Strategy::blocking});
    });
    for (double value : expected) ASSERT_TRUE(std::isfinite(value));
    for (int threads : {1, 2}) {
      test::TestContext context({.threads = threads});
      int turn = 0;  // five strategies: each meets both numbers of threads
      for (const Int3 split : splits(context.size()))
        for (Strategy strategy : {Strategy::blocking, Strategy::boundary_first, Strategy::interior_first,
                                  Strategy::pipelined, Strategy::halo_thread}) {
          if (context.size() > 2 && turn++ % 2 != threads - 1) continue;
          const auto got = relax(context, periodic, split, {.strategy = strategy, .poke_seconds = 1e-6});
          if (context.rank() == 0) {
            EXPECT_TRUE(same_bits(got, expected)) << strategy.name << to_string(split);
          }
        }
    }
  }
}

TEST_P(OnDevices, LeaveTheSameBitsInColours) {
  for (const Bool3 periodic : {Bool3{}, Bool3{true, true, true}}) {
    const auto expected = test::on_one_rank([&](Context& one) {
      return relax(one, periodic, {1, 1, 1}, {.strategy = Strategy::blocking});
    });
    test::TestContext context;
    open(context, GetParam());
    for (const Int3 split : splits(context.size()))
      for (const Strategy& strategy : undivided_strategies()) {
        const auto got = relax(context, periodic, split, {.strategy = strategy}, test::space_of(GetParam()));
        if (context.rank() == 0) {
          EXPECT_TRUE(same_bits(got, expected)) << strategy.name << to_string(split);
        }
      }
  }
}

}  // namespace
