// SPDX-License-Identifier: Apache-2.0
// The distribution of a square matrix and its vectors among ranks: by rows, by columns, or as a grid, for any
// number of ranks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"

namespace sc::cg {

enum class Division { row, column, grid };
std::string_view division_name(Division division);
/// Throws Error (bad_input) with the allowed names.
Division division_of(std::string_view name);

/// One rank's part of a matrix: rows from `first` on, with the columns that the rank has.
struct LocalRows {
  std::int64_t first = 0;
  std::vector<std::int64_t> begin{0};
  std::vector<std::int64_t> column;
  std::vector<double> value;
};

/// Ranks form groups. A group has a block of rows, whose columns its members share. With one rank in each
/// group this is the division by rows; with one group of all ranks, by columns. Each rank owns a piece of
/// every vector, within the rows of its group and the columns of its own. So an entry of x is sent once to
/// each other group, and each other member's sum once to its owner:
///
///   bytes of a product = 8 [ n (groups - 1) + sum over groups (rows of the group) (members - 1) ].
///
/// By rows and by columns this is the paper's 8 n (p - 1) (eq. 3.1, 3.2). With sqrt(p) groups of sqrt(p)
/// ranks it is 16 n (sqrt(p) - 1) (eq. 3.3), although vectors are on all ranks, not only on the diagonal
/// ones.
class Partition {
 public:
  /// `row_weight`: the weight of each row, its non-zeros.
  Partition(Division division, std::span<const std::int64_t> row_weight, int ranks);
  /// By rows, with a given distribution: rank r has cuts[r] … cuts[r + 1] - 1.
  explicit Partition(std::vector<int> cuts);

  Division division() const { return division_; }
  int n() const { return cuts_.back(); }
  int ranks() const { return static_cast<int>(cuts_.size()) - 1; }
  /// Vector entries of rank r: cuts()[r] … cuts()[r + 1] - 1.
  const std::vector<int>& cuts() const { return cuts_; }
  int groups() const { return static_cast<int>(group_.size()) - 1; }
  int group_of(int rank) const;
  int members(int group) const { return group_[at(group) + 1] - group_[at(group)]; }
  /// Rows [first, last) of a rank's group.
  std::pair<int, int> rows(int rank) const;
  /// Columns of a rank as ascending ranges [first, last), from the non-zeros of each column in the rows of
  /// its group.
  std::vector<std::pair<int, int>> columns(int rank, std::span<const std::int64_t> column_weight) const;

  /// Whether sums of rows are exchanged.
  bool sends_sums() const { return groups() < ranks(); }
  /// The largest number of entries that a rank owns.
  int longest_piece() const;
  /// The formula above: every entry is needed by all ranks that have its column.
  double bytes_of_product() const;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Division division_;
  std::vector<int> cuts_;   // of vectors, by rank
  std::vector<int> group_;  // first rank of each group, then the number of ranks
};

}  // namespace sc::cg
