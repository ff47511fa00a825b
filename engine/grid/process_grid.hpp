// SPDX-License-Identifier: Apache-2.0
// ProcessGrid: the ranks as a box of up to four dimensions, for arrays that are not fields of a Grid.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace sc {

constexpr int most_dims = 4;
using Ints4 = std::array<int, most_dims>;

/// Ranks are numbered with the last dimension fastest, as MPI_Cart_create does.
struct ProcessGrid {
  int dims = 1;
  Ints4 counts{1, 1, 1, 1};
  std::array<bool, most_dims> periodic{};

  int size() const { return counts[0] * counts[1] * counts[2] * counts[3]; }
  Ints4 coords_of(int rank) const;
  int rank_of(const Ints4& coords) const;
  /// The rank one step away along every axis where `direction` is not 0; -1 beyond a physical boundary.
  int neighbour(int rank, const Ints4& direction) const;
};

/// Fills in the counts that are 0 so that all multiply to `ranks` and the blocks of `cells` have the least
/// surface; among equals the first dimensions are split most. Throws Error (bad_input) where that cannot be.
Ints4 choose_counts(int dims, const std::array<std::int64_t, most_dims>& cells, const Ints4& counts,
                    int ranks);

/// The first cell of block `block` of `blocks` of `cells`.
constexpr std::int64_t block_begin(std::int64_t cells, int blocks, int block) {
  const std::int64_t whole = cells / blocks, more = cells % blocks;
  return whole * block + (block < more ? block : more);
}

/// All directions of `dims` components -1, 0, 1 but the one that leads nowhere; the opposite of direction n
/// is the n-th from the end.
std::vector<Ints4> directions_of(int dims);

}  // namespace sc
