// SPDX-License-Identifier: Apache-2.0
// Teams of threads for strategies that give threads different work, and the queue of tiles that they share.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <utility>

#include "engine/grid/box.hpp"

namespace sc {

/// Runs `work(thread)` on `threads` threads; thread 0 is the caller, which alone may call MPI. Of what
/// they throw the first is thrown again once all have ended.
void team(int threads, const std::function<void(int)>& work);

/// Inside a parallel region: this thread's share [first, last) of `count` equal parts.
std::pair<std::int64_t, std::int64_t> team_share(std::int64_t count);

/// Number of the calling thread in its team, 0 outside of one.
int team_thread();

/// Tiles of a box, whole rows each, handed out first come, first served.
class TileQueue {
 public:
  /// At least `wanted` tiles where the box has that many rows; axis `whole` is not cut. A single row is cut
  /// into parts of whole cache lines.
  TileQueue(const Box& box, int wanted, int whole = -1);
  std::optional<Box> next();

 private:
  Box box_;
  int bx_ = 0, by_ = 1, bz_ = 1;  // cells of a tile along x, rows of it along y and z
  int nx_ = 1, ny_ = 0;
  int count_ = 0;
  std::atomic<int> taken_{0};
};

}  // namespace sc
