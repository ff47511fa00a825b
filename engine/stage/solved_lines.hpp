// SPDX-License-Identifier: Apache-2.0
// SolvedLines: what all LineSolves share. Where ranks divide the lines between them, it sums the blocks of a
// group of lines, sends the sums while the next group is summed, and solves each group when what it needs of
// others has come. Fields in far memory pass twice where ranks or slabs divide the lines: once for the sums
// of all blocks, once to be solved.
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
  bool takes_parts() const override { return two_passes_; }
  Stage* before() override;
  std::optional<Own> own() override;
  void take(const Movement& movement, int piece, int threads) override;
  void finish(int threads) override;
  /// Whether ranks divide the lines between them.
  bool divided() const { return blocks_ != nullptr; }
  const LineSystem& system() const { return *system_; }
  ~SolvedLines() override;

 protected:
  SolvedLines(std::string name, int axis, std::shared_ptr<const LineSystem> system, double flops,
              std::vector<Access> accesses);
  /// Collective, with as many right sides a line; `sums` as in LineOptions.
  void divide(int systems, std::shared_ptr<std::vector<double>> sums);
  /// Whether all sums are there before a line is solved.
  bool two_passes() const { return two_passes_; }
  /// Cells of the lines in every box that may come.
  std::vector<int> counts() const;
  /// Sums of the blocks to where the solution finds them, and the solution from them.
  virtual void sum_parts(const Box& parts, int threads) = 0;
  virtual void solve_divided(const Box& lines, int threads) = 0;

  /// The part of the lines that a bundle holds, without memory.
  LinePart part(const Bundle& bundle) const;
  const BlockWindow& window() const { return window_; }
  /// Own sums of right side `n`, where `sums` has them, to where the movement takes them from.
  void give(const Bundle& bundle, int n, const SumsOfLines& sums) const;
  /// What the ends of the part's blocks, and of the one before, depend on.
  void fetch(const Bundle& bundle, int n, const SumsOfLines& sums) const;

 private:
  class Sums;
  struct Cells;
  Cells cells(const Bundle& bundle, int n) const;
  void check_cuts() const;
  void check_pieces() const;
  std::optional<Own> sums_moved();

  int axis_;
  std::shared_ptr<const LineSystem> system_;
  std::vector<Access> accesses_;
  const Grid* grid_ = nullptr;
  BlockWindow window_;
  std::shared_ptr<BlockSums> blocks_;
  std::size_t solved_ = 0;  // groups
  bool two_passes_ = false;
  std::shared_ptr<std::vector<double>> near_sums_;  // of lines that no rank divides
  std::unique_ptr<Sums> sums_;                      // the first pass
};

}  // namespace sc
