// SPDX-License-Identifier: Apache-2.0
// ProcessGrid: a Cartesian process grid of up to four dimensions, for arrays that are not fields of a Grid.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace sc {

constexpr int most_dims = 4;
using Ints4 = std::array<int, most_dims>;

/// Ranks are numbered with the last dimension fastest, as by MPI_Cart_create.
struct ProcessGrid {
  int dims = 1;
  Ints4 counts{1, 1, 1, 1};
  std::array<bool, most_dims> periodic{};

  int size() const { return counts[0] * counts[1] * counts[2] * counts[3]; }
  Ints4 coords_of(int rank) const;
  int rank_of(const Ints4& coords) const;
  /// The rank one step away along every axis with a nonzero `direction`; -1 beyond a physical boundary.
  int neighbour(int rank, const Ints4& direction) const;
};

/// Replaces counts that are 0, so that the product is `ranks` and the blocks of `cells` have the smallest
/// surface; with equal surfaces the first dimensions are divided most. Throws Error (bad_input) if this is
/// impossible.
Ints4 choose_counts(int dims, const std::array<std::int64_t, most_dims>& cells, const Ints4& counts,
                    int ranks);

/// The first cell of block `block`, if `cells` are divided into `blocks`.
constexpr std::int64_t block_begin(std::int64_t cells, int blocks, int block) {
  const std::int64_t whole = cells / blocks, more = cells % blocks;
  return whole * block + (block < more ? block : more);
}

/// All directions with `dims` components -1, 0, 1 except zero; the opposite of direction n is the n-th from
/// the end.
std::vector<Ints4> directions_of(int dims);

}  // namespace sc
