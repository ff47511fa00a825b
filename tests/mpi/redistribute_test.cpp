// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 6 8
// optimise: no
// label: sanitize
// Redistribution between decompositions of the same cells, in both directions, and gathering on rank 0.
#include "engine/move/redistribute.hpp"

#include <cstring>
#include <memory>

#include "engine/base/error.hpp"
#include "engine/move/exchange.hpp"
#include "engine/move/output/gather.hpp"
#include "engine/move/parcels/halo_parcels.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/on_transports.hpp"

namespace sc::test {
namespace {

std::unique_ptr<Storage> storage_on(const Grid& grid, const char* name, ElementType type, int components) {
  auto storage = std::make_unique<Storage>(grid, name, type, components, grid.arena());
  poison(*storage);
  return storage;
}

class Moving : public OnTransport {
 protected:
  void there_and_back(const Grid& a, const Grid& b, ElementType type, int components) {
    auto from = storage_on(a, "from", type, components);
    auto to = storage_on(b, "to", type, components);
    Redistribute there(*from, *to, 900), back(*to, *from, 900);
    for (int salt = 1; salt <= 3; ++salt) {
      from->settle();
      fill(*from, salt);
      if (salt == 2)
        for (int piece = there.pieces() - 1; piece >= 0; --piece) there.start(piece);
      there.wait();
      // Own cells only: halo and padding remain poisoned.
      EXPECT_TRUE(exchanged(*to, point, salt));
      from->settle();
      poison(*from);
      back.start();
      while (!back.test()) sched_yield();
      back.wait();
      EXPECT_TRUE(exchanged(*from, point, salt));
    }
  }
};

TEST_P(Moving, BetweenAllSplits) {
  const auto all = splits(context->size());
  for (Int3 a : all)
    for (Int3 b : all) {
      if (a == b && context->size() > 1) continue;
      SCOPED_TRACE(to_string(a) + " to " + to_string(b));
      there_and_back(Grid(*context, {.cells = {10, 11, 13}, .halo = 1, .split = a}),
                     Grid(*context, {.cells = {10, 11, 13}, .halo = 0, .split = b}), ElementType::f64, 2);
      if (HasFailure()) return;
    }
}

TEST_P(Moving, OntoFewerRanksAndBackForEveryType) {
  const Grid fine(*context, {.cells = {20, 17, 19}, .periodic = {true, false, true}, .halo = 1});
  for (ElementType type : {ElementType::f32, ElementType::f64, ElementType::i32, ElementType::i64,
                           ElementType::c32, ElementType::c64})
    for (int ranks : {1, 2, 3}) {
      const Grid coarse = fine.coarsen({2, 2, 2}, 2);
      there_and_back(coarse, coarse.on(ranks), type, 1);
    }
}

// Neighbours may still read the target's own cells when the next redistribution arrives.
TEST_P(Moving, SettlesWhatItOverwrites) {
  const Grid a(
      *context,
      {.cells = {8, 9, 20}, .periodic = {true, true, true}, .halo = 1, .split = {1, 1, context->size()}});
  const Grid b = a.on(std::max(1, context->size() - 1));
  auto from = storage_on(a, "from", ElementType::f64, 1);
  auto to = storage_on(b, "to", ElementType::f64, 1);
  Redistribute move(*from, *to);
  Exchange halo(b.context(), halo_parcels(b, {{to.get(), box(1)}}));
  for (int salt = 0; salt < 60; ++salt) {
    from->settle();
    fill(*from, salt);
    move.start();
    move.wait();
    EXPECT_EQ(to->fresh(), point);
    halo.start();
    halo.wait();
    EXPECT_TRUE(exchanged(*to, box(1), salt));
  }
}

TEST_P(Moving, GathersTheWholeFieldOnRankZero) {
  for (Int3 split : splits(context->size()))
    for (ElementType type : {ElementType::f32, ElementType::f64, ElementType::c64}) {
      const Grid grid(*context, {.cells = {9, 10, 11}, .halo = 1, .split = split});
      for (const Grid& some : {grid, grid.on(2), grid.coarsen({4, 4, 4}, 1)}) {
        auto storage = storage_on(some, "whole", type, 2);
        fill(*storage, 3);
        const std::vector<std::byte> whole = gather(*storage);
        if (context->rank() != 0) {
          EXPECT_TRUE(whole.empty());
          continue;
        }
        const Int3 n = some.cells();
        std::vector<std::byte> expected(whole.size());
        ASSERT_EQ(whole.size(), static_cast<std::size_t>(2 * n.x * n.y * n.z) * size_of(type));
        std::byte* at = expected.data();
        for (int k = 0; k < 2; ++k)
          each_cell({{0, 0, 0}, n}, [&](Int3 g) {
            put(at, type, code_of(n, g, k, 2, 3));
            at += size_of(type);
          });
        EXPECT_EQ(whole, expected);
      }
    }
}

TEST_P(Moving, GathersWhatLiesBeyondPhysicalFaces) {
  for (Int3 split : splits(context->size())) {
    const Grid grid(*context,
                    {.cells = {16, 17, 18}, .periodic = {false, true, false}, .halo = 2, .split = split});
    auto storage = storage_on(grid, "walled", ElementType::f64, 2);
    // Every cell, including the halo, holds its global position, so that gathered values from other cells
    // would be detected.
    const auto value = [](int k, Int3 g) { return k + 2 * (g.x + 100 * (g.y + 100 * g.z)); };
    for (int k = 0; k < 2; ++k)
      each_cell(grid.own().grown({2, 2, 2}), [&](Int3 c) {
        const double v = value(k, c + grid.origin());
        std::memcpy(storage->base() + 8 * (k * storage->component_stride() + grid.layout().offset(c)), &v, 8);
      });
    for (int layers = 0; layers <= 2; ++layers) {
      const std::vector<std::byte> whole = gather(*storage, layers);
      if (context->rank() != 0) {
        EXPECT_TRUE(whole.empty());
        continue;
      }
      const Int3 n = gathered_extent(grid, layers);
      EXPECT_EQ(n, (Int3{16 + 2 * layers, 17, 18 + 2 * layers}));
      std::vector<double> expected;
      for (int k = 0; k < 2; ++k)
        each_cell({{-layers, 0, -layers}, {16 + layers, 17, 18 + layers}},
                  [&](Int3 g) { expected.push_back(value(k, g)); });
      ASSERT_EQ(whole.size(), expected.size() * 8);
      EXPECT_EQ(std::memcmp(whole.data(), expected.data(), whole.size()), 0) << layers;
    }
    EXPECT_THROW(gather(*storage, 3), Error);
  }
}

TEST_P(Moving, RefusesWhatCannotBe) {
  const Grid grid(*context, {.cells = {8, 8, 16}, .halo = 1});
  const Grid larger(*context, {.cells = {8, 8, 17}, .halo = 1});
  auto a = storage_on(grid, "a", ElementType::f64, 1);
  auto b = storage_on(larger, "b", ElementType::f64, 1);
  auto c = storage_on(grid, "c", ElementType::f32, 1);
  EXPECT_THROW(Redistribute(*a, *a), Error);
  EXPECT_THROW(Redistribute(*a, *b), Error);
  EXPECT_THROW(Redistribute(*a, *c), Error);
}

INSTANTIATE_TEST_SUITE_P(Transports, Moving, all_transports, policy_name);

}  // namespace
}  // namespace sc::test
