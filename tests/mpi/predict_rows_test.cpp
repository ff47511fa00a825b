// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// Products with a symmetric sparse matrix, divided by rows, rehearsed as a rank that is not there: the bytes
// that a real product counts, and both ends of every message for many ranks.
#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "engine/plan/rehearsal.hpp"
#include "solvers/cg/makea.hpp"
#include "solvers/cg/product.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using namespace sc::cg;

RehearsedRun rehearse(const Class& c, const Settings& settings, int rank, int ranks) {
  Context context(MPI_COMM_SELF, {.rehearsed = Rehearsed{rank, ranks, 1}});
  Rehearsal rehearsal;
  {
    const Partition partition(settings.partition, row_weights(c), ranks);
    Product product(context, partition, make_matrix(c, partition, rank), settings);
    product.run();
    context.set_rehearsal(&rehearsal);
    product.run();
    context.set_rehearsal(nullptr);
  }
  context.close();
  EXPECT_EQ(rehearsal.events.size(), 1U);
  return std::get<RehearsedRun>(rehearsal.events.at(0));
}

TEST(RehearsedProduct, SendsTheBytesThatARealOneCounts) {
  TestContext context({.transport = TransportPolicy::mpi});
  const Class& c = class_of("S");
  for (const Hiding hiding : {Hiding::blocking, Hiding::direct, Hiding::pipelined}) {
    const Settings settings{Division::row, hiding, 3};
    const Partition partition(settings.partition, row_weights(c), context.size());
    Product product(context, partition, make_matrix(c, partition, context.rank()), settings);
    product.run();
    std::int64_t counted = 0, noted = 0;
    if (const auto own = const_cast<RowStage&>(product.stage()).own(); own->gathers)
      counted = own->gathers->traffic(Transport::mpi).bytes;
    for (const Passage& p : rehearse(c, settings, context.rank(), context.size()).departures)
      noted += p.bytes;
    EXPECT_EQ(noted, counted) << hiding_name(hiding);
    EXPECT_EQ(counted > 0, context.size() > 1);
    context.barrier();
  }
}

TEST(RehearsedProduct, HasBothEndsOfEveryMessage) {
  TestContext context;
  if (context.rank() > 0) return;
  constexpr int ranks = 32;
  std::map<std::tuple<int, int, std::int64_t>, int> balance;  // from, to, bytes
  for (int rank = 0; rank < ranks; ++rank) {
    const RehearsedRun run = rehearse(class_of("S"), {Division::row, Hiding::direct, 1}, rank, ranks);
    for (const Passage& p : run.departures)
      if (p.bytes > 0) ++balance[{rank, p.peer, p.bytes}];
    std::map<std::pair<int, int>, Passage> once;  // an arrival of all, and one of each
    for (std::size_t a = 0; a < run.arrivals.size(); ++a)
      for (const auto& awaited : run.arrivals[a])
        once[{run.plan.arrivals()[a].movement, awaited.passage.peer}] = awaited.passage;
    for (const auto& [key, p] : once) --balance[{p.peer, rank, p.bytes}];
  }
  for (const auto& [key, left] : balance)
    EXPECT_EQ(left, 0) << std::get<0>(key) << " to " << std::get<1>(key);
  EXPECT_GT(balance.size(), std::size_t{ranks});
}

TEST(RehearsedProduct, RefusesDivisionsThatSendSums) {
  TestContext context;
  if (context.rank() > 0) return;
  EXPECT_THROW(rehearse(class_of("S"), {Division::column, Hiding::direct, 1}, 1, 4), Error);
  EXPECT_THROW(rehearse(class_of("S"), {Division::grid, Hiding::direct, 1}, 1, 4), Error);
}

}  // namespace
}  // namespace sc::test
