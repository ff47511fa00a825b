// SPDX-License-Identifier: Apache-2.0
// ProcessGrid: coordinates, neighbours, and the choice of the numbers of blocks.
#include "engine/grid/process_grid.hpp"

#include <string>

#include "engine/base/error.hpp"
#include "engine/base/index.hpp"

namespace sc {

namespace {

/// The communication volume of a block: one layer of cells for each divided dimension.
double surface(int dims, const std::array<std::int64_t, most_dims>& cells, const Ints4& counts) {
  double volume = 1;
  for (int a = 0; a < dims; ++a) volume *= double(cells[at(a)]) / counts[at(a)];
  double sum = 0;
  for (int a = 0; a < dims; ++a)
    if (counts[at(a)] > 1) sum += volume / (double(cells[at(a)]) / counts[at(a)]);
  return sum;
}

struct Search {
  int dims;
  const std::array<std::int64_t, most_dims>& cells;
  const Ints4& wanted;
  Ints4 best{};
  double least = -1;

  /// Tries all divisors of `left` as count of dimension `axis`, largest first; `left` ranks remain for this
  /// and the later dimensions.
  void from(int axis, Ints4 counts, int left) {
    if (axis == dims) {
      if (left != 1) return;
      const double cost = surface(dims, cells, counts);
      if (least >= 0 && cost >= least) return;
      least = cost;
      best = counts;
      return;
    }
    for (int n = left; n >= 1; --n) {
      if (left % n != 0 || n > cells[at(axis)]) continue;
      if (wanted[at(axis)] != 0 && wanted[at(axis)] != n) continue;
      counts[at(axis)] = n;
      from(axis + 1, counts, left / n);
    }
  }
};

}  // namespace

Ints4 ProcessGrid::coords_of(int rank) const {
  Ints4 coords{};
  for (int a = dims - 1; a >= 0; --a) {
    coords[at(a)] = rank % counts[at(a)];
    rank /= counts[at(a)];
  }
  return coords;
}

int ProcessGrid::rank_of(const Ints4& coords) const {
  int rank = 0;
  for (int a = 0; a < dims; ++a) rank = rank * counts[at(a)] + coords[at(a)];
  return rank;
}

int ProcessGrid::neighbour(int rank, const Ints4& direction) const {
  Ints4 coords = coords_of(rank);
  for (int a = 0; a < dims; ++a) {
    int& c = coords[at(a)];
    c += direction[at(a)];
    if (c >= 0 && c < counts[at(a)]) continue;
    if (!periodic[at(a)]) return -1;
    c = (c + counts[at(a)]) % counts[at(a)];
  }
  return rank_of(coords);
}

Ints4 choose_counts(int dims, const std::array<std::int64_t, most_dims>& cells, const Ints4& counts,
                    int ranks) {
  Search search{dims, cells, counts};
  search.from(0, {1, 1, 1, 1}, ranks);
  if (search.least < 0) {
    std::string text;
    for (int a = 0; a < dims; ++a)
      text +=
          (a ? ", " : "") + std::to_string(counts[at(a)]) + " of " + std::to_string(cells[at(a)]) + " cells";
    refuse("the process counts (" + text + "; 0 is chosen) cannot multiply to " + std::to_string(ranks) +
           " ranks with at least one cell each");
  }
  return search.best;
}

std::vector<Ints4> directions_of(int dims) {
  int all = 1;
  for (int a = 0; a < dims; ++a) all *= 3;
  std::vector<Ints4> directions;
  for (int n = 0; n < all; ++n) {
    if (n == all / 2) continue;
    Ints4 d{};
    for (int a = dims - 1, rest = n; a >= 0; --a, rest /= 3) d[at(a)] = rest % 3 - 1;
    directions.push_back(d);
  }
  return directions;
}

}  // namespace sc
