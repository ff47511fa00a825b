// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// optimise: no
// Rehearsal of fields in files on a single rank of a larger run: the bytes that real files count, with single
// steps and with passes, and the times on a described disk, by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/move/stream/rehearsed_files.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "model/predict/forecast.hpp"
#include "tests/mpi/rehearsals.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using model::Forecast;
using model::Machine;

constexpr Int3 cells{48, 40, 96};
constexpr int pieces = 4;

/// Runs steps until the state is settled, then as many that are counted or recorded.
template <class Count>
void go(Context& context, FarMemory& files, const Strategy& strategy, int length, const Count& count) {
  constexpr int steps = 6;
  const Grid grid(
      context,
      {.cells = cells, .periodic = {true, true, false}, .halo = length, .split = {1, 1, context.size()}});
  const auto place = in_files(files, pieces / context.size());
  Field<double> T(grid, "T", {.levels = 2, .place = place});
  T.fill([](int, int, int) { return 1.0; });
  for (int side = 0; side < 2; ++side) boundary(T, {2, side}, Mirrored<double>{});
  Runner runner(context, {.strategy = strategy, .steps_per_pass = length});
  auto mean = mean_of(T);
  const auto advance = [&] {
    runner.steps(steps, [&](int) {
      runner.run(mean);
      T.advance();
      if (length > 1) runner.discard(T, 1);
    });
    place->finish();
  };
  advance();
  count(advance);
}

Rehearsal rehearse(const Strategy& strategy, int length, int rank = 0, int ranks = 1) {
  return rehearsed({rank, ranks, 1}, [&](Context& context, const auto& note) {
    RehearsedFiles files(context, strategy.overlaps);
    go(context, files, strategy, length, note);
  });
}

TEST(RehearsedFields, MoveTheBytesThatRealFilesCount) {
  TestContext context;
  const SharedFolder folder(context, "scratch-rehearsed-");
  for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first, Strategy::interior_first})
    for (const int length : {1, 3}) {
      FileMemory files(folder.options(strategy.overlaps ? IoMode::automatic : IoMode::blocking));
      FileBytes counted;
      context.accounts().sampling = {0, 0};
      go(context, files, strategy, length, [&](const auto& advance) {
        const FileBytes before{files.bytes(Way::in), files.bytes(Way::out)};
        advance();
        counted = {files.bytes(Way::in) - before.read, files.bytes(Way::out) - before.written};
      });
      EXPECT_EQ(file_bytes(rehearse(strategy, length, context.rank(), context.size())), counted)
          << strategy.name << " " << length;
      context.barrier();
    }
}

Machine disk(double read, double written) {
  Machine m;
  m.rates = {{"mean", {{10e-9, 0}}}, {"pass", {{10e-9, 0}}}};
  m.files = {read, written};
  return m;
}

TEST(RehearsedFields, OneAfterTheOtherTakeTheSum) {
  TestContext context;
  if (context.rank() > 0) return;
  const Rehearsal rehearsal = rehearse(Strategy::blocking, 1);
  const FileBytes bytes = file_bytes(rehearsal);
  const Machine m = disk(2e-9, 3e-9);
  const double computing = 6 * 10e-9 * static_cast<double>(Box{{}, cells}.cells());
  const double files = 2e-9 * static_cast<double>(bytes.read) + 3e-9 * static_cast<double>(bytes.written);
  const Forecast f = model::forecast(rehearsal, m, Strategy::blocking);
  EXPECT_NEAR(f.total, computing + files, 1e-9);
}

TEST(RehearsedFields, SideBySideTakeTheLongest) {
  TestContext context;
  if (context.rank() > 0) return;
  const double computing = 6 * 10e-9 * static_cast<double>(Box{{}, cells}.cells());
  const Rehearsal rehearsal = rehearse(Strategy::boundary_first, 1);
  const FileBytes bytes = file_bytes(rehearsal);
  const auto total = [&](double read, double written) {
    return model::forecast(rehearsal, disk(read, written), Strategy::boundary_first).total;
  };
  EXPECT_NEAR(total(1e-12, 1e-12), computing, 1e-3 * computing);
  const double reading = 40e-9 * static_cast<double>(bytes.read);
  EXPECT_GE(total(40e-9, 1e-12), reading);
  EXPECT_LT(total(40e-9, 1e-12), 1.2 * reading);
  const double writing = 40e-9 * static_cast<double>(bytes.written);
  EXPECT_GE(total(1e-12, 40e-9), writing);
  EXPECT_LT(total(1e-12, 40e-9), 1.2 * writing);
}

// Passes of three steps read and write less. Reads and writes overlap, except in the first and the last slabs
// of a pass, which the next pass reads.
TEST(RehearsedFields, SeveralStepsAPassTakeSoMuchLess) {
  TestContext context;
  if (context.rank() > 0) return;
  const Machine m = disk(40e-9, 40e-9);
  const Rehearsal one = rehearse(Strategy::boundary_first, 1), three = rehearse(Strategy::boundary_first, 3);
  const FileBytes by_one = file_bytes(one), by_three = file_bytes(three);
  EXPECT_LT(2 * by_three.read, by_one.read);
  EXPECT_LT(by_three.written, by_one.written);
  const double longest = 40e-9 * static_cast<double>(std::max(by_three.read, by_three.written));
  const double total = model::forecast(three, m, Strategy::boundary_first).total;
  EXPECT_GE(total, longest);
  EXPECT_LT(total, 40e-9 * static_cast<double>(by_three.read + by_three.written));
}

}  // namespace
}  // namespace sc::test
