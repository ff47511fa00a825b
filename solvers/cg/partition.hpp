// SPDX-License-Identifier: Apache-2.0
// How a square matrix and its vectors are divided between ranks: by rows, by columns, or as a grid, for any
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
/// Throws Error (bad_input) naming the ones there are.
Division division_of(std::string_view name);

/// What one rank holds: rows `first` … of the whole matrix, with the columns that are its own to hold.
struct LocalRows {
  std::int64_t first = 0;
  std::vector<std::int64_t> begin{0};
  std::vector<std::int64_t> column;
  std::vector<double> value;
};

/// Ranks stand in groups. A group holds a block of rows, its members share the columns of it. One rank a
/// group is the division by rows, one group of all ranks the division by columns. Each rank owns a piece of
/// every vector, inside the rows of its group and among the columns of its own, so that an entry of x goes
/// once to each other group and each other member's sum once to its owner:
///
///   bytes of a product = 8 [ n (groups - 1) + sum over groups (rows of the group) (members - 1) ].
///
/// By rows and by columns this is the paper's 8 n (p - 1) (eq. 3.1, 3.2); with sqrt(p) groups of sqrt(p)
/// ranks its 16 n (sqrt(p) - 1) (eq. 3.3), though vectors lie on all ranks and not on the diagonal ones only.
class Partition {
 public:
  /// `row_weight` is what each row counts: its non-zeros.
  Partition(Division division, std::span<const std::int64_t> row_weight, int ranks);
  /// By rows, where they are already: rank r has cuts[r] … cuts[r + 1] - 1.
  explicit Partition(std::vector<int> cuts);

  Division division() const { return division_; }
  int n() const { return cuts_.back(); }
  int ranks() const { return static_cast<int>(cuts_.size()) - 1; }
  /// Vector entries of rank r: cuts()[r] … cuts()[r + 1] - 1.
  const std::vector<int>& cuts() const { return cuts_; }
  int groups() const { return static_cast<int>(group_.size()) - 1; }
  int group_of(int rank) const;
  int members(int group) const { return group_[at(group) + 1] - group_[at(group)]; }
  /// Rows [first, last) of the group of a rank.
  std::pair<int, int> rows(int rank) const;
  /// Columns of a rank as ascending ranges [first, last), given the non-zeros of each column within the rows
  /// of its group.
  std::vector<std::pair<int, int>> columns(int rank, std::span<const std::int64_t> column_weight) const;

  /// Whether entries of x travel, and whether sums do.
  bool gathers() const { return groups() > 1; }
  bool sends_sums() const { return groups() < ranks(); }
  /// Most entries that one rank owns.
  int longest_piece() const;
  /// The formula above: every entry is needed wherever its column is held.
  double bytes_of_product() const;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Division division_;
  std::vector<int> cuts_;   // of vectors, by rank
  std::vector<int> group_;  // first rank of each group, and the number of ranks
};

}  // namespace sc::cg
