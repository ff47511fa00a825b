// SPDX-License-Identifier: Apache-2.0
// optimise: no
// The parts of movements that need no second rank: copies of boxes, division of parcels, keys of reductions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "engine/exec/ordered_key.hpp"
#include "engine/move/parcels/box_copy.hpp"
#include "engine/move/parcels/region.hpp"
#include "engine/move/reduction.hpp"

namespace sc {
namespace {

/// A dense array of bytes with known values, [component][z][y][x].
struct Array {
  Array(Int3 cells, int components, std::size_t element_size)
      : n(cells), size(element_size), bytes(static_cast<std::size_t>(n.x * n.y * n.z * components) * size) {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 131 + i / 251);
  }
  CellMemory memory() { return CellMemory::dense(bytes.data(), {{0, 0, 0}, n}, size); }
  std::size_t at(int k, Int3 c) const {
    return static_cast<std::size_t>(((k * n.z + c.z) * n.y + c.y) * n.x + c.x) * size;
  }
  Int3 n;
  std::size_t size;
  std::vector<std::byte> bytes;
};

TEST(BoxCopy, EveryRowWidthAndElementSizeAndNothingElse) {
  const int components = 2;
  for (std::size_t size : {std::size_t{4}, std::size_t{8}, std::size_t{16}})
    for (int width = 1; width <= 9; ++width) {
      Array from({12, 6, 5}, components, size);
      Array to({11, 7, 6}, components, size);
      const Array before = to;
      const Box source{{2, 1, 1}, {2 + width, 5, 4}};
      const Box sink = source.shifted({-1, 2, 1});
      BoxCopy(from.memory(), source, to.memory(), sink, components, size).run();
      for (int k = 0; k < components; ++k)
        for (int z = 0; z < to.n.z; ++z)
          for (int y = 0; y < to.n.y; ++y)
            for (int x = 0; x < to.n.x; ++x) {
              const Int3 c{x, y, z};
              const bool inside = sink.contains(c);
              const std::byte* expected =
                  inside ? &from.bytes[from.at(k, c - Int3{-1, 2, 1})] : &before.bytes[before.at(k, c)];
              ASSERT_TRUE(std::equal(expected, expected + size, &to.bytes[to.at(k, c)]))
                  << "size " << size << " width " << width << " cell " << to_string(c);
            }
    }
}

// As many entries as a contiguous run between the first and the last, but with duplicates.
TEST(BoxCopy, EntriesMayComeTwice) {
  Array from({8, 1, 1}, 1, 8), to({4, 1, 1}, 1, 8);
  const auto entries = std::make_shared<const std::vector<int>>(std::vector<int>{2, 2, 5, 5});
  BoxCopy(from.memory(), entries, to.memory(), {{0, 0, 0}, {4, 1, 1}}, 1, 8).run();
  for (int i = 0; i < 4; ++i) {
    const std::byte* expected = &from.bytes[from.at(0, {(*entries)[std::size_t(i)], 0, 0})];
    EXPECT_TRUE(std::equal(expected, expected + 8, &to.bytes[to.at(0, {i, 0, 0})])) << "entry " << i;
  }
}

TEST(Parcels, CoverEveryCellOnceWithinTheLimit) {
  const std::vector<std::vector<Region>> regions{
      {{.peer = 3, .source = {{0, 0, 0}, {20, 30, 2}}, .sink = {{0, 0, 40}, {20, 30, 42}}, .face = z_high},
       {.peer = 3, .source = {{19, 0, 0}, {20, 30, 2}}, .sink = {{-1, 0, 40}, {0, 30, 42}}, .face = z_high},
       {.peer = 1, .source = {{0, 0, 0}, {2, 30, 40}}, .sink = {{20, 0, 0}, {22, 30, 40}}, .face = x_high}},
      {{.peer = 3, .source = {{0, 0, 0}, {20, 30, 1}}, .sink = {{0, 0, 40}, {20, 30, 41}}, .face = z_high}}};
  const std::array<std::size_t, 2> cell_bytes{24, 4};
  for (std::size_t limit : {std::size_t{1}, std::size_t{100}, std::size_t{1000}, std::size_t{1} << 30}) {
    const auto parcels = make_parcels(regions, cell_bytes, limit);
    std::vector<std::int64_t> cells(2);
    std::size_t bytes = 0;
    for (const Parcel& parcel : parcels) {
      std::size_t sum = 0;
      for (const Part& part : parcel.parts) {
        const auto item = static_cast<std::size_t>(part.item);
        cells[item] += part.source.cells();
        sum += static_cast<std::size_t>(part.source.cells()) * cell_bytes[item];
        EXPECT_EQ(part.source.extent(), part.sink.extent());
        EXPECT_EQ(intersect(parcel.source, part.source), part.source);
        EXPECT_EQ(intersect(parcel.sink, part.sink), part.sink);
        const bool belongs = std::ranges::any_of(regions[item], [&](const Region& r) {
          return r.peer == parcel.peer && intersect(r.source, part.source) == part.source &&
                 part.sink.lo - part.source.lo == r.sink.lo - r.source.lo;
        });
        EXPECT_TRUE(belongs);
      }
      EXPECT_EQ(sum, parcel.bytes);
      bytes += sum;
      // One cell of all items on it is the smallest possible parcel.
      EXPECT_LE(parcel.bytes, std::max(limit, std::size_t{24 + 24 + 4}));
    }
    EXPECT_EQ(cells[0], 20 * 30 * 2 + 30 * 2 + 2 * 30 * 40);
    EXPECT_EQ(cells[1], 20 * 30);
    EXPECT_EQ(bytes, static_cast<std::size_t>(cells[0]) * 24 + static_cast<std::size_t>(cells[1]) * 4);
    if (limit == std::size_t{1} << 30) {
      ASSERT_EQ(parcels.size(), 2U);
      EXPECT_EQ(parcels[0].peer, 3) << "z faces come first";
    }
  }
}

// MPI counts elements as int: no piece exceeds 1 GiB, whatever limit is given for all or for a region.
TEST(Parcels, NoneIsLargerThanAMessageCanBe) {
  constexpr std::size_t most = std::size_t{1} << 30, no_limit = std::numeric_limits<std::size_t>::max();
  const std::array<std::size_t, 1> cell_bytes{8};
  for (const std::size_t of_region : {std::size_t{0}, no_limit}) {
    const Box source{{0, 0, 0}, {1024, 1024, 512}};
    const std::array regions{std::vector<Region>{
        {.peer = 1, .source = source, .sink = source, .face = z_high, .piece_bytes = of_region}}};
    std::size_t bytes = 0;
    for (const Parcel& parcel : make_parcels(regions, cell_bytes, no_limit)) {
      EXPECT_LE(parcel.bytes, most);
      bytes += parcel.bytes;
    }
    EXPECT_EQ(bytes, 4 * most);
  }
}

TEST(Parcels, OrderCountsWithinAPair) {
  std::vector<std::vector<Region>> regions(1);
  for (int peer : {2, 1, 2})
    regions[0].push_back(
        {.peer = peer, .source = {{0, 0, 0}, {4, 4, 4}}, .sink = {{0, 0, 0}, {4, 4, 4}}, .face = x_low});
  const std::array<std::size_t, 1> cell_bytes{8};
  std::array<int, 3> next{};
  for (const Parcel& parcel : make_parcels(regions, cell_bytes, 64))
    EXPECT_EQ(parcel.order, next[static_cast<std::size_t>(parcel.peer)]++);
}

// For faces normal to x, pieces of opposite faces alternate, because they share cache lines; for y and z they
// do not.
TEST(Parcels, OfOppositeFacesTakeTurnsAcrossX) {
  const std::array<std::size_t, 1> cell_bytes{8};
  const auto sides = [&](Face low, Face high) {
    Box of_low{{0, 0, 0}, {8, 8, 8}}, of_high = of_low;
    of_low.hi[low.axis] = 1;
    of_high.lo[high.axis] = 7;
    const std::array regions{
        std::vector<Region>{{.peer = 1, .source = of_low, .sink = of_low, .face = low},
                            {.peer = 1, .source = of_high, .sink = of_high, .face = high}}};
    std::string order;
    for (const Parcel& parcel : make_parcels(regions, cell_bytes, 128))
      order += parcel.source.lo[low.axis] == 0 ? 'l' : 'h';
    return order;
  };
  EXPECT_EQ(sides(x_low, x_high), "lhlhlhlh");
  EXPECT_EQ(sides(y_low, y_high), "llllhhhh");
  EXPECT_EQ(sides(z_low, z_high), "llllhhhh");
}

TEST(Keys, OrderOfDoublesWithNanOnTop) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> rising{-inf, -1e300, -2.0, -1.0, -5e-324, 0.0, 5e-324, 1.0, 2.0, 1e300, inf};
  for (std::size_t i = 0; i < rising.size(); ++i) {
    EXPECT_EQ(max_value(max_key(rising[i])), rising[i]);
    EXPECT_EQ(min_value(min_key(rising[i])), rising[i]);
    if (i == 0) continue;
    EXPECT_LT(max_key(rising[i - 1]), max_key(rising[i]));
    EXPECT_GT(min_key(rising[i - 1]), min_key(rising[i]));
  }
  EXPECT_EQ(max_key(-0.0), max_key(0.0));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_GT(max_key(nan), max_key(inf));
  EXPECT_GT(min_key(-nan), min_key(-inf));
  EXPECT_TRUE(std::isnan(max_value(max_key(-nan))));
}

}  // namespace
}  // namespace sc
