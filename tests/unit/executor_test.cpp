// SPDX-License-Identifier: Apache-2.0
// optimise: no
// The executor on ranks that are simulated in this process: random plans complete under every strategy and
// with random keys, and nothing is computed or started before its dependences.
#include "engine/plan/executor.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "engine/base/error.hpp"

namespace sc::test {
namespace {

using Random = std::mt19937;
int pick(Random& random, int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); }

/// The source of an arrival.
struct Source {
  int rank, piece;
};

/// One rank with its plan and the state of its sends. A piece is sent only after its sender has been driven
/// several times, as MPI makes progress on messages only in calls.
class Rank final : public Ports {
 public:
  void start(const Piece& piece) override {
    EXPECT_EQ(started[number(piece)]++, 0) << "a piece is started once";
    const auto& chunks = plan.chunks();
    for (std::size_t c = 0; c < chunks.size(); ++c)
      for (const int given : plan.ids(chunks[c].gives))
        EXPECT_TRUE(given != piece.number || computed[c]) << "before all that it carries is computed";
  }
  bool arrived(const Arrival& arrival) override {
    drive();
    return there(arrival.number);
  }
  void wait(const Arrival&) override { FAIL() << "simulated ranks take single steps"; }
  void compute(const Chunk& chunk) override {
    for (const int before : plan.ids(chunk.after)) EXPECT_TRUE(computed[static_cast<std::size_t>(before)]);
    for (const int needed : plan.ids(chunk.needs)) EXPECT_TRUE(there(needed));
    computed[static_cast<std::size_t>(chunk.part)] = true;
  }
  void drive() {
    for (std::size_t p = 0; p < started.size(); ++p)
      if (started[p] && pushes[p] > 0) --pushes[p];
  }
  bool there(int arrival) const {
    const Source& from = sources[static_cast<std::size_t>(arrival)];
    const Rank& sender = *(*ranks)[static_cast<std::size_t>(from.rank)];
    const auto p = static_cast<std::size_t>(from.piece);
    return sender.started[p] && sender.pushes[p] == 0;
  }

  Plan plan;
  std::vector<Source> sources;  // for each arrival
  std::vector<int> started, pushes;
  std::vector<bool> computed;
  const std::vector<std::unique_ptr<Rank>>* ranks = nullptr;
  Executor executor;

 private:
  static std::size_t number(const Piece& piece) { return static_cast<std::size_t>(piece.number); }
};

using Ranks = std::vector<std::unique_ptr<Rank>>;

/// Several runs of a program, the same on all ranks. Each rank computes some chunks; a chunk depends on
/// pieces sent in earlier runs and on other chunks, and contributes to pieces, each of which may have several
/// contributors.
Ranks program(Random& random) {
  Ranks ranks;
  for (int r = pick(random, 2, 5); r > 0; --r) ranks.push_back(std::make_unique<Rank>());
  std::vector<Source> sent;
  std::vector<int> sent_in;
  for (int run = 0, runs = pick(random, 1, 5); run < runs; ++run) {
    std::vector<Source> now;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      Rank& rank = *ranks[r];
      const int first = static_cast<int>(rank.plan.chunks().size()), chunks = pick(random, 1, 6);
      std::vector<int> pieces;
      for (int p = pick(random, 0, 4); p > 0; --p) {
        const int piece = static_cast<int>(rank.plan.pieces().size());
        pieces.push_back(rank.plan.add(Piece{.movement = run, .number = piece}));
        now.push_back({static_cast<int>(r), piece});
      }
      for (int c = 0; c < chunks; ++c) {
        std::vector<int> after, needs, gives;
        for (int before = 0; before < first + c; ++before)
          if (pick(random, 0, 3) == 0) after.push_back(before);
        for (std::size_t s = 0; s < sent.size(); ++s) {
          if (pick(random, 0, 4) > 0) continue;
          needs.push_back(
              rank.plan.add(Arrival{sent_in[s], static_cast<int>(rank.sources.size()), sent_in[s]}));
          rank.sources.push_back(sent[s]);
        }
        for (const int piece : pieces)
          if (pick(random, 0, 1) == 0 || c + 1 == chunks) gives.push_back(piece);
        rank.plan.add({.run = run, .part = first + c, .step = run, .divisible = pick(random, 0, 1) == 0},
                      after, needs, gives);
      }
    }
    for (const Source& piece : now) {
      sent.push_back(piece);
      sent_in.push_back(run);
    }
  }
  for (auto& rank : ranks) {
    rank->ranks = &ranks;
    rank->computed.assign(rank->plan.chunks().size(), false);
    rank->started.assign(rank->plan.pieces().size(), 0);
    for (std::size_t p = 0; p < rank->started.size(); ++p) rank->pushes.push_back(pick(random, 0, 3));
  }
  return ranks;
}

