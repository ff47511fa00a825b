// SPDX-License-Identifier: Apache-2.0
// SolvedLines: what all LineSolves share. Where ranks divide the lines between them, it sums the blocks of a
// group of lines, sends the sums while the next group is summed, and solves each group when what it needs of
// others has come.
#pragma once

#include "engine/exec/line_elimination.hpp"
#include "engine/move/block_sums.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

class SolvedLines : public Stage {
 public:
  const Grid& grid() const override { return *grid_; }
  const std::vector<Access>& accesses() const override { return accesses_; }
  int whole_axis() const override { return axis_; }
  std::optional<Own> own() override;
  void take(const Movement& movement, int piece, int threads) override;
  void finish(int threads) override;
  /// Whether ranks divide the lines between them.
  bool divided() const { return blocks_ != nullptr; }
  const LineSystem& system() const { return *system_; }

 protected:
  SolvedLines(std::string name, int axis, std::shared_ptr<const LineSystem> system, double flops,
              std::vector<Access> accesses);
  /// Collective, with as many right sides a line.
  void divide(int systems);
  /// Sums of the blocks to the movement, and the solution from them.
  virtual void solve_divided(const Box& lines, int threads) = 0;

  /// Rank's part of the lines of a bundle, without memory.
  LinePart part(const Bundle& bundle) const;
  const BlockWindow& window() const { return window_; }
  /// Own sums of right side `n`, where `sums` has them, to where the movement takes them from.
  void give(const Bundle& bundle, int n, const SumsOfLines& sums) const;
  /// All of the window.
  void fetch(const Bundle& bundle, int n, const SumsOfLines& sums) const;

 private:
  struct Cells;
  Cells cells(const Bundle& bundle, int n) const;
  void check_cuts() const;

  int axis_;
  std::shared_ptr<const LineSystem> system_;
  std::vector<Access> accesses_;
  const Grid* grid_ = nullptr;
  BlockWindow window_;
  std::shared_ptr<BlockSums> blocks_;
  std::size_t solved_ = 0;  // groups
};

}  // namespace sc
