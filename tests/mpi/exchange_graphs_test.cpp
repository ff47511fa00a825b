// SPDX-License-Identifier: Apache-2.0
// ranks: 2 3 4
// timeout: 300
// optimise: no
// label: sanitize
// Exchanges of every kind in progress together, in random graphs: each rank starts all pieces in its own
// order and then waits for the exchanges in another order, window after window without a barrier. Waiting
// makes progress on all of them, so no order deadlocks, and the received values are those sent.
#include <algorithm>
#include <cstdio>
#include <thread>

#include "tests/mpi/graph_players.hpp"

namespace sc::test {
namespace {

std::unique_ptr<Player> random_player(Context& context, Random& common) {
  switch (common() % 5) {
    case 0:
      return std::make_unique<Moves>(context, common);
    case 1:
      return std::make_unique<Entries>(context, common);
    case 2:
      return std::make_unique<Pieces>(context, common);
    default:
      return std::make_unique<Halos>(context, common);
  }
}

void play(Context& context, unsigned seed) {
  constexpr int windows = 4;
  Random common(seed), mine(seed * 31 + unsigned(context.rank()));
  std::vector<std::unique_ptr<Player>> players;
  for (int n = pick(common, 2, 4); n > 0; --n) players.push_back(random_player(context, common));
  for (int window = 1; window <= windows; ++window) {
    std::vector<std::function<void()>> starts;
    std::shuffle(players.begin(), players.end(), mine);
    for (auto& player : players)
      for (auto& start : player->begin(window)) starts.push_back(start);
    std::shuffle(starts.begin(), starts.end(), mine);
    for (auto& start : starts) {
      start();
      if (mine() % 4 == 0) players[mine() % players.size()]->poke();
    }
    if (mine() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
    std::shuffle(players.begin(), players.end(), mine);
    for (auto& player : players) player->end(window);
  }
}

class Graphs : public testing::TestWithParam<TransportPolicy> {};

TEST_P(Graphs, NeverStandStill) {
  constexpr unsigned graphs = 100;
  Context context(MPI_COMM_WORLD, {.transport = GetParam(), .delay = 2e-4, .timeout_seconds = 60});
  for (unsigned n = 0; n < graphs && !HasFailure(); ++n) {
    const unsigned seed = 1000 * unsigned(context.size()) + n;
    SCOPED_TRACE("seed " + std::to_string(seed));
    try {
      play(context, seed);
    } catch (const Error& error) {
      std::fprintf(stderr, "rank %d, seed %u: %s\n", context.rank(), seed, error.what());
      context.abort("a graph of exchanges stands still", Exit::failure);
    }
  }
  context.close();
}

INSTANTIATE_TEST_SUITE_P(Transports, Graphs, all_transports, policy_name);

}  // namespace
}  // namespace sc::test