/// Whether all ranks complete. A rank that has finished drives its sends until they are sent, unless `drives`
/// is false.
bool ends(Random& random, const Strategy& strategy, bool drives = true) {
  const Ranks ranks = program(random);
  for (const auto& rank : ranks) {
    rank->ranks = &ranks;
    rank->executor.begin(rank->plan, strategy, *rank);
  }
  for (int idle = 0; idle < 1000;) {
    bool finished = true, moved = false;
    for (const auto& rank : ranks) {
      if (rank->executor.finished()) {
        if (drives) rank->drive();  // at the end of a window it waits for its sends
        continue;
      }
      finished = false;
      moved = rank->executor.advance(*rank) || moved;
    }
    if (finished) return true;
    idle = moved ? 0 : idle + 1;
  }
  return false;
}

constexpr int hash(int run, int part) { return (run * 7919 + part * 104729) % 1009; }
constexpr Key keys_of_all_kinds[] = {[](const Chunk&) { return 0; }, [](const Chunk& c) { return -c.run; },
                                     [](const Chunk& c) { return -c.part; },
                                     [](const Chunk& c) { return hash(c.run, c.part); },
                                     [](const Chunk& c) { return c.needs.count; }};

TEST(Executor, EveryPlanComesToItsEndUnderEveryStrategy) {
  for (unsigned seed = 0; seed < 300; ++seed)
    for (const Strategy* strategy : Strategy::all()) {
      Random random(seed);
      ASSERT_TRUE(ends(random, *strategy)) << strategy->name << ", seed " << seed;
    }
}

TEST(Executor, EveryPlanComesToItsEndUnderEveryKey) {
  for (unsigned seed = 0; seed < 400; ++seed)
    for (const Key key : keys_of_all_kinds)
      for (const Starts starts : {Starts::with_chunk, Starts::after_step}) {
        Random random(seed);
        Strategy strategy = Strategy::pipelined;
        strategy.key = key;
        strategy.starts = starts;
        ASSERT_TRUE(ends(random, strategy)) << "seed " << seed;
      }
}

TEST(Executor, OthersStandStillWhereARankLeavesWhatItSentUndriven) {
  int stuck = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Random random(seed);
    stuck += ends(random, Strategy::boundary_first, false) ? 0 : 1;
  }
  EXPECT_GT(stuck, 0);
}

/// The sequence of events: "c0" is the computation of chunk 0, "p0" the start of piece 0.
class Recorded final : public Ports {
 public:
  void start(const Piece& piece) override { order += "p" + std::to_string(piece.number) + " "; }
  bool arrived(const Arrival&) override { return true; }
  void wait(const Arrival&) override {}
  void compute(const Chunk& chunk) override { order += "c" + std::to_string(chunk.part) + " "; }
  std::string order;
};

TEST(Executor, WhatFreesASlotLeavesWithItsChunkUnderEveryStrategy) {
  Plan plan;
  int before = -1;
  for (int n = 0; n < 3; ++n) {
    const int piece = plan.add(Piece{.number = n, .at_once = true});
    const std::span<const int> after(&before, n > 0 ? 1 : 0);
    before = plan.add(Chunk{.part = n}, after, {}, {&piece, 1});
  }
  for (const Strategy* strategy : Strategy::all()) {
    Recorded ports;
    Executor executor;
    executor.carry_out(plan, *strategy, ports);
    EXPECT_EQ(ports.order, "c0 p0 c1 p1 c2 p2 ") << strategy->name;
  }
}

TEST(Executor, AChunkCannotComeBeforeWhatItWaitsFor) {
  Plan plan;
  const int later = 1;
  EXPECT_THROW(plan.add(Chunk{}, {&later, 1}, {}, {}), Error);
  plan.add({.step = 1}, {}, {}, {});
  EXPECT_THROW(plan.add({.step = 0}, {}, {}, {}), Error);
}

}  // namespace
}  // namespace sc::test
