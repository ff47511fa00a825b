// SPDX-License-Identifier: Apache-2.0
// Plan: all lists of identifiers are in one array, so that making a plan again allocates no memory.
#include "engine/plan/plan.hpp"

#include <algorithm>

#include "engine/base/error.hpp"

namespace sc {

void Plan::clear() {
  chunks_.clear();
  pieces_.clear();
  arrivals_.clear();
  ids_.clear();
}

Ids Plan::keep(std::span<const int> some) {
  const Ids kept{static_cast<int>(ids_.size()), static_cast<int>(some.size())};
  ids_.insert(ids_.end(), some.begin(), some.end());
  return kept;
}

int Plan::add(Piece piece) {
  pieces_.push_back(piece);
  return static_cast<int>(pieces_.size()) - 1;
}

int Plan::add(Arrival arrival) {
  arrivals_.push_back(arrival);
  return static_cast<int>(arrivals_.size()) - 1;
}

int Plan::add(Chunk chunk, std::span<const int> after, std::span<const int> needs,
              std::span<const int> gives) {
  const int number = static_cast<int>(chunks_.size());
  const bool forward = std::ranges::all_of(after, [&](int c) { return c >= 0 && c < number; });
  if (!forward || (number > 0 && chunk.step < chunks_.back().step))
    throw Error(Exit::failure, "a chunk of a plan must come after those that it waits for");
  chunk.after = keep(after);
  chunk.needs = keep(needs);
  chunk.gives = keep(gives);
  for (const int p : gives) {
    Piece& piece = pieces_[static_cast<std::size_t>(p)];
    piece.step = std::max(piece.step, chunk.step);
    ++piece.givers;
  }
  chunks_.push_back(chunk);
  return number;
}

}  // namespace sc
