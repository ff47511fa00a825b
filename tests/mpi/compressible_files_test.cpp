// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4
// ranks when long: 2 3
// threads: 2
// timeout: 600
// optimise: no
// A gas whose fields lie in files: the bits of memory for any split, pieces and strategy, the bytes that were
// planned and are rehearsed, and what is measured and shown of it.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "engine/base/error.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/gas.hpp"
#include "tests/mpi/rehearsals.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

CompressibleOptions in_files(CompressibleOptions o, const SharedFolder& folder, int pieces) {
  o.storage = {.where = Where::files, .pieces = pieces, .scratch = folder.path()};
  return o;
}

CompressibleOptions turbulent(Int3 cells, bool viscous) {
  CompressibleOptions o = box(cells, Initial::random, 0.4);
  o.flow.peak = 2;
  o.dt = 0.01;
  if (viscous) {
    o.gas.viscosity = 0.01;
    o.filter = 0.49;
    o.forcing = {.power = 0.3, .dilatational = 0.3};
  }
  return o;
}

struct Outcome {
  std::vector<std::byte> cells;
  Measures measures;
  compressible::Spectrum spectrum;
};
Outcome run(Context& context, const CompressibleOptions& o) {
  Compressible flow(context, o);
  for (int n = 0; n < 2; ++n) flow.step();
  flow.conserved().storage(0).settle();
  return {gather(flow.conserved().storage(0)), flow.measure(), flow.spectrum()};
}

TEST(CompressibleInFiles, LeavesTheBitsOfMemory) {
  constexpr std::array strategies{&Strategy::boundary_first, &Strategy::blocking, &Strategy::pipelined,
                                  &Strategy::interior_first};
  std::size_t turn = 0;
  for (const auto& [viscous, single] : {std::pair(true, false), {false, true}}) {
    CompressibleOptions o = turbulent({16, 40, 45}, viscous);  // 5 blocks along z, the last of 13 planes
    o.single = single;
    o.split = {1, 1, 1};
    const Outcome expected = on_one_rank([&](Context& one) { return run(one, o); });
    TestContext context({.threads = 2});
    const SharedFolder folder(context, "scratch-gas-");
    for (const Int3 split : splits(context.size())) {
      if (split.x > 2 || split.z > 4) continue;
      for (const int pieces : std::set{5 / split.z, 1}) {
        CompressibleOptions filed = in_files(o, folder, pieces);
        filed.split = split;
        filed.engine = {.strategy = *strategies[turn++ % strategies.size()], .poke_seconds = 1e-6};
        const Outcome got = run(context, filed);
        const std::string what =
            to_string(split) + " " + std::to_string(pieces) + " " + std::string(filed.engine.strategy.name);
        EXPECT_EQ(got.measures.kinetic, expected.measures.kinetic) << what;
        EXPECT_EQ(got.measures.friction, expected.measures.friction) << what;
        EXPECT_EQ(got.measures.largest_dilatation, expected.measures.largest_dilatation) << what;
        EXPECT_EQ(got.spectrum.solenoidal, expected.spectrum.solenoidal) << what;
        EXPECT_EQ(got.spectrum.dilatational, expected.spectrum.dilatational) << what;
        if (context.rank() == 0) {
          EXPECT_TRUE(got.cells == expected.cells) << what;
        }
      }
    }
  }
}

TEST(CompressibleInFiles, MovesTheBytesThatWerePlannedAndRehearsed) {
  TestContext context;
  const SharedFolder folder(context, "scratch-gas-");
  for (const bool viscous : {true, false})
    for (const Int3 split : splits(context.size())) {
      if (split.x > 2) continue;
      CompressibleOptions o = in_files(turbulent({16, 32, 16 * split.z}, viscous), folder, 2);
      o.split = split;
      o.engine.strategy = Strategy::blocking;  // otherwise the first slabs of the next step may have come
      Compressible flow(context, o);
      SlabPlace& place = *far_cells(flow.conserved().storage(0)).place();
      flow.step();
      place.finish();
      const std::array before{place.memory().bytes(Way::in), place.memory().bytes(Way::out)};
      for (int n = 0; n < 2; ++n) flow.step();
      place.finish();
      EXPECT_EQ(place.memory().bytes(Way::in) - before[0], 2 * flow.budget().read) << to_string(split);
      EXPECT_EQ(place.memory().bytes(Way::out) - before[1], 2 * flow.budget().written) << to_string(split);
      const FileBytes recorded =
          file_bytes(rehearsed({context.rank(), context.size(), 1}, [&](Context& one, auto note) {
            Compressible simulated(one, o);
            SlabPlace& files = *far_cells(simulated.conserved().storage(0)).place();
            simulated.step();
            files.finish();
            note([&] {
              for (int n = 0; n < 2; ++n) simulated.step();
              files.finish();
            });
          }));
      EXPECT_EQ(recorded, (FileBytes{2 * flow.budget().read, 2 * flow.budget().written})) << to_string(split);
    }
}

std::string refused(const Grid& grid, const CompressibleOptions& options) {
  return refusal([&] { compressible::make_budget(grid, options); });
}

TEST(CompressibleInFiles, FitsItsMemoryOrNamesTheSmallest) {
  TestContext context;
  const SharedFolder folder(context, "scratch-gas-");
  CompressibleOptions o = in_files(turbulent({256, 256, 256}, true), folder, 33);
  const Grid grid(context, {.cells = o.cells,
                            .periodic = {true, true, true},
                            .halo = compressible::reach_of_diffusion,
                            .split = {1, 1, context.size()}});
  EXPECT_NE(refused(grid, o).find("storage.pieces is 33; it must be from 1 to"), std::string::npos);
  o.storage = {.memory = 1 << 20, .scratch = folder.path()};
  const std::string said = refused(grid, o);
  const std::string needs = "storage.memory is 1.0 MiB; this flow needs at least ";
  ASSERT_EQ(said.substr(0, needs.size()), needs);
  // A little more: what the process takes grows while it is tried.
  o.storage.memory = static_cast<std::int64_t>((std::stod(said.substr(needs.size())) + 8) * (1 << 20));
  const compressible::Budget small = compressible::make_budget(grid, o);
  EXPECT_TRUE(small.in_files());
  EXPECT_GT(small.pieces, 1);
  o.storage.memory = std::int64_t{64} << 30;
  EXPECT_FALSE(compressible::make_budget(grid, o).in_files());
}

TEST(CompressibleInFiles, NamesTheCellThatIsLost) {
  TestContext context;
  const SharedFolder folder(context, "scratch-gas-");
  CompressibleOptions o = in_files(box({16, 16, 16 * context.size()}, Initial::random, 3), folder, 2);
  o.flow.peak = 4;
  o.dt = 0.5;
  Compressible flow(context, o);
  const auto steps = [&] {
    for (int n = 0; n < 50; ++n) flow.step();
  };
  const std::string said = refusal(steps, Exit::diverged);
  EXPECT_NE(said.find(" at cell "), std::string::npos) << said;
}

}  // namespace
}  // namespace sc::test
