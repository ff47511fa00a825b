// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// optimise: no
// Rehearsal of products with a sparse matrix on single ranks of a larger run, for every division: the bytes
// of a real product, both ends of every message for many ranks, and every non-zero once.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <tuple>

#include "engine/plan/rehearsal.hpp"
#include "solvers/cg/makea.hpp"
#include "solvers/cg/product.hpp"
#include "tests/mpi/cg_strategies.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using namespace sc::cg;

/// `requests`: data exchanged by the ranks during construction; null: none, which suffices for whole rows.
RehearsedRun rehearse(const Class& c, const Settings& settings, int rank, int ranks,
                      const std::shared_ptr<SetupRequests>& requests = nullptr) {
  Context context(MPI_COMM_SELF, {.rehearsed = Rehearsed{rank, ranks, 1}});
  Rehearsal rehearsal;
  if (requests) {
    rehearsal.set_requests(requests);
    context.set_rehearsal(&rehearsal);
  }
  {
    const Partition partition(settings.partition, row_weights(c), ranks);
    Product product(context, partition, make_matrix(c, partition, rank), settings);
    product.run();
    rehearsal.events.clear();
    context.set_rehearsal(&rehearsal);
    product.run();
    context.set_rehearsal(nullptr);
  }
  context.close();
  EXPECT_EQ(rehearsal.events.size(), 1U);
  return std::get<RehearsedRun>(rehearsal.events.at(0));
}

std::shared_ptr<SetupRequests> requests_of(const Class& c, const Settings& settings, int ranks) {
  auto requests = std::make_shared<SetupRequests>();
  for (int rank = 0; rank < ranks; ++rank) rehearse(c, settings, rank, ranks, requests);
  requests->all = true;
  return requests;
}

constexpr Division divisions[] = {Division::row, Division::column, Division::grid};

TEST(RehearsedProduct, SendsTheBytesThatARealOneCounts) {
  TestContext context({.transport = TransportPolicy::mpi});
  const Class& c = class_of("S");
  for (const Division division : divisions)
    for (const Strategy& strategy : strategies_of(division)) {
      const Settings settings{division, strategy, 3};
      const Partition partition(settings.partition, row_weights(c), context.size());
      Product product(context, partition, make_matrix(c, partition, context.rank()), settings);
      product.run();
      std::int64_t counted = 0, noted = 0;
      const auto own = const_cast<RowStage&>(product.stage()).own();
      for (Exchange* exchange : {own->gathers, own->sums})
        if (exchange) counted += exchange->traffic(Transport::mpi).bytes;
      const auto requests = requests_of(c, settings, context.size());
      for (const Passage& p : rehearse(c, settings, context.rank(), context.size(), requests).departures)
        noted += p.bytes;
      EXPECT_EQ(noted, counted) << division_name(division) << " " << strategy.name;
      EXPECT_EQ(counted > 0, context.size() > 1);
      context.barrier();
    }
}

/// Compares sends and arrivals of all ranks' runs; `tell`: whether they exchange data during construction.
void check_both_ends(Division division, int ranks, bool tell) {
  const Settings settings{division, strategies_of(division)[1]};
  const auto requests = tell ? requests_of(class_of("S"), settings, ranks) : nullptr;
  std::map<std::tuple<int, int, std::int64_t>, int> balance;  // key: from, to, bytes
  for (int rank = 0; rank < ranks; ++rank) {
    const RehearsedRun run = rehearse(class_of("S"), settings, rank, ranks, requests);
    for (const Passage& p : run.departures)
      if (p.bytes > 0) ++balance[{rank, p.peer, p.bytes}];
    std::map<std::pair<int, int>, Passage> once;  // an arrival of all, and one of each
    for (std::size_t a = 0; a < run.arrivals.size(); ++a)
      for (const auto& awaited : run.arrivals[a])
        once[{run.plan.arrivals()[a].movement, awaited.passage.peer}] = awaited.passage;
    for (const auto& [key, p] : once)
      if (p.bytes > 0) --balance[{p.peer, rank, p.bytes}];
  }
  for (const auto& [key, left] : balance)
    EXPECT_EQ(left, 0) << division_name(division) << " " << std::get<0>(key) << " to " << std::get<1>(key);
  EXPECT_GT(balance.size(), static_cast<std::size_t>(ranks));
}

TEST(RehearsedProduct, HasBothEndsOfEveryMessage) {
  TestContext context;
  if (context.rank() > 0) return;
  check_both_ends(Division::row, 32, false);
  for (const Division division : divisions) check_both_ends(division, 16, true);
}

// The cells of a product are its non-zeros: those of own columns, and those of other columns after their
// arrival.
TEST(RehearsedProduct, TakesEveryNonZeroOnce) {
  TestContext context;
  if (context.rank() > 0) return;
  constexpr int ranks = 6;
  for (const Division division : divisions)
    for (const Strategy& strategy : strategies_of(division)) {
      const Settings settings{division, strategy, 3};
      const auto requests = requests_of(class_of("S"), settings, ranks);
      std::int64_t nonzeros = 0;
      for (int rank = 0; rank < ranks; ++rank)
        for (const auto& works : rehearse(class_of("S"), settings, rank, ranks, requests).works)
          for (const Work& work : works)
            if (work.kernel == 0) nonzeros += work.cells;
      EXPECT_EQ(nonzeros, 78148) << division_name(division) << " " << strategy.name;
    }
}

TEST(RehearsedProduct, RefusesDivisionsThatSendSumsWhereNothingIsTold) {
  TestContext context;
  if (context.rank() > 0) return;
  EXPECT_THROW(rehearse(class_of("S"), {Division::column, Strategy::boundary_first}, 1, 4), Error);
  EXPECT_THROW(rehearse(class_of("S"), {Division::grid, Strategy::interior_first}, 1, 4), Error);
}

}  // namespace
}  // namespace sc::test
