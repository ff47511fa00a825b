// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 5
// ranks when long: 6 8
// timeout: 180
// Every byte of every halo (and every byte that must stay untouched) after exchanges of several fields at
// once, over splits, periodic axes, reaches, corner modes and transports.
#include "engine/move/halo_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "engine/base/error.hpp"
#include "tests/mpi/cells.hpp"

namespace sc::test {
namespace {

using std::chrono::milliseconds;

struct Spec {
  ElementType type;
  int components;
  Reach reach;
};

/// Fields of a grid with their exchange.
struct Fields {
  Fields(const Grid& grid, const std::vector<Spec>& specs, HaloOptions options = {}) {
    std::vector<HaloItem> items;
    for (const Spec& spec : specs) {
      storages.push_back(std::make_unique<Storage>(grid, "f" + std::to_string(storages.size()), spec.type,
                                                   spec.components, grid.arena()));
      poison(*storages.back());
      items.push_back({storages.back().get(), spec.reach});
    }
    exchange = std::make_unique<HaloExchange>(grid, items, options);
  }
  void fill_all(int salt) {
    for (auto& storage : storages) {
      storage->settle();
      fill(*storage, salt);
    }
  }
  void expect(int salt) const {
    for (const HaloItem& item : exchange->items()) EXPECT_TRUE(exchanged(*item.storage, item.reach, salt));
  }
  std::vector<std::unique_ptr<Storage>> storages;
  std::unique_ptr<HaloExchange> exchange;
};

const std::vector<Spec> mixed{{ElementType::f64, 3, box(1)}, {ElementType::f32, 1, star(3)},
                              {ElementType::c64, 1, box(2)}, {ElementType::i32, 2, star(1)},
                              {ElementType::i64, 1, box(3)}, {ElementType::c32, 1, star(2)},
                              {ElementType::f64, 1, point}};

Bool3 periodic_of(int mask) { return {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0}; }

class Halo : public testing::TestWithParam<TransportPolicy> {
 protected:
  void SetUp() override {
    context =
        std::make_unique<Context>(MPI_COMM_WORLD, ContextOptions{.transport = GetParam(), .delay = 0.0});
  }
  void TearDown() override { context->close(); }
  /// Two rounds, the second with new values written at once after the first.
  void check(const Grid& grid, const std::vector<Spec>& specs, HaloOptions options) {
    Fields fields(grid, specs, options);
    for (int salt = 1; salt <= 2; ++salt) {
      fields.fill_all(salt);
      fields.exchange->start();
      fields.exchange->wait();
      fields.expect(salt);
    }
  }
  std::unique_ptr<Context> context;
};

TEST_P(Halo, EverySplitAndPeriodicity) {
  for (Int3 split : splits(context->size()))
    for (int mask = 0; mask < 8; ++mask)
      for (Corners corners : {Corners::direct, Corners::staged}) {
        SCOPED_TRACE("split " + to_string(split) + " periodic " + std::to_string(mask) +
                     (corners == Corners::staged ? " staged" : " direct"));
        // Uneven blocks of 3 and 4 cells, as thin as a halo of 3 allows.
        const Int3 cells{3 * split.x + split.x / 2 + 1, 3 * split.y + 1, 3 * split.z + split.z - 1};
        const Grid grid(*context, {.cells = cells, .periodic = periodic_of(mask), .halo = 3, .split = split});
        check(grid, mixed, {.corners = corners});
        if (HasFailure()) return;
      }
}

TEST_P(Halo, EveryTypeAloneAtEveryReach) {
  for (int width = 1; width <= 3; ++width) {
    const Grid grid(*context, {.cells = {9, 10, 25}, .periodic = {true, false, true}, .halo = width});
    for (Corners corners : {Corners::direct, Corners::staged})
      for (bool diagonal : {false, true})
        for (ElementType type : {ElementType::f32, ElementType::f64, ElementType::i32, ElementType::i64,
                                 ElementType::c32, ElementType::c64}) {
          check(grid, {{type, 2, diagonal ? box(width) : star(width)}}, {.corners = corners});
          if (HasFailure()) return;
        }
  }
}

TEST_P(Halo, SmallPiecesCutEverywhere) {
  for (std::size_t bytes : {std::size_t{1}, std::size_t{200}, std::size_t{3000}, std::size_t{1} << 40}) {
    const Grid grid(*context, {.cells = {17, 16, 17}, .periodic = {true, true, true}, .halo = 2});
    for (Corners corners : {Corners::direct, Corners::staged})
      check(grid, {{ElementType::f64, 1, box(1)}, {ElementType::f32, 3, box(2)}},
            {.corners = corners, .piece_bytes = bytes});
  }
}

// Blocks of few or no cells: a halo reaches past its neighbour, around the torus more than once, and into
// halos of ranks that own nothing.
TEST_P(Halo, ThinAndEmptyBlocks) {
  for (Int3 split : splits(context->size()))
    for (int mask : {0, 3, 7})
      for (int factor : {4, 7, 13})
        for (Corners corners : {Corners::direct, Corners::staged}) {
          SCOPED_TRACE("split " + to_string(split) + " periodic " + std::to_string(mask) + " factor " +
                       std::to_string(factor));
          const Grid fine(*context,
                          {.cells = {19, 16, 21}, .periodic = periodic_of(mask), .halo = 1, .split = split});
          check(fine.coarsen({factor, factor, factor}, 3),
                {{ElementType::f64, 1, box(3)}, {ElementType::i32, 1, star(2)}}, {.corners = corners});
          check(fine.on(std::max(1, context->size() / 2)), {{ElementType::f32, 1, box(1)}},
                {.corners = corners});
          if (HasFailure()) return;
        }
}

// A piece may be started as soon as its source is written, in any order; nothing is read before.
TEST_P(Halo, PiecesStartedOneByOneAsTheyAreComputed) {
  for (Corners corners : {Corners::direct, Corners::staged}) {
    const Grid grid(*context, {.cells = {18, 17, 19}, .periodic = {true, true, false}, .halo = 2});
    Fields fields(grid, {{ElementType::f64, 1, box(2)}, {ElementType::c32, 1, star(1)}},
                  {.corners = corners, .piece_bytes = 700});
    HaloExchange& exchange = *fields.exchange;
    for (int salt = 1; salt <= 4; ++salt) {
      for (auto& storage : fields.storages) {
        storage->settle();
        poison(*storage);
      }
      context->barrier();  // poisoning also the halo must not race with a neighbour's staged reading
      for (int i = 0; i < exchange.pieces(); ++i) {
        const int piece = salt % 2 ? i : exchange.pieces() - 1 - i;
        for (auto& storage : fields.storages) fill(*storage, exchange.source(piece), salt);
        exchange.start(piece);
        if (i % 3 == 0) exchange.test();
      }
      for (auto& storage : fields.storages) fill(*storage, salt);
      exchange.wait();
      fields.expect(salt);
      for (int piece = 0; piece < exchange.pieces(); ++piece) EXPECT_TRUE(exchange.arrived(piece));
    }
  }
}

// The protocol of the shared transport under stress: two levels that turn over, sources overwritten the
// moment settle() allows it, ranks out of step, both exchanges sometimes under way together.
TEST_P(Halo, ManyRoundsWithLevelsTurningOver) {
  const Grid grid(*context, {.cells = {16, 9, 17}, .periodic = {true, true, true}, .halo = 1});
  const std::vector<Spec> specs{{ElementType::f64, 2, box(1)}, {ElementType::f32, 1, star(1)}};
  Fields even(grid, specs, {.piece_bytes = 512});
  Fields odd(grid, specs, {.corners = Corners::staged, .piece_bytes = 512});
  Fields* now = &even;
  Fields* next = &odd;
  for (int round = 0; round < 200; ++round) {
    if ((round * 7 + context->rank() * 3) % 11 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    now->fill_all(round);
    now->exchange->start();
    if (round % 3 == 0) {
      next->fill_all(round + 1);
      next->exchange->start();
      next->exchange->test();
    }
    now->exchange->wait();
    now->expect(round);
    if (round % 3 == 0) {
      next->exchange->wait();
      next->expect(round + 1);
    }
    if (HasFailure()) return;
    std::swap(now, next);
  }
}

// Long copies, and an owner that overwrites what is read last first, at the very moment it may.
TEST_P(Halo, OverwrittenTheMomentItIsConsumed) {
  const int ranks = context->size();
  const Grid grid(
      *context,
      {.cells = {96, 96, 3 * ranks}, .periodic = {false, false, true}, .halo = 3, .split = {1, 1, ranks}});
  Storage storage(grid, "s", ElementType::f64, 4, grid.arena());
  HaloExchange exchange(grid, {{&storage, star(3)}}, {.piece_bytes = std::size_t{1} << 24});
  double* const cells = reinterpret_cast<double*>(storage.base());
  const auto row = [&](int k, int z, int y) {
    return cells + k * storage.component_stride() + grid.layout().offset({0, y, z});
  };
  for (int round = 0; round < 150; ++round) {
    storage.settle();
    for (int k = 3; k >= 0; --k)
      for (int z = 2; z >= 0; --z)
        for (int y = 95; y >= 0; --y) std::fill_n(row(k, z, y), 96, round);
    exchange.start();
    // Neighbours take turns in reading late, while the owner is already waiting to overwrite.
    if ((round + context->rank()) % 2) std::this_thread::sleep_for(std::chrono::microseconds(200));
    exchange.wait();
    int wrong = 0;
    for (int k = 0; k < 4; ++k)
      for (int z : {-3, -2, -1, 3, 4, 5})
        for (int y = 0; y < 96; ++y)
          wrong += static_cast<int>(96 - std::count(row(k, z, y), row(k, z, y) + 96, round));
    EXPECT_EQ(wrong, 0) << "in round " << round;
  }
}

TEST_P(Halo, OneSlowRankStopsNobody) {
  const Grid grid(*context, {.cells = {16, 16, 17}, .periodic = {true, true, true}, .halo = 1});
  Fields fields(grid, {{ElementType::f64, 1, box(1)}});
  const int slow = context->size() - 1;
  for (int round = 0; round < 6; ++round) {
    const auto dawdle = [&](int when) {
      if (context->rank() == slow && round % 3 == when) std::this_thread::sleep_for(milliseconds(30));
    };
    fields.fill_all(round);
    dawdle(0);
    fields.exchange->start();
    dawdle(1);
    fields.exchange->wait();
    dawdle(2);
    fields.expect(round);
  }
}

TEST_P(Halo, WaitStartsAndFinishIsIdle) {
  const Grid grid(*context, {.cells = {16, 16, 17}, .periodic = {true, false, true}, .halo = 1});
  Fields fields(grid, {{ElementType::f64, 1, box(1)}});
  HaloExchange& exchange = *fields.exchange;
  exchange.finish();
  EXPECT_TRUE(exchange.test());
  fields.fill_all(1);
  exchange.wait();
  fields.expect(1);
  exchange.finish();
  exchange.finish();
  fields.fill_all(2);
  exchange.start();
  exchange.finish();
  fields.expect(2);
  fields.fill_all(3);
  exchange.start();
  while (!exchange.test()) std::this_thread::yield();
  fields.expect(3);
  exchange.wait();
  fields.expect(3);
}

TEST_P(Halo, WhatLeavesIsWhatTheHalosNeed) {
  const Grid grid(*context, {.cells = {16, 16, 18}, .periodic = {true, false, true}, .halo = 2});
  const Reach reach = box(2);
  Fields fields(grid, {{ElementType::f64, 3, reach}});
  const int rounds = 3;
  for (int round = 0; round < rounds; ++round) {
    fields.fill_all(round);
    fields.exchange->start();
    fields.exchange->wait();
  }
  std::int64_t halo_cells = 0;
  for_cells(grid.own().grown({2, 2, 2}), [&](Int3 c) {
    Int3 global;
    if (!grid.own().contains(c) && reached(grid, c, reach, global)) ++halo_cells;
  });
  std::int64_t sent = 0, sent_away = 0;
  for (Transport t :
       {Transport::self, Transport::shared, Transport::staged, Transport::mpi, Transport::delayed}) {
    sent += fields.exchange->traffic(t).bytes;
    if (t != Transport::self) sent_away += fields.exchange->traffic(t).bytes;
  }
  EXPECT_EQ(sent_away, rounds * fields.exchange->bytes());
  std::array<std::int64_t, 2> total{halo_cells * 24 * rounds, sent};
  MPI_Allreduce(MPI_IN_PLACE, total.data(), 2, MPI_INT64_T, MPI_SUM, context->comm());
  EXPECT_EQ(total[0], total[1]);
}

TEST_P(Halo, SaysWhichTransportItUses) {
  const Grid grid(*context, {.cells = {16, 16, 18}, .periodic = {true, true, true}, .halo = 1});
  Fields fields(grid, {{ElementType::f64, 1, box(1)}});
  const std::string text = fields.exchange->describe();
  EXPECT_NE(text.find("self"), std::string::npos) << text;
  if (context->size() == 1) return;
  const std::string expected = GetParam() == TransportPolicy::delayed ? "delayed"
                               : GetParam() == TransportPolicy::mpi   ? "mpi"
                                                                      : "shared";
  EXPECT_NE(text.find(expected), std::string::npos) << text;
}

TEST_P(Halo, RefusesWhatCannotBe) {
  const Grid grid(*context, {.cells = {16, 16, 18}, .halo = 1});
  const Grid other(*context, {.cells = {16, 16, 18}, .halo = 2});
  Storage a(grid, "a", ElementType::f64, 1, grid.arena());
  Storage b(other, "b", ElementType::f64, 1, other.arena());
  EXPECT_THROW(HaloExchange(grid, {{&a, star(2)}}), Error);
  EXPECT_THROW(HaloExchange(grid, {{&a, star(1)}, {&b, star(1)}}), Error);
  HaloExchange exchange(grid, {{&a, star(1)}});
  if (exchange.source(0).empty()) return exchange.wait();
  exchange.start(0);
  EXPECT_THROW(exchange.start(0), Error);
  exchange.wait();
}

INSTANTIATE_TEST_SUITE_P(Transports, Halo,
                         testing::Values(TransportPolicy::automatic, TransportPolicy::mpi,
                                         TransportPolicy::delayed),
                         [](const auto& policy) {
                           return policy.param == TransportPolicy::automatic ? "automatic"
                                  : policy.param == TransportPolicy::mpi     ? "mpi"
                                                                             : "delayed";
                         });

// What is hidden is not waited for: the messages are under way for `delay`, the work takes as long.
TEST(DelayedHalo, HidingShortensElapsedTime) {
  constexpr double delay = 0.06;
  Context context(MPI_COMM_WORLD, {.transport = TransportPolicy::delayed, .delay = delay});
  const Grid grid(context, {.cells = {16, 16, 17}, .periodic = {true, true, true}, .halo = 1});
  Fields fields(grid, {{ElementType::f64, 1, box(1)}});
  const auto work = [&](bool poke) {
    for (int tile = 0; tile < 30; ++tile) {
      std::this_thread::sleep_for(milliseconds(2));
      if (poke) fields.exchange->test();
    }
  };
  const auto seconds = [&](bool hide) {
    fields.fill_all(hide ? 1 : 2);
    context.barrier();
    const double begin = MPI_Wtime();
    fields.exchange->start();
    if (hide) work(true);
    fields.exchange->wait();
    if (!hide) work(false);
    return MPI_Wtime() - begin;
  };
  // The best of a few: a busy machine may delay any one of them.
  double blocking = 1e9, hidden = 1e9;
  for (int attempt = 0; attempt < 5; ++attempt) {
    blocking = std::min(blocking, seconds(false));
    hidden = std::min(hidden, seconds(true));
  }
  fields.expect(1);
  EXPECT_GE(blocking, 2 * delay);
  EXPECT_LT(hidden, 0.85 * blocking);
  fields.exchange->finish();
  context.close();
}

// A context closed, or an exchange destroyed, in the middle of things: no hang, nothing left to MPI.
TEST(HaloEnds, InAnyOrder) {
  Context context;
  const Grid grid(context, {.cells = {16, 16, 17}, .periodic = {true, true, true}, .halo = 1});
  {
    Fields fields(grid, {{ElementType::f64, 1, box(1)}});
    fields.fill_all(1);
    fields.exchange->start();
  }
  Fields late(grid, {{ElementType::f64, 1, box(1)}});
  late.fill_all(1);
  late.exchange->start();
  context.close();
}

}  // namespace
}  // namespace sc::test
