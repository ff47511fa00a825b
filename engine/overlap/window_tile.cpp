// SPDX-License-Identifier: Apache-2.0
// The tiles of a pass, from the bytes of its arrays and the size of the second-level cache.
#include "engine/overlap/window_tile.hpp"

#include <algorithm>

#include "engine/base/index.hpp"
#include "engine/exec/caches.hpp"

namespace sc {

namespace {

/// An array of the runs: bytes of a row, and the cells that they read beside their own.
struct Near {
  double row;
  int reach;
};
std::vector<Near> arrays_near(const RecordedArrays& arrays, const Grid& grid) {
  std::vector<Near> near;
  for (const Recorded::Use* use : arrays.first()) {
    const std::size_t cell = size_of(use->storage->type()) * at(use->storage->components());
    near.push_back({static_cast<double>(cell) * static_cast<double>(grid.layout().sy), 0});
  }
  for (const auto& run : arrays.runs())
    for (const WindowAccess& a : run) near[at(a.array)].reach = std::max(near[at(a.array)].reach, a.reach);
  return near;
}

}  // namespace

Int3 tile_of(const std::vector<Recorded>& all, const RecordedArrays& arrays, const Grid& grid) {
  const auto cache = static_cast<double>(second_level_cache());
  const std::vector<Near> near = arrays_near(arrays, grid);
  const auto fits = [&](int rows, int planes) {
    double bytes = 0;
    for (const Near& a : near) bytes += a.row * (rows + 2 * a.reach) * (planes + 2 * a.reach);
    return bytes <= cache;
  };
  const bool fluxes = std::any_of(all.begin(), all.end(), [](const Recorded& r) { return r.stage.by_faces; });
  const int fewest = fluxes ? 16 : 4;
  int planes = 2;
  while (planes < grid.own().extent().z && fits(std::max(2 * (planes + 1), fewest), planes + 1)) ++planes;
  int rows = fewest;
  while (rows < grid.own().extent().y && fits(rows + 1, planes)) ++rows;
  return {0, rows, planes};
}

}  // namespace sc
