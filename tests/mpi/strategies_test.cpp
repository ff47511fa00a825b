// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// ranks when long: 6
// threads: 2
// timeout: 240
// label: sanitize
// device: yes
// Every strategy x split x thread count x transport leaves the bits of a naive serial loop: two sweeps that
// read each other with different reach, boundary conditions with and without tangential neighbours, halos
// poisoned beforehand. So does a device under every strategy that has one to offer.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/move/gather.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;

// u reads v around it, v reads the new u two cells along the axes: a chain in which a stale halo shows at
// once.
struct AdvanceU {
  double a;
  SC_FN void operator()(At c, Index g, Out<double> next, In<double> u, In<double, 2> v) const {
    const double corner = u[c.x(1).y(-1)] * u[c.y(1).z(1)] - u[c.x(-1).z(1)] / (2.0 + v[0][c] * v[0][c]);
    const double star = u[c.x(1)] + u[c.x(-1)] + u[c.y(1)] + u[c.y(-1)] + u[c.z(1)] + u[c.z(-1)] - 6 * u[c];
    next[c] = u[c] + a * star + 0.01 * corner * v[1][c.x(-1)] +
              1e-3 * static_cast<double>((g.x + 2 * g.y + 3 * g.z) % 5);
  }
};
struct AdvanceV {
  SC_FN double operator()(At c, Out<double, 2> next, In<double, 2> v, In<double> u) const {
    next[0][c] = 0.9 * v[0][c] + 0.05 * (u[c.x(2)] - u[c.y(-2)] + u[c.z(2)]);
    next[1][c] = 0.9 * v[1][c] + 0.05 * (u[c.z(-2)] + u[c.y(2)] - u[c.x(-2)]) * v[0][c];
    return next[0][c] * next[1][c];
  }
};
// Looks along the normal only.
struct Extrapolate {
  SC_FN void operator()(Border b, Out<double> q) const {
    q[b.ghost(1)] = 2 * q[b.inside(1)] - q[b.inside(2)];
    q[b.ghost(2)] = 0.5 * q[b.ghost(1)];
  }
};
struct Swirl {  // two components; position matters
  SC_FN void operator()(Border b, Index g, Out<double, 2> q) const {
    for (int n = 1; n <= b.layers; ++n) {
      q[0][b.ghost(n)] = -q[1][b.inside(n)] + 1e-3 * static_cast<double>(g.x - g.y);
      q[1][b.ghost(n)] = q[0][b.inside(n)];
    }
  }
};
struct Skewed {  // reads a tangential neighbour, like the wall of a skewed grid
  SC_FN void operator()(Border b, Out<double> q) const {
    q[b.ghost(1)] = q[b.inside(1)] + 0.25 * (q[b.inside(1).x(1)] - q[b.inside(1).y(-1)]);
    q[b.ghost(2)] = q[b.ghost(1)];
  }
};

struct Problem {
  Int3 cells;
  Bool3 periodic;
  bool skewed;
};

struct Outcome {
  std::vector<double> u, v;  // global, on rank 0
  double sum = 0;
};

void poison(AnyField& field) {
  for (int level = 0; level < field.levels(); ++level) {
    Storage& s = field.storage(level);
    const Layout& l = field.grid().layout();
    s.begin_host_write();
    auto* base = reinterpret_cast<double*>(s.host_base());
    for (int k = 0; k < s.components(); ++k)
      for (std::ptrdiff_t i = 0; i < l.elements; ++i)
        base[k * s.component_stride() + i - l.origin] = std::numeric_limits<double>::quiet_NaN();
  }
}

