// SPDX-License-Identifier: Apache-2.0
// BlockSums: the exchange of block sums (LineSystem) between ranks that divide lines, a few lines at a time.
#pragma once

#include <vector>

#include "engine/exec/line_system.hpp"
#include "engine/move/exchange.hpp"

namespace sc {

/// The blocks of a line whose sums a rank needs: its own, and those on which the ends of its own and of the
/// previous one depend. Position 0 is block `first` of the line, counted around the line if it is cyclic.
struct BlockWindow {
  int first = 0, count = 0;
  int own = 0, own_count = 0;  ///< positions
  int at(int block, const LineSystem& system) const {
    const int d = block - first, n = system.blocks();
    return system.cyclic() ? (d % n + n) % n : d;
  }
};
/// For coordinate `rank` among the ranks that divide the line at `cuts`.
BlockWindow block_window(const LineSystem& system, const std::vector<int>& cuts, int rank);

class BlockSums final : public Exchange {
 public:
  /// Collective. The axis must be divided between ranks at ends of blocks. `systems` right-hand sides for
  /// each line.
  static std::shared_ptr<BlockSums> make(const Grid& grid, int axis, const LineSystem& system, int systems);

  const BlockWindow& window() const { return window_; }
  /// For each line the blocks of the window along the axis: component 2 n has the sums of right-hand side n,
  /// 2 n + 1 the first values.
  Storage& storage() { return *storage_; }
  /// Lines that are sent together, as boxes of whole lines of the grid's own cells.
  const std::vector<Box>& groups() const { return groups_; }
  /// The group of an arrival; groups().size() beyond the last arrival.
  std::size_t group_of(int arrival) const;
  /// The cells of a piece: whole blocks of the lines that are sent together.
  Box source(int piece) const override;

 private:
  struct Parts;
  explicit BlockSums(Context& context, Parts&& parts);

  BlockWindow window_;
  std::shared_ptr<Storage> storage_;
  std::vector<Box> groups_;
  std::vector<Box> departing_;         // own cells
  std::vector<std::size_t> arriving_;  // groups
};

}  // namespace sc
