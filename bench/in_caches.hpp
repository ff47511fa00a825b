// SPDX-License-Identifier: Apache-2.0
// Ways to compute a field in memory, measured in turns with blocks that stay in the caches.
#pragma once

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "bench/measure.hpp"

namespace sc::bench {

inline const std::vector<int> cached_cells{24, 32, 40, 48};  // along an axis, in the second-level caches

/// A block that stays in the caches.
struct CachedBlock {
  double cells;
  std::function<void(int)> steps;  ///< computes so many
};

/// `work`: cells times steps in one turn.
inline void print_speed(const std::string& what, const Way& way, double cells, double work) {
  std::printf("%s, %s: %.4g ms a step, %.0f million cells/s\n", what.c_str(), way.name.c_str(),
              1e3 * median(way) * cells / work, 1e-6 * work / median(way));
}

/// Measures the ways, which compute `steps` steps on so many cells, and prints their speed. Returns the cells
/// a second of the fastest block. Collective.
inline double beside_caches(Context& context, const std::string& name, std::vector<Way>& ways,
                            const std::vector<CachedBlock>& blocks, double cells, int steps, int turns) {
  const std::size_t in_memory = ways.size();
  std::vector<double> work;
  for (const CachedBlock& block : blocks) {
    const int count = std::max(1, int(steps * cells / block.cells));
    work.push_back(count * block.cells);
    ways.push_back({"in the caches", [&block, count] { block.steps(count); }});
  }
  take_turns(context, ways, turns, until_rows_chosen / steps + 1);
  double fastest = 0;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const Way& way = ways[in_memory + k];
    print_speed(name, way, blocks[k].cells, work[k]);
    fastest = std::max(fastest, work[k] / median(way));
  }
  ways.resize(in_memory);
  for (const Way& way : ways) print_speed(name, way, cells, steps * cells);
  return fastest;
}

}  // namespace sc::bench
