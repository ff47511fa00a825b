// SPDX-License-Identifier: Apache-2.0
// SolvedLines: the common part of all LineSolves. If ranks divide the lines, it sums the blocks of a group of
// lines, sends the sums while the next group is summed, and solves each group when the sums of other ranks
// have arrived. Fields in far memory have two passes if ranks or slabs divide the lines: for the sums of all
// blocks, then to solve.
#pragma once

#include "engine/exec/line_elimination.hpp"
#include "engine/move/block_sums.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

class SolvedLines : public Stage {
 public:
  int whole_axis() const override { return axis_; }
  bool takes_parts() const override { return two_passes_; }
  Stage* before() override;
  std::optional<Own> own() override;
  void take(const Exchange& exchange, int piece, int threads) override;
  void finish(int threads) override;
  /// Whether ranks divide the lines.
  bool divided() const { return blocks_ != nullptr; }
  const LineSystem& system() const { return *system_; }
  ~SolvedLines() override;

 protected:
  SolvedLines(std::string name, int axis, std::shared_ptr<const LineSystem> system, double flops,
              std::vector<Access> accesses);
  /// Collective, with the same number of right-hand sides on all ranks; `sums` as in LineOptions.
  void divide(int systems, std::shared_ptr<std::vector<double>> sums);
  /// Whether all sums are computed before a line is solved.
  bool two_passes() const { return two_passes_; }
  /// Largest extent of lines in any box that is computed.
  std::vector<int> counts() const;
  /// Stores the sums of the blocks for the solution, and computes the solution from them.
  virtual void sum_parts(const Box& parts, int threads) = 0;
  virtual void solve_divided(const Box& lines, int threads) = 0;

  /// The part of the lines in a bundle, without memory.
  LinePart part(const Bundle& bundle) const;
  const BlockWindow& window() const { return window_; }
  /// Copies own sums of right-hand side `n` from `sums` to the movement.
  void give(const Bundle& bundle, int n, const SumsOfLines& sums) const;
  /// The sums on which the ends of the part's blocks, and of the previous one, depend.
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
  BlockWindow window_;
  std::shared_ptr<BlockSums> blocks_;
  std::size_t solved_ = 0;  // number of groups
  bool two_passes_ = false;
  std::shared_ptr<std::vector<double>> near_sums_;  // of lines that no rank divides
  std::unique_ptr<Sums> sums_;                      // of the first pass
};

}  // namespace sc