std::vector<double> on_root(AnyField& field) {
  const std::vector<std::byte> bytes = gather(field.storage(0));
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

Outcome run(Context& context, const Problem& problem, Int3 split, RunnerOptions options,
            Space space = Space::host) {
  Grid grid(context, {.cells = problem.cells, .periodic = problem.periodic, .halo = 3, .split = split});
  Field<double> u(grid, "u", {.levels = 2, .space = space});
  Field<double, 2> v(grid, "v", {.levels = 2, .space = space});
  poison(u);
  poison(v);
  context.barrier();  // a neighbour of the same node must not read a cell between poison and value
  u.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  v.fill([](int k, int x, int y, int z) { return std::cos(0.3 * x * (k + 1) - 0.5 * y + 0.1 * z); });
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) {
      const Face face{axis, side};
      if (problem.skewed && axis == 2)
        boundary(u, face, Skewed{}, 1);
      else
        boundary(u, face, Extrapolate{});
      boundary(v, face, Swirl{});
    }
  Runner runner(context, options);
  Sweep first("first", AdvanceU{}, writes(u.next()), reads(u.now(), box(1)), reads(v.now(), star(1)));
  Sweep second("second", AdvanceV{}, SweepOptions{.reduce = Reduce::sum}, writes(v.next()), reads(v.now()),
               reads(u.now(), star(2)));
  GlobalValue total(context);
  Outcome outcome;
  for (int step = 0; step < 6; ++step) {
    runner.run(first, AdvanceU{0.05 + 0.001 * step});
    u.advance();
    runner.run(second);
    v.advance();
    outcome.sum = total.reduce(second.accumulators());
  }
  u.storage(0).settle();
  v.storage(0).settle();
  outcome.u = on_root(u);
  outcome.v = on_root(v);
  context.barrier();
  return outcome;
}

std::vector<Int3> splits_of(int ranks) {
  std::vector<Int3> splits;
  for (int px = 1; px <= ranks; ++px)
    for (int py = 1; py <= ranks / px; ++py)
      if (ranks % (px * py) == 0) splits.push_back({px, py, ranks / px / py});
  return splits;
}

