// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// threads: 2
// timeout: 240
// optimise: no
// LineSolve over fields in files: lines along x, y and z that slabs, ranks or both divide leave the bits of
// memory on one rank.
#include <gtest/gtest.h>

#include "tests/mpi/cells.hpp"
#include "tests/mpi/derivatives.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

class LineInFiles : public testing::TestWithParam<int> {};

FileMemory memory_in(Context& context, const SharedFolder& folder) {
  return FileMemory({.folder = folder.path(), .name = "rank " + std::to_string(context.rank())});
}

TEST_P(LineInFiles, LeavesTheBitsOfMemory) {
  const int axis = GetParam();
  // 5 blocks along z, the last of 13 planes; 4 along x or y.
  const Int3 cells{axis == 0 ? 37 : 18, axis == 1 ? 37 : 33, 45};
  const std::vector<double> expected = alone(cells, axis);
  TestContext context({.threads = 2});
  const SharedFolder folder(context, "scratch-lines-");
  int divided = 0;
  for (const Int3 split : splits(context.size())) {
    if (!possible(cells, split)) continue;
    divided += split[axis] > 1 ? 1 : 0;
    for (const int pieces : {1, 2, 5 / split.z})
      for (const Strategy* strategy : {&Strategy::blocking, &Strategy::boundary_first, &Strategy::pipelined,
                                       &Strategy::interior_first}) {
        if (pieces > 5 / split.z) continue;
        FileMemory files = memory_in(context, folder);
        const auto got = derive(context, {.cells = cells,
                                          .axis = axis,
                                          .split = split,
                                          .runner = {.strategy = *strategy, .poke_seconds = 1e-6},
                                          .place = in_files(files, pieces, LineSystem::usual_block)});
        if (context.rank() == 0) {
          EXPECT_EQ(got, expected) << strategy->name << " " << to_string(split) << " " << pieces;
        }
      }
  }
  if (context.size() > 1) {
    EXPECT_GT(divided, 0);
  }
}

/// Both passes read what right sides are made of, and the second writes; lines along x and y read no planes
/// beside their own.
TEST_P(LineInFiles, PassesTwiceWhereSlabsDivideTheLines) {
  const int axis = GetParam();
  TestContext context;
  Int3 cells{32, 32, 32}, split{1, 1, 1};
  split[axis == 1 ? 0 : 1] = context.size();
  const SharedFolder folder(context, "scratch-lines-");
  FileMemory files = memory_in(context, folder);
  const auto place = in_files(files, 4, LineSystem::usual_block);
  const Grid grid = grid_of(context, {.cells = cells, .axis = axis, .split = split});
  const FieldOptions there{.place = place};
  Field<double, 2> f(grid, "f", there), df(grid, "df", there);
  f.fill(start_value);
  const auto system = std::make_shared<const LineSystem>(tridiagonal(cells[axis], beside, 1, true));
  LineSolve solve("solve", axis, system, Derivatives{0.5}, writes(df.now()), reads(f.now(), star(3)));
  Runner runner(context, {});
  const std::int64_t before = files.bytes(Way::in);
  runner.run(solve);
  place->finish();
  const PlaneCut& cut = far_cells(f.storage(0)).arrays()[0].cut();
  EXPECT_EQ(files.bytes(Way::in) - before, axis == 2 ? 4 * cut.moved(3) : 2 * cut.moved());
  EXPECT_EQ(runner.counts().count("solve (sums)"), axis == 2 ? 1U : 0U);
}

TEST(LineInFiles, HasStripsAcrossZAndWhatRanksCut) {
  TestContext context;
  for (const Int3 split : splits(context.size())) {
    const Int3 cells{32, 32, 32};
    if (!possible(cells, split)) continue;
    const StripBoxes boxes = strip_boxes(grid_of(context, {.cells = cells, .axis = 2, .split = split}));
    for (int face = 0; face < 6; ++face) {
      const bool kept = face / 2 == 2 || split[face / 2] > 1;
      EXPECT_EQ(boxes.own[std::size_t(face)].empty(), !kept) << to_string(split) << " face " << face;
      EXPECT_EQ(boxes.halo[std::size_t(face)].empty(), !kept) << to_string(split) << " face " << face;
    }
  }
}

TEST(LineInFiles, RefusesPiecesCutInsideABlock) {
  TestContext context;
  const Int3 cells{16, 16, 8 * 3 * context.size()};
  const SharedFolder folder(context, "scratch-lines-");
  FileMemory files = memory_in(context, folder);
  const Grid grid = grid_of(context, {.cells = cells, .axis = 2, .split = {1, 1, context.size()}});
  const FieldOptions there{.place = in_files(files, 2)};
  Field<double, 2> f(grid, "f", there), df(grid, "df", there);
  const auto system = std::make_shared<const LineSystem>(tridiagonal(cells.z, beside, 1, true));
  const std::string said = refusal([&] {
    LineSolve solve("solve", 2, system, Derivatives{0.5}, writes(df.now()), reads(f.now(), star(3)));
  });
  EXPECT_NE(said.find("is cut into pieces at plane 12"), std::string::npos) << said;
  EXPECT_THROW((Field<double>(grid, "thin", {.place = in_files(files, 4, 8)})), Error);
}

INSTANTIATE_TEST_SUITE_P(XYZ, LineInFiles, testing::Values(0, 1, 2));

}  // namespace
}  // namespace sc::test
