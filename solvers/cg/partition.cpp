// SPDX-License-Identifier: Apache-2.0
// Partition: groups that minimise the traffic, and cuts according to the weights.
#include "solvers/cg/partition.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace sc::cg {

namespace {

constexpr std::string_view names[] = {"row", "column", "grid"};

/// Divides `ranks` into `groups` of nearly equal size.
std::vector<int> even_groups(int ranks, int groups) {
  std::vector<int> first;
  for (int g = 0; g <= groups; ++g) first.push_back(static_cast<int>(std::int64_t{ranks} * g / groups));
  return first;
}

/// Entries moved for each row of the matrix: groups - 1 + the mean number of other members, weighted by rows.
double moved(const std::vector<int>& first) {
  double sum = static_cast<double>(first.size()) - 2;
  for (std::size_t g = 0; g + 1 < first.size(); ++g) {
    const double members = first[g + 1] - first[g];
    sum += members / first.back() * (members - 1);
  }
  return sum;
}

std::vector<int> groups_of(Division division, int ranks) {
  if (division == Division::row) return even_groups(ranks, ranks);
  if (division == Division::column) return even_groups(ranks, 1);
  std::vector<int> best = even_groups(ranks, 1);
  for (int groups = 2; groups <= ranks; ++groups)
    if (auto other = even_groups(ranks, groups); moved(other) < moved(best) - 1e-12) best = std::move(other);
  return best;
}

/// Cuts [first, last) where the cumulative weights are nearest to the shares.
std::vector<int> cut(std::span<const std::int64_t> weight, int first, int last,
                     const std::vector<double>& share) {
  const double whole =
      static_cast<double>(std::accumulate(weight.begin() + first, weight.begin() + last, std::int64_t{0}));
  const double shares = std::accumulate(share.begin(), share.end(), 0.0);
  std::vector<int> cuts{first};
  double before = 0, wanted = 0;
  int at = first;
  for (std::size_t k = 0; k + 1 < share.size(); ++k) {
    wanted += shares > 0 ? share[k] / shares * whole : whole / static_cast<double>(share.size());
    while (at < last && before + 0.5 * static_cast<double>(weight[static_cast<std::size_t>(at)]) < wanted)
      before += static_cast<double>(weight[static_cast<std::size_t>(at++)]);
    cuts.push_back(at);
  }
  cuts.push_back(last);
  return cuts;
}

}  // namespace

std::string_view division_name(Division division) { return names[static_cast<int>(division)]; }

Division division_of(std::string_view name) {
  for (int i = 0; i < 3; ++i)
    if (names[i] == name) return static_cast<Division>(i);
  refuse("partition \"" + std::string(name) + "\" is not known; allowed are row, column, grid");
}

Partition::Partition(Division division, std::span<const std::int64_t> row_weight, int ranks)
    : division_(division), group_(groups_of(division, ranks)) {
  if (row_weight.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    refuse("a matrix of order " + std::to_string(row_weight.size()) + " is too large; at most 2147483647");
  cuts_ = cut(row_weight, 0, static_cast<int>(row_weight.size()), std::vector<double>(at(ranks), 1.0));
}

Partition::Partition(std::vector<int> cuts)
    : division_(Division::row),
      cuts_(std::move(cuts)),
      group_(groups_of(Division::row, static_cast<int>(cuts_.size()) - 1)) {}

int Partition::group_of(int rank) const {
  return static_cast<int>(std::upper_bound(group_.begin(), group_.end(), rank) - group_.begin()) - 1;
}

std::pair<int, int> Partition::rows(int rank) const {
  const auto group = at(group_of(rank));
  return {cuts_[at(group_[group])], cuts_[at(group_[group + 1])]};
}

std::vector<std::pair<int, int>> Partition::columns(int rank,
                                                    std::span<const std::int64_t> column_weight) const {
  const int mine = group_of(rank), first = group_[at(mine)];
  const std::size_t count = at(members(mine)), me = at(rank - first);
  // Members take the columns of their own pieces first; what is missing to an equal share, they take from
  // others.
  const double whole =
      static_cast<double>(std::accumulate(column_weight.begin(), column_weight.end(), std::int64_t{0}));
  std::vector<double> lacking;
  for (std::size_t k = 0; k < count; ++k) {
    const auto r = at(first) + k;
    const double own = static_cast<double>(std::accumulate(
        column_weight.begin() + cuts_[r], column_weight.begin() + cuts_[r + 1], std::int64_t{0}));
    lacking.push_back(std::max(0.0, whole / static_cast<double>(count) - own));
  }
  std::vector<std::pair<int, int>> ranges;
  for (int g = 0; g < groups(); ++g) {
    if (g == mine) {
      ranges.emplace_back(cuts_[at(rank)], cuts_[at(rank) + 1]);
    } else {
      const auto cuts = cut(column_weight, cuts_[at(group_[at(g)])], cuts_[at(group_[at(g) + 1])], lacking);
      ranges.emplace_back(cuts[me], cuts[me + 1]);
    }
  }
  return ranges;
}

int Partition::longest_piece() const {
  int longest = 0;
  for (std::size_t r = 0; r + 1 < cuts_.size(); ++r) longest = std::max(longest, cuts_[r + 1] - cuts_[r]);
  return longest;
}

double Partition::bytes_of_product() const {
  double entries = static_cast<double>(n()) * (groups() - 1);
  for (int g = 0; g < groups(); ++g) {
    const auto [first, last] = rows(group_[at(g)]);
    entries += static_cast<double>(last - first) * (members(g) - 1);
  }
  return 8 * entries;
}

}  // namespace sc::cg
