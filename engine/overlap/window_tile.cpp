// SPDX-License-Identifier: Apache-2.0
// The tiles of a pass, from the bytes of its arrays and the size of the second-level cache.
#include "engine/overlap/window_tile.hpp"

#include <algorithm>
#include <string>

#include "engine/base/error.hpp"
#include "engine/base/index.hpp"
#include "engine/exec/caches.hpp"

namespace sc {

namespace {

/// Of an array: bytes of a row, and how many rows and planes the runs read beside their own.
struct Rows {
  double bytes;
  int reach;
};
std::vector<Rows> rows_of(const RecordedArrays& arrays, const Grid& grid) {
  std::vector<Rows> all;
  for (const Recorded::Use* use : arrays.first()) {
    const std::size_t cell = size_of(use->storage->type()) * at(use->storage->components());
    all.push_back({static_cast<double>(cell) * static_cast<double>(grid.layout().sy), 0});
  }
  for (const auto& run : arrays.runs())
    for (const WindowAccess& a : run) all[at(a.array)].reach = std::max(all[at(a.array)].reach, a.reach);
  return all;
}

}  // namespace

Int3 tile_of(const std::vector<Recorded>& all, const RecordedArrays& arrays, const Grid& grid) {
  const auto cache = static_cast<double>(second_level_cache());
  const std::vector<Rows> used = rows_of(arrays, grid);
  const auto fits = [&](int rows, int planes) {
    double bytes = 0;
    for (const Rows& a : used) bytes += a.bytes * (rows + 2 * a.reach) * (planes + 2 * a.reach);
    return bytes <= cache;
  };
  const bool fluxes = std::ranges::any_of(all, [](const Recorded& r) { return r.stage.by_faces; });
  const int fewest = fluxes ? 16 : 4;
  int planes = 2;  // an even number: kernels compute pairs
  while (planes < grid.own().extent().z && fits(std::max(2 * (planes + 2), fewest), planes + 2)) planes += 2;
  int rows = fewest;
  while (rows < grid.own().extent().y && fits(rows + 1, planes)) ++rows;
  return {0, rows, planes};
}

void check_tile(Int3 tile, bool several) {
  if (tile == Int3{}) return;
  const std::string what = "pass_tile is " + to_string(tile);
  if (tile.x != 0) refuse(what + "; the first number must be 0, because tiles are not cut along x");
  if (tile.y < 0 || tile.z < 0) refuse(what + "; rows and planes must be at least 0");
  if (!several) refuse(what + ", but steps_per_pass is 1: a single step has no tiles");
}

}  // namespace sc
