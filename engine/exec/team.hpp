// SPDX-License-Identifier: Apache-2.0
// Teams of threads for strategies that give threads different work, and their shared queue of tiles.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <utility>

#include "engine/grid/box.hpp"

namespace sc {

/// Runs `work(thread)` on `threads` threads. Thread 0 is the caller, the only one that may call MPI. The
/// first exception is rethrown when all threads have ended.
void team(int threads, const std::function<void(int)>& work);

/// Inside a parallel region: this thread's part [first, last) of `count`, divided evenly.
std::pair<std::int64_t, std::int64_t> team_share(std::int64_t count);

/// Number of the calling thread in its team, 0 outside of one.
int team_thread();

/// Tiles of a box, whole rows each, taken by threads in order.
class TileQueue {
 public:
  /// At least `wanted` tiles if the box has that many rows; axis `whole` is not divided. A single row is
  /// divided into parts of whole cache lines.
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
