// SPDX-License-Identifier: Apache-2.0
// BlockSums: what ranks that divide lines between them tell each other of their blocks (LineSystem), a few
// lines at a time.
#pragma once

#include <vector>

#include "engine/exec/line_system.hpp"
#include "engine/move/exchange.hpp"

namespace sc {

/// The blocks of a line whose sums a rank needs: its own, and those that the ends of its own and of the one
/// before depend on. Position 0 is block `first` of the line, counted around it where that is cyclic.
struct BlockWindow {
  int first = 0, count = 0;
  int own = 0, own_count = 0;  ///< positions
  int at(int block, const LineSystem& system) const {
    const int d = block - first, n = system.blocks();
    return system.cyclic() ? (d % n + n) % n : d;
  }
};
/// Of coordinate `rank` among those that divide the line at `cuts`.
BlockWindow block_window(const LineSystem& system, const std::vector<int>& cuts, int rank);

class BlockSums final : public Exchange {
 public:
  /// Collective. The axis is divided between ranks at ends of blocks. `systems` right sides a line.
  static std::shared_ptr<BlockSums> make(const Grid& grid, int axis, const LineSystem& system, int systems);

  const BlockWindow& window() const { return window_; }
  /// Of each line the blocks of the window along the axis: component 2 n the sums of right side n, 2 n + 1
  /// the first values.
  Storage& storage() { return *storage_; }
  /// Lines that travel together, as boxes of whole lines of the grid's own cells.
  const std::vector<Box>& groups() const { return groups_; }
  /// The group of an arrival; groups().size() beyond the last arrival.
  std::size_t group_of(int arrival) const;
  /// The cells that a piece tells of, whole blocks of the lines that travel together.
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
