// SPDX-License-Identifier: Apache-2.0
// LineSystem: one tridiagonal matrix for all lines along an axis, factored in blocks of cells at fixed global
// positions. Each block is eliminated separately. Two sums for each line couple the blocks, and every value
// at the end of a block is one product of fixed length with these sums. No operation depends on where ranks
// divide the line, as long as they divide it between blocks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sc {

/// lower[i] x[i-1] + diagonal[i] x[i] + upper[i] x[i+1] = r[i], i = 0 … n - 1. If cyclic, x[-1] is x[n-1] and
/// x[n] is x[0]; otherwise lower[0] and upper[n-1] are not used.
struct Tridiagonal {
  std::vector<double> lower, diagonal, upper;
  bool cyclic = false;
};
/// The same row (beside, diagonal, beside) for every cell.
Tridiagonal tridiagonal(int cells, double beside, double diagonal, bool cyclic);

class LineSystem {
 public:
  static constexpr int usual_block = 8;

  /// Throws Error (bad_input) for spans of different lengths, fewer than 3 cells, blocks of fewer than 3, and
  /// a matrix that elimination without pivoting does not solve (a dominant diagonal is sufficient).
  explicit LineSystem(Tridiagonal matrix, int block = usual_block);

  int cells() const { return static_cast<int>(rows_.size()); }
  bool cyclic() const { return cyclic_; }
  int block() const { return block_; }
  /// Whole blocks; the last one also has the remaining cells.
  int blocks() const { return blocks_; }
  int begin(int block) const { return block < blocks_ ? block * block_ : cells(); }
  /// The block that begins at `cell`; blocks() at the end of the line, -1 if none does.
  int block_at(int cell) const;
  /// As GridOptions::cuts, with the blocks divided evenly. Throws Error (bad_input) for more ranks than
  /// blocks.
  std::vector<int> cuts(int ranks) const;

  // A block consists of its inner cells and its last one, s. With r = 0 beyond the inner cells
  //   first = (value of the first inner cell), sum = r_s - lower_s (value of the last inner cell),
  // both linear in r; the values at the ends of all blocks solve a tridiagonal system with right sides
  // sum_k - upper_s first_(k+1).

  /// The row of a cell after elimination.
  struct Row {
    double pivot, lower, upper;  ///< p = pivot r - lower p_before; x = p - upper x_after
    double first, last;          ///< its share in the values of the first and last inner cells
  };
  std::span<const Row> rows() const { return rows_; }
  /// `lower` of the matrix at the end of a block.
  double end_lower(int block) const { return end_lower_[static_cast<std::size_t>(block)]; }

  /// x at the end of block k = sum over m of sum_weight sum_m + first_weight first_m, m = k - before() …
  /// k + after(), in this order, around the line where that is cyclic. What is left out is smaller than
  /// 2^-60 of the largest.
  struct Weights {
    double sum, first;
  };
  int before() const { return before_; }
  int after() const { return after_; }
  /// before() + 1 + after() numbers.
  std::span<const Weights> weights(int block) const {
    const auto n = static_cast<std::size_t>(before_ + 1 + after_);
    return {weights_.data() + static_cast<std::size_t>(block) * n, n};
  }

 private:
  void factor(const Tridiagonal& m, int block);
  void link(const Tridiagonal& m);

  int block_, blocks_;
  bool cyclic_;
  int before_ = 0, after_ = 0;
  std::vector<Row> rows_;
  std::vector<double> end_lower_;
  std::vector<Weights> weights_;
};

}  // namespace sc