// The oracle: the same formulas on one rank by the plainest strategy; compared between rank counts through a
// file would need the other run, so every rank computes the whole problem alone, on a communicator of its
// own.
Outcome alone(const Problem& problem, test::Backend backend = test::Backend::host) {
  Context context(MPI_COMM_SELF);
  open(context, backend);
  const Outcome outcome =
      run(context, problem, {1, 1, 1}, {.strategy = Strategy::blocking}, test::space_of(backend));
  context.close();
  return outcome;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

const std::vector<Problem> problems{{{18, 19, 20}, {true, true, true}, false},
                                    {{19, 18, 23}, {false, false, false}, false},
                                    {{18, 21, 19}, {false, true, false}, true},
                                    {{20, 18, 18}, {true, false, false}, true}};

/// What this rank's halos sent in ten sweeps, all transports together, and what the runner counted of it.
struct Sent {
  std::int64_t messages = 0, bytes = 0;
  double counted = 0;
};
struct Spread {
  SC_FN void operator()(At c, Out<double> next, In<double> q) const {
    next[c] = q[c] + 0.1 * (q[c.x(1)] + q[c.y(1)] + q[c.z(1)] + q[c.z(-1)] - 4 * q[c]);
  }
};
Sent sent_in_ten_sweeps(Context& context, Strategy strategy) {
  const Grid grid(context, {.cells = {12, 11, 40}, .periodic = {false, false, true}, .halo = 1});
  Field<double> q(grid, "q", {.levels = 2});
  Sweep spread("spread", Spread{}, writes(q.next()), reads(q.now(), star(1)));
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
  for (int n = 0; n < 3; ++n) sweep();  // until the runner knows who reads what
  const Sent before = sum();
  for (int n = 0; n < 10; ++n) sweep();
  const Sent after = sum();
  runner.refresh(q.now(), star(1));  // ends what is under way
  context.barrier();
  return {after.messages - before.messages, after.bytes - before.bytes, after.counted - before.counted};
}

TEST(Strategies, SendEveryHaloOnceASweep) {
  Context context(MPI_COMM_WORLD, {.threads = 2});
  const Sent usual = sent_in_ten_sweeps(context, Strategy::blocking);
  EXPECT_GT(usual.messages, 0);
  for (const Strategy strategy : {Strategy::blocking, Strategy::ordered, Strategy::boundary_first,
                                  Strategy::interior_first, Strategy::halo_thread, Strategy::pipelined}) {
    const Sent sent = sent_in_ten_sweeps(context, strategy);
    EXPECT_EQ(sent.messages, usual.messages) << strategy_name(strategy);
    EXPECT_EQ(sent.bytes, usual.bytes) << strategy_name(strategy);
    EXPECT_EQ(sent.counted, static_cast<double>(sent.bytes)) << strategy_name(strategy);
  }
  context.close();
}

TEST(Strategies, LeaveTheSameBits) {
  for (const Problem& problem : problems) {
    const Outcome expected = alone(problem);
    for (double value : expected.u) ASSERT_TRUE(std::isfinite(value));
    for (int threads : {1, 2}) {
      for (TransportPolicy transport :
           {TransportPolicy::automatic, TransportPolicy::mpi, TransportPolicy::delayed}) {
        const bool reordered = transport == TransportPolicy::delayed;  // small pieces overtake one another
        if (reordered && (threads > 1 || &problem != &problems.back())) continue;
        test::TestContext context({.threads = threads, .transport = transport, .delay = 2e-4});
        for (const Int3 split : splits_of(context.size()))
          for (Strategy strategy :
               {Strategy::blocking, Strategy::ordered, Strategy::boundary_first, Strategy::interior_first,
                Strategy::pipelined, Strategy::halo_thread, Strategy::halo_thread_no_join}) {
            if (strategy == Strategy::halo_thread_no_join && threads == 1) continue;
            const Corners corners = threads == 1 && !problem.skewed ? Corners::staged : Corners::direct;
            const Outcome got =
                run(context, problem, split,
                    {.strategy = strategy,
                     .poke_seconds = 1e-6,
                     .halo = {.corners = corners, .piece_bytes = reordered ? 900U : 60U * 1024}});
            EXPECT_EQ(got.sum, expected.sum) << strategy_name(strategy) << " " << to_string(split);
            if (context.rank() != 0) continue;
            EXPECT_TRUE(same_bits(got.u, expected.u))
                << strategy_name(strategy) << " " << to_string(split) << threads;
            EXPECT_TRUE(same_bits(got.v, expected.v))
                << strategy_name(strategy) << " " << to_string(split) << threads;
          }
      }
    }
  }
}

class OnDevices : public test::OnBackend {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(test::backends()), test::backend_name);

const std::vector<Strategy> strategies_of_devices{Strategy::blocking, Strategy::ordered,
                                                  Strategy::boundary_first, Strategy::interior_first,
                                                  Strategy::pipelined};

TEST_P(OnDevices, LeaveTheSameBitsUnderEveryStrategy) {
  for (const Problem& problem : problems) {
    // Sums, products and fused() alone: an emulated device has the host's bits. CUDA's are compared with
    // CUDA's, and with the host's here since these kernels leave nothing to chance (docs/gpu.md).
    const Outcome expected = alone(problem);
    for (const TransportPolicy transport : {TransportPolicy::automatic, TransportPolicy::delayed}) {
      const bool reordered = transport == TransportPolicy::delayed;
      test::TestContext context({.transport = transport, .delay = 2e-4});
      open(context, GetParam());
      for (const Int3 split : splits_of(context.size()))
        for (const Strategy strategy : strategies_of_devices) {
          const Corners corners = problem.skewed ? Corners::direct : Corners::staged;
          const Outcome got = run(context, problem, split,
                                  {.strategy = strategy,
                                   .halo = {.corners = corners,
                                            .piece_bytes = 900,
                                            .device_piece_bytes = reordered ? 900U : 4U << 20},
                                   .samples = 2},
                                  test::space_of(GetParam()));
          EXPECT_EQ(got.sum, expected.sum) << strategy_name(strategy) << " " << to_string(split);
          if (context.rank() != 0) continue;
          EXPECT_TRUE(same_bits(got.u, expected.u)) << strategy_name(strategy) << " " << to_string(split);
          EXPECT_TRUE(same_bits(got.v, expected.v)) << strategy_name(strategy) << " " << to_string(split);
        }
    }
  }
}

/// Nothing but sweeps, no reduction and no condition that would order them by the way.
std::vector<double> spread(Context& context, Int3 split, Strategy strategy, Space space) {
  const Grid grid(context,
                  {.cells = {21, 20, 22}, .periodic = {true, true, true}, .halo = 1, .split = split});
  Field<double> q(grid, "q", {.levels = 2, .space = space});
  q.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  Runner runner(context, {.strategy = strategy});
  Sweep sweep("spread", Spread{}, writes(q.next()), reads(q.now(), star(1)));
  for (int n = 0; n < 9; ++n) {
    runner.run(sweep);
    q.advance();
  }
  std::vector<double> values = on_root(q);
  context.barrier();
  return values;
}

TEST_P(OnDevices, LeaveTheSameBitsWithNothingBetweenTheSweeps) {
  Context one(MPI_COMM_SELF);
  const auto expected = spread(one, {1, 1, 1}, Strategy::blocking, Space::host);
  one.close();
  test::TestContext context;
  open(context, GetParam());
  for (const Int3 split : splits_of(context.size()))
    for (const Strategy strategy : strategies_of_devices) {
      const auto got = spread(context, split, strategy, test::space_of(GetParam()));
      if (context.rank() == 0) {
        EXPECT_TRUE(same_bits(got, expected)) << strategy_name(strategy) << to_string(split);
      }
    }
}

struct Relax {  // reads the 18 neighbours of a cell that four colours keep apart
  SC_FN void operator()(At c, InOut<double> u) const {
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3;
      sum += u[c.along(a, 1)] + u[c.along(a, -1)] + 0.3 * u[c.along(a, 1).along(b, 1)] -
             0.2 * u[c.along(a, -1).along(b, 1)] + 0.1 * u[c.along(a, 1).along(b, -1)] +
             0.4 * u[c.along(a, -1).along(b, -1)];
    }
    u[c] = 0.4 * u[c] + 0.07 * sum;
  }
};

