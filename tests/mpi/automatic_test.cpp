// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// threads: 2
// timeout: 240
// device: yes
// timed: yes
// The automatic strategy: the same bits during all trials, the same choice on all ranks, no trials without
// communication, overlap where it pays, and a new trial when times change.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/kernels.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/mpi/two_sweeps.hpp"

namespace sc::test {
namespace {

struct Mix {
  double a;
  SC_FN void operator()(At c, Out<double> next, In<double> q, In<double> other) const {
    next[c] =
        q[c] + a * (other[c.x(1)] + other[c.x(-1)] + other[c.y(1).z(1)] + other[c.y(-1).z(-1)] - 4 * q[c]);
  }
};

struct Ran {
  std::vector<double> values;  // on rank 0
  std::string chosen;          // a line for each kind
  int steps_tried = 0, trials = 0, kinds = 0;
};

Ran told(Runner& runner) {
  Ran ran;
  if (!runner.choice()) return ran;
  for (const Choice::Chosen& c : runner.choice()->chosen()) {
    ran.chosen += c.name + ": " + std::string(c.strategy) + "\n";
    ++ran.kinds;
  }
  ran.steps_tried = runner.choice()->trials().steps_tried();
  ran.trials = runner.choice()->trials().trials();
  return ran;
}

/// Two sweeps that exchange halos with each other, one with colours that runs several times, and one that
/// runs rarely.
Ran run_model(Context& context, Int3 split, RunnerOptions options, int steps, Space space = Space::host) {
  const Grid grid(context,
                  {.cells = {18, 20, 22}, .periodic = {false, true, true}, .halo = 2, .split = split});
  Field<double> u(grid, "u", {.levels = 2, .space = space}), v(grid, "v", {.levels = 2, .space = space});
  Field<double> w(grid, "w", {.space = space});
  for (AnyField* field : std::initializer_list<AnyField*>{&u, &v, &w}) {
    poison(*field);
    for (int side = 0; side < 2; ++side)
      boundary(static_cast<Field<double>&>(*field), {0, side}, Mirrored<double>{});
  }
  context.barrier();
  u.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  v.fill([](int x, int y, int z) { return std::cos(0.3 * x - 0.5 * y + 0.1 * z); });
  w.fill([](int x, int y, int z) { return std::sin(0.1 * x * y - 0.3 * z); });
  Runner runner(context, options);
  Sweep first("first", Mix{}, writes(u.next()), reads(u.now()), reads(v.now(), box(1)));
  Sweep second("second", Mix{}, writes(v.next()), reads(v.now()), reads(u.now(), box(2)));
  Sweep seldom("seldom", Mix{}, writes(u.next()), reads(u.now()), reads(w.now(), box(1)));
  Sweep relax("relax", Relax{}, SweepOptions{.colours = 4}, updates(w.now(), box(1)));
  for (int n = 0; n < steps; ++n) {
    runner.begin_step();
    runner.run(first, Mix{0.1 + 1e-3 * n});
    u.advance();
    runner.run(second, Mix{0.05});
    v.advance();
    for (int sweep = 0; sweep < 1 + n % 3; ++sweep) runner.run(relax);
    if (n % 5 != 4) continue;
    runner.run(seldom, Mix{0.02});
    u.advance();
  }
  Ran ran = told(runner);
  for (AnyField* field : std::initializer_list<AnyField*>{&u, &v, &w}) {
    field->storage(0).settle();
    const std::vector<double> part = on_root(*field);
    ran.values.insert(ran.values.end(), part.begin(), part.end());
  }
  context.barrier();
  return ran;
}

/// Both rounds of both turns, the choice, and some steps after it.
constexpr int through_trials = 40;

std::vector<double> expected_values(int steps) {
  return on_one_rank([&](Context& one) {
    return run_model(one, {1, 1, 1}, {.strategy = Strategy::blocking}, steps).values;
  });
}

TEST(Automatic, LeavesTheSameBitsAndTheSameChoiceOnAllRanks) {
  const std::vector<double> expected = expected_values(through_trials);
  for (const double value : expected) ASSERT_TRUE(std::isfinite(value));
  for (const int threads : {1, 2})
    for (const TransportPolicy transport :
         {TransportPolicy::automatic, TransportPolicy::mpi, TransportPolicy::delayed}) {
      TestContext context({.threads = threads, .transport = transport, .delay = 1e-4});
      for (const Int3 split : splits(context.size())) {
        SCOPED_TRACE(testing::Message() << to_string(split) << threads << " threads");
        const Ran ran = run_model(context, split, {.poke_seconds = 1e-6}, through_trials);
        EXPECT_TRUE(context.rank() > 0 || same_bits(ran.values, expected));
        std::string first = ran.chosen;
        context.broadcast(first);
        EXPECT_EQ(ran.chosen, first);
        const bool travels = context.size() > 1 || transport == TransportPolicy::delayed;
        EXPECT_EQ(ran.kinds, travels ? 4 : 0) << ran.chosen;
        EXPECT_EQ(ran.trials, travels ? 1 : 0);
        // Four eager strategies and one or two others, two and three steps each, and a first step of each of
        // the four turns; fewer if some are left out.
        EXPECT_LE(ran.steps_tried, (2 + 3) * (4 + 2) + 4);
      }
    }
}

class OnDevices : public OnBackend {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(backends()), backend_name);

TEST_P(OnDevices, LeaveTheSameBits) {
  const std::vector<double> expected = expected_values(through_trials);
  TestContext context;
  open(context, GetParam());
  for (const Int3 split : splits(context.size())) {
    const Ran ran = run_model(context, split, {}, through_trials, space_of(GetParam()));
    EXPECT_EQ(ran.trials, GetParam() != Backend::host || context.size() > 1 ? 1 : 0);
    EXPECT_TRUE(context.rank() > 0 || same_bits(ran.values, expected)) << to_string(split);
  }
}

/// Calls `steps` with two fields of the same cells, one of them in files of each rank, and then compares
/// them.
template <class Steps>
void with_files(Context& context, const Steps& steps) {
  const std::filesystem::path folder =
      std::filesystem::current_path() / ("scratch-automatic-" + std::to_string(context.size()));
  {
    FileMemory files({.folder = folder.string(), .name = "rank " + std::to_string(context.rank())});
    const Grid grid(context,
                    {.cells = {12, 10, 32}, .periodic = {true, true, true}, .split = {1, 1, context.size()}});
    Field<double> near(grid, "near", {.levels = 2}),
        far(grid, "far", {.levels = 2, .place = in_files(files, 4)});
    for (Field<double>* T : {&near, &far})
      T->fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
    steps(near, far);
    int wrong = 0;
    far.each_slab([&](int lo, int hi, In<double> cells) {
      each_cell(Box{{0, 0, lo}, {grid.own().hi.x, grid.own().hi.y, hi}},
                [&](Int3 c) { wrong += cells.base[grid.layout().offset(c)] != near.get(c); });
    });
    EXPECT_EQ(wrong, 0);
  }
  context.barrier();  // all ranks have removed their own files
  if (context.rank() == 0) std::filesystem::remove_all(folder);
  context.barrier();  // before another test makes it again
}

auto diffuse(Field<double>& T) {
  return Sweep("diffuse", Diffuse{}, writes(T.next()), reads(T.now(), star(1)));
}

// Slabs of the fields are read and written meanwhile. For files of each rank, only strategies that prefetch
// are tried.
TEST(Automatic, LeavesTheSameBitsInFiles) {
  TestContext context;
  with_files(context, [&](Field<double>& near, Field<double>& far) {
    Runner blocking(context, {.strategy = Strategy::blocking}), automatic(context, {});
    for (auto [T, runner] : {std::pair(&near, &blocking), std::pair(&far, &automatic)}) {
      Sweep sweep = diffuse(*T);
      for (int n = 0; n < through_trials; ++n) {
        runner->run(sweep);
        T->advance();
      }
    }
    EXPECT_EQ(told(automatic).trials, context.size() > 1 ? 1 : 0);
    EXPECT_EQ(told(automatic).chosen.find("blocking"), std::string::npos);
  });
}

// A stage of the same name and grid has candidates of its own where its fields are others: those in files
// have no candidate without overlap.
TEST(Automatic, TellsStagesOfTheSameNameApartByTheirLevels) {
  TestContext context;
  with_files(context, [&](Field<double>& near, Field<double>& far) {
    Runner runner(context, {});
    Sweep of_near = diffuse(near), of_far = diffuse(far);
    for (int n = 0; n < through_trials; ++n) {
      runner.begin_step();
      runner.run(of_near);
      runner.run(of_far);
      near.advance();
      far.advance();
    }
    const std::vector<Choice::Chosen> chosen = runner.choice()->chosen();
    ASSERT_EQ(chosen.size(), context.size() > 1 ? 2U : 0U);
    if (chosen.empty()) return;
    EXPECT_EQ(chosen[0].name, "diffuse on [12, 10, 32]");
    EXPECT_EQ(chosen[1].name, "diffuse of far[1], far[0] in slabs on [12, 10, 32]");
    EXPECT_GT(chosen[0].seconds.blocking, 0);
    EXPECT_EQ(chosen[1].seconds.blocking, 0);
    EXPECT_GT(chosen[1].seconds.chosen, 0);
    EXPECT_TRUE(Strategy::of(chosen[1].strategy).overlaps) << chosen[1].strategy;
  });
}

struct Slow {  // sleeps, so that other programs delay all strategies equally
  double seconds;
  SC_FN void operator()(At c, Index g, Out<double> next, In<double> u) const {
    if (g.x == 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    next[c] = 0.5 * u[c] + 0.25 * (u[c.z(1)] + u[c.z(-1)]);
  }
};

/// Sweeps over 2 x 12 rows on each rank; the first and the last plane are the shell.
template <class Step>
void with_slow_sweeps(Context& context, Runner& runner, const Step& step) {
  const int ranks = context.size();
  const Grid grid(
      context,
      {.cells = {8, 2, 12 * ranks}, .periodic = {false, false, true}, .halo = 1, .split = {1, 1, ranks}});
  Field<double> u(grid, "u", {.levels = 2});
  u.boundaries().leave_others(Beyond::unread);
  u.fill([](int x, int y, int z) { return std::sin(x + 3 * y + 7 * z); });
  Sweep slow("slow", Slow{}, writes(u.next()), reads(u.now(), star(1)));
  step([&](double seconds) {
    runner.run(slow, Slow{seconds});
    u.advance();
  });
  u.storage(0).settle();
}

// 20 ms of core, 4 ms of shell, and messages that take as long as the core.
TEST(Automatic, HidesWhereThatPays) {
  TestContext context({.transport = TransportPolicy::delayed, .delay = 20e-3});
  Runner runner(context, {});
  with_slow_sweeps(context, runner, [&](const auto& sweep) {
    for (int n = 0; n < through_trials; ++n) sweep(1e-3);
  });
  ASSERT_EQ(runner.choice()->chosen().size(), 1U);
  const Choice::Chosen chosen = runner.choice()->chosen()[0];
  EXPECT_TRUE(Strategy::of(chosen.strategy).overlaps) << chosen.strategy;
  EXPECT_GT(chosen.seconds.blocking, 1.2 * chosen.seconds.chosen) << chosen.strategy;
  EXPECT_EQ(chosen.name, "slow on [8, 2, " + std::to_string(12 * context.size()) + "]");
}

// Other programs may cause an earlier new trial; then the interval to the next one is longer.
TEST(Automatic, TriesAgainWhereTimesChange) {
  TestContext context;
  if (context.size() == 1) GTEST_SKIP() << "nothing travels";
  Runner runner(context, {});
  with_slow_sweeps(context, runner, [&](const auto& sweep) {
    const auto trials = [&] { return runner.choice()->trials().trials(); };
    for (int n = 0; n < 110; ++n) sweep(50e-6);  // the trial, and the first check of the times
    const int before = trials();
    EXPECT_GE(before, 1);
    for (int n = 0; n < 400 && trials() == before; ++n) sweep(500e-6);
    EXPECT_GT(trials(), before);
  });
}

// Trials without overlap measure M, so that no other run is used as a sample.
TEST(Automatic, MeasuresInItsTrials) {
  TestContext context({.transport = TransportPolicy::mpi});
  if (context.size() == 1) GTEST_SKIP() << "nothing travels";
  Runner runner(context, {});
  with_slow_sweeps(context, runner, [&](const auto& sweep) {
    for (int n = 0; n < 9; ++n) sweep(20e-6);
  });
  // The third run is the first in the trial: blocking, ordered, boundary_first, pipelined, and backwards.
  EXPECT_EQ(runner.counts().at("slow").samples, 3);
  const Account& account = context.accounts()[Resource::messages];
  EXPECT_EQ(account.measured, 7);  // those three, and the runs after the first
  EXPECT_GT(account.apart, 0);
}

}  // namespace
}  // namespace sc::test
