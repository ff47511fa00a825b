// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 5
// ranks when long: 6 8
// timeout: 180
// optimise: no
// Every byte of every halo (and every byte that must not change) after exchanges of several fields together,
// for all splits, periodic axes, reaches, corner modes and transports.
#include <algorithm>

#include "engine/base/error.hpp"
#include "tests/mpi/halo_fields.hpp"

namespace sc::test {
namespace {

const std::vector<Spec> mixed{{ElementType::f64, 3, box(1)}, {ElementType::f32, 1, star(3)},
                              {ElementType::c64, 1, box(2)}, {ElementType::i32, 2, star(1)},
                              {ElementType::i64, 1, box(3)}, {ElementType::c32, 1, star(2)},
                              {ElementType::f64, 1, point}};

Bool3 periodic_of(int mask) { return {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0}; }

TEST_P(Halo, EverySplitAndPeriodicity) {
  for (Int3 split : splits(context->size()))
    for (int mask = 0; mask < 8; ++mask)
      for (Corners corners : {Corners::direct, Corners::staged}) {
        SCOPED_TRACE("split " + to_string(split) + " periodic " + std::to_string(mask) +
                     (corners == Corners::staged ? " staged" : " direct"));
        // Uneven blocks of 3 and 4 cells, the minimum for a halo of 3.
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
            {.corners = corners, .piece_bytes = bytes, .near_piece_bytes = bytes});
  }
}

// Blocks with few or no cells: a halo extends beyond its neighbour, more than once around the torus, and into
// the halos of ranks without cells.
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

// A piece may be started as soon as its source is written, in any order; nothing is read earlier.
TEST_P(Halo, PiecesStartedOneByOneAsTheyAreComputed) {
  for (Corners corners : {Corners::direct, Corners::staged}) {
    const Grid grid(*context, {.cells = {18, 17, 19}, .periodic = {true, true, false}, .halo = 2});
    Fields fields(grid, {{ElementType::f64, 1, box(2)}, {ElementType::c32, 1, star(1)}},
                  {.corners = corners, .piece_bytes = 700, .near_piece_bytes = 700});
    Exchange& exchange = *fields.exchange;
    for (int salt = 1; salt <= 4; ++salt) {
      for (auto& storage : fields.storages) {
        storage->settle();
        poison(*storage);
      }
      context->barrier();  // poisoning of the halo must not race with a neighbour's staged reads
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
  each_cell(grid.own().grown({2, 2, 2}), [&](Int3 c) {
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

// Within a node as a whole; with messages, in pieces that are sent while others are packed.
TEST_P(Halo, CutsWhatTravelsAndNothingElse) {
  if (context->size() == 1) GTEST_SKIP() << "no neighbour";
  const int ranks = context->size();
  const Grid grid(*context,
                  {.cells = {64, 64, 4 * ranks}, .periodic = {}, .halo = 1, .split = {1, 1, ranks}});
  Fields fields(grid, {{ElementType::f64, 3, star(1)}});  // faces of 96 KiB, pieces of at most 60 KiB
  const int faces = (context->rank() > 0) + (context->rank() < ranks - 1);
  EXPECT_EQ(fields.exchange->pieces(), GetParam() == TransportPolicy::delayed ? 2 * faces : faces);
}

/// Faces of 96 x 96 doubles within a node: those normal to x in pieces, low and high in turn, because both
/// are on the same cache lines; the others whole.
TEST_P(Halo, NarrowFacesOfANodeAreDividedAndTakenInTurn) {
  if (GetParam() == TransportPolicy::delayed) GTEST_SKIP() << "sent as if between nodes";
  const Grid grid(*context, {.cells = {96, 96, 96 * context->size()},
                             .periodic = {true, true, true},
                             .halo = 1,
                             .split = {1, 1, context->size()}});
  const Fields fields(grid, {{ElementType::f64, 1, star(1)}});
  std::string faces;
  for (const Parcel& parcel : halo_parcels(grid, fields.items, {}).departures)
    for (int axis = 0; axis < 3; ++axis)
      if (parcel.source.extent()[axis] == 1)
        faces += std::string(1, "xyz"[axis]) + (parcel.source.lo[axis] ? '+' : '-');
  const std::string of_x = faces.substr(faces.find('x'));
  EXPECT_TRUE(of_x == "x-x+x-x+" || of_x == "x+x-x+x-") << faces;
  EXPECT_EQ(faces.size(), 16U) << faces;
}

TEST_P(Halo, RefusesWhatCannotBe) {
  const Grid grid(*context, {.cells = {16, 16, 18}, .halo = 1});
  const Grid other(*context, {.cells = {16, 16, 18}, .halo = 2});
  Storage a(grid, "a", ElementType::f64, 1, grid.arena());
  Storage b(other, "b", ElementType::f64, 1, other.arena());
  EXPECT_THROW(Exchange(grid.context(), halo_parcels(grid, {{&a, star(2)}})), Error);
  EXPECT_THROW(Exchange(grid.context(), halo_parcels(grid, {{&a, star(1)}, {&b, star(1)}})), Error);
  Exchange exchange(grid.context(), halo_parcels(grid, {{&a, star(1)}}));
  if (exchange.source(0).empty()) return exchange.wait();
  exchange.start(0);
  EXPECT_THROW(exchange.start(0), Error);
  exchange.wait();
}

INSTANTIATE_TEST_SUITE_P(Transports, Halo, all_transports, policy_name);

}  // namespace
}  // namespace sc::test