std::vector<double> relax(Context& context, Bool3 periodic, Int3 split, RunnerOptions options,
                          Space space = Space::host) {
  Grid grid(context, {.cells = {16, 18, 20}, .periodic = periodic, .halo = 1, .split = split});
  Field<double> u(grid, "u", {.space = space});
  poison(u);
  context.barrier();
  u.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) boundary(u, {axis, side}, Mirrored<double>{});
  Runner runner(context, options);
  Sweep sweep("relax", Relax{}, SweepOptions{.colours = 4}, updates(u.now(), box(1)));
  for (int n = 0; n < 5; ++n) runner.run(sweep);
  u.storage(0).settle();
  std::vector<double> values = on_root(u);
  context.barrier();
  return values;
}

TEST(ColouredSweeps, LeaveTheSameBits) {
  for (const Bool3 periodic : {Bool3{}, Bool3{true, true, true}, Bool3{false, true, false}}) {
    Context one(MPI_COMM_SELF);
    const auto expected = relax(one, periodic, {1, 1, 1}, {.strategy = Strategy::blocking});
    one.close();
    for (double value : expected) ASSERT_TRUE(std::isfinite(value));
    for (int threads : {1, 2}) {
      test::TestContext context({.threads = threads});
      for (const Int3 split : splits_of(context.size()))
        for (Strategy strategy : {Strategy::blocking, Strategy::boundary_first, Strategy::interior_first,
                                  Strategy::pipelined, Strategy::halo_thread}) {
          const auto got = relax(context, periodic, split, {.strategy = strategy, .poke_seconds = 1e-6});
          if (context.rank() == 0) {
            EXPECT_TRUE(same_bits(got, expected)) << strategy_name(strategy) << to_string(split);
          }
        }
    }
  }
}

TEST_P(OnDevices, LeaveTheSameBitsInColours) {
  for (const Bool3 periodic : {Bool3{}, Bool3{true, true, true}}) {
    Context one(MPI_COMM_SELF);
    const auto expected = relax(one, periodic, {1, 1, 1}, {.strategy = Strategy::blocking});
    one.close();
    test::TestContext context;
    open(context, GetParam());
    for (const Int3 split : splits_of(context.size()))
      for (const Strategy strategy : strategies_of_devices) {
        const auto got = relax(context, periodic, split, {.strategy = strategy}, test::space_of(GetParam()));
        if (context.rank() == 0) {
          EXPECT_TRUE(same_bits(got, expected)) << strategy_name(strategy) << to_string(split);
        }
      }
  }
}

}  // namespace
