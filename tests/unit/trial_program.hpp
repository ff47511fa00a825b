// SPDX-License-Identifier: Apache-2.0
// Ranks in one program that try strategies, with artificial times.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "engine/overlap/trials.hpp"

namespace sc::test {

using Candidates = std::vector<const Strategy*>;
inline const Candidates usual{&Strategy::blocking, &Strategy::boundary_first, &Strategy::pipelined,
                              &Strategy::interior_first, &Strategy::halo_thread};

/// Seconds of a run of `kind` on a rank.
using Times = std::function<double(int rank, int kind, const Strategy& strategy)>;

/// Ranks that run the kinds in turn, `often` times in each step, and agree two steps after they started a
/// reduction.
struct Program {
  explicit Program(int size = 1, Schedule schedule = {}) {
    for (int r = 0; r < size; ++r) ranks.emplace_back(schedule);
  }
  void add(const Candidates& candidates = usual, bool exchanges = true, int runs = 1) {
    for (Trials& t : ranks) t.add(candidates, exchanges);
    often.push_back(runs);
  }
  void agree() {
    std::vector<std::vector<std::int64_t>> mine;
    if (!largest.empty() && ++waited == 2) {
      for (Trials& t : ranks) t.agreed(largest);
      largest.clear();
      return;
    }
    for (Trials& t : ranks) mine.push_back(t.step());
    for (const auto& values : mine) {
      ASSERT_EQ(values.size(), mine.front().size());
      if (largest.empty()) largest = values;
      for (std::size_t n = 0; n < values.size(); ++n) largest[n] = std::max(largest[n], values[n]);
    }
    if (!mine.front().empty()) waited = 0;
  }
  double step(const Times& times) {
    agree();
    double spent = 0;
    for (int kind = 0; kind < static_cast<int>(often.size()); ++kind)
      for (int run = 0; run < often[static_cast<std::size_t>(kind)]; ++run) spent += one(kind, times);
    ++steps;
    return spent;
  }
  double one(int kind, const Times& times) {
    double longest = 0;
    const Strategy* first = nullptr;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const Strategy& s = ranks[r].begin(kind);
      if (!first) first = &s;
      EXPECT_EQ(first->name, s.name) << "rank " << r << ", step " << steps;
      const double seconds = times(static_cast<int>(r), kind, s);
      ranks[r].end(kind, seconds);
      longest = std::max(longest, seconds);
    }
    ++under[{kind, std::string(first->name)}];
    return longest;
  }
  double run(int count, const Times& times) {
    double spent = 0;
    for (int n = 0; n < count; ++n) spent += step(times);
    return spent;
  }
  std::string_view chosen(int kind = 0) const { return ranks.front().chosen(kind).name; }

  std::vector<Trials> ranks;
  std::vector<int> often;
  std::vector<std::int64_t> largest;
  int waited = 0, steps = 0;
  std::map<std::pair<int, std::string>, int> under;
};

}  // namespace sc::test
