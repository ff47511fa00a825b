// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// threads: 2
// label: sanitize
// Objects are destroyed in any order: fields before their runner, contexts before their fields; several grids
// and contexts exist together.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "engine/subcurrent.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

/// Parts of this process's memory that are shared with other ranks, including open files.
int seen_by_others() {
  int count = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) count += line.find("memfd:subcurrent") != line.npos;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the iterator's own
    count += std::filesystem::read_symlink(file, gone).string().find("memfd:subcurrent") != std::string::npos;
  }
  return count;
}

struct Around {
  SC_FN void operator()(At c, Out<double> out, In<double> u) const {
    out[c] = u[c.x(1)] + 2 * u[c.y(-1)] + 3 * u[c.z(1)];
  }
};

double around(const Grid& grid, Int3 g, double scale) {
  const auto value = [&](Int3 c) {
    for (int a = 0; a < 3; ++a) c[a] = (c[a] + grid.cells()[a]) % grid.cells()[a];
    return scale * (c.x + 100 * c.y + 10000 * c.z);
  };
  return value({g.x + 1, g.y, g.z}) + 2 * value({g.x, g.y - 1, g.z}) + 3 * value({g.x, g.y, g.z + 1});
}

struct Problem {
  Grid grid;
  Field<double> u, out;
  Sweep<Around, decltype(writes(out.now())), decltype(reads(u.now(), star(1)))> sweep;

  Problem(Context& context, Int3 cells, int halo = 1)
      : grid(context, {.cells = cells, .periodic = {true, true, true}, .halo = halo}),
        u(grid, "u"),
        out(grid, "out"),
        sweep("around", Around{}, writes(out.now()), reads(u.now(), star(1))) {}

  void run(Runner& runner, double scale) {
    u.fill([&](int x, int y, int z) { return scale * (x + 100 * y + 10000 * z); });
    runner.run(sweep);
    each_cell(grid.own(),
              [&](Int3 c) { ASSERT_EQ(out.get(c), around(grid, grid.origin() + c, scale)) << to_string(c); });
  }
};

// The memory of a destroyed grid must be available to the next.
TEST(Lifetime, GridsThatAreGoneLeaveNoMemory) {
  {
    TestContext context;
    int most = 0;
    for (int n = 0; n < 20; ++n) {
      Problem problem(context, {8, 9, 18});
      Runner runner(context, {});  // keeps the fields that it has used
      problem.run(runner, 1 + n);
      most = std::max(most, seen_by_others());
    }
    if (context.size() > 1 && context.shared_memory()) {
      EXPECT_GE(most, 2 * context.size());
    }
    EXPECT_LE(most, 6 * context.size());
  }
  EXPECT_EQ(seen_by_others(), 0);
}

// The allocator reuses addresses; a runner must not confuse a new field with a destroyed one.
TEST(Lifetime, FieldsMayEndBeforeTheirRunner) {
  for (Strategy strategy : {Strategy::blocking, Strategy::boundary_first, Strategy::interior_first}) {
    TestContext context;
    Runner runner(context, {.strategy = strategy});
    for (int n = 0; n < 20; ++n) {
      auto problem = std::make_unique<Problem>(context, Int3{8 + n % 3, 9, 18}, 1 + n % 2);
      problem->run(runner, 1 + n);
      problem->run(runner, 2 + n);
    }
  }
}

// Ranks whose stages have different addresses still agree on which runs are samples.
TEST(Lifetime, StagesMayTurnUpWhereOthersWere) {
  TestContext context({.sampling = {.first = 2, .every = 0}});
  Runner runner(context, {.strategy = Strategy::interior_first});
  Problem problem(context, {8, 9, 18});
  Field<double> beyond(problem.grid, "beyond");
  Sweep reader("reader", Around{}, writes(beyond.now()), reads(problem.out.now(), star(1)));
  std::optional<decltype(problem.sweep)> slots[2];
  for (int n = 1; n < 8; ++n) {
    auto& slot = slots[context.rank() == 0 ? 0 : n % 2];
    slot.emplace("writer", Around{}, writes(problem.out.now()), reads(problem.u.now(), star(1)));
    for (int again = 0; again < 3; ++again) {
      problem.u.fill([&](int x, int y, int z) { return n + again + x + 2 * y + 3 * z; });
      runner.run(*slot);
      runner.run(reader);
    }
    slot.reset();
  }
  EXPECT_EQ(runner.counts().at("writer").runs, 21);
}

TEST(Lifetime, FieldsMayOutliveTheContextsClose) {
  for (TransportPolicy transport : {TransportPolicy::automatic, TransportPolicy::mpi}) {
    std::optional<Context> context;
    context.emplace(MPI_COMM_WORLD, ContextOptions{.transport = transport});
    auto problem = std::make_unique<Problem>(*context, Int3{8, 9, 18});
    auto runner = std::make_unique<Runner>(*context, RunnerOptions{});
    auto total = std::make_unique<GlobalValue>(*context);
    problem->run(*runner, 1);
    const Accumulator one(Reduce::sum);
    total->start({&one, 1});
    context->close();
    context->close();
    EXPECT_TRUE(context->closed());
    context.reset();
    total.reset();
    problem.reset();
    runner.reset();
  }
}

TEST(Lifetime, ARefreshMayEndWithItsMessagesUnderWay) {
  TestContext context;
  auto problem = std::make_unique<Problem>(context, Int3{8, 9, 18});
  {
    Refresh refresh({{&problem->u.storage(0), &problem->u.boundaries(), star(1)}}, {}, context.timeline());
    refresh.exchanges().front()->start();
  }
  EXPECT_EQ(problem->u.storage(0).in_flight(), nullptr);
  Runner runner(context, {});
  problem->run(runner, 5);
}

TEST(Lifetime, TwoGridsInOneContext) {
  TestContext context({.threads = 2});
  Problem small(context, {8, 9, 12}), large(context, {15, 10, 21}, 2);
  Runner one(context, {.strategy = Strategy::boundary_first}),
      two(context, {.strategy = Strategy::halo_thread});
  for (int n = 1; n < 5; ++n) {
    small.run(one, n);
    large.run(one, -n);
    large.run(two, n);
    small.run(two, -n);
  }
}

TEST(Lifetime, TwoContextsInOneProcess) {
  TestContext first({.threads = 1}), second({.threads = 2, .transport = TransportPolicy::mpi});
  Context alone(MPI_COMM_SELF);
  Problem a(first, {8, 9, 12}), b(second, {11, 8, 18}), c(alone, {7, 6, 5});
  Runner ra(first, {}), rb(second, {.strategy = Strategy::interior_first}), rc(alone, {});
  for (int n = 1; n < 5; ++n) {
    a.run(ra, n);
    if (first.rank() % 2 == 0) c.run(rc, 10 * n);  // without the other ranks
    b.run(rb, -n);
  }
  EXPECT_EQ(alone.size(), 1);
  alone.close();
  a.run(ra, 7);
}

TEST(Lifetime, ContextsOneAfterTheOther) {
  for (int n = 0; n < 30; ++n) {
    TestContext context;
    Problem problem(context, {8, 8, 12});
    Runner runner(context, {});
    problem.run(runner, n);
  }
}

}  // namespace
}  // namespace sc::test
