// SPDX-License-Identifier: Apache-2.0
// optimise: no
// The benchmark's matrix without MPI: published counts of non-zeros, the same entries for every division,
// load balance, and the paper's volumes for any number of ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "solvers/cg/makea.hpp"
#include "solvers/cg/random.hpp"

namespace sc::cg {
namespace {

std::int64_t nonzeros(const LocalRows& rows) { return static_cast<std::int64_t>(rows.column.size()); }

LocalRows whole(const Class& c) { return make_matrix(c, Partition(Division::row, row_weights(c), 1), 0); }

// The original generator in double arithmetic, in halves of 23 bits.
double original_randlc(double* x, double a) {
  const double r23 = std::pow(0.5, 23), t23 = std::pow(2.0, 23), r46 = r23 * r23, t46 = t23 * t23;
  const double a1 = std::trunc(r23 * a), a2 = a - t23 * a1;
  const double x1 = std::trunc(r23 * *x), x2 = *x - t23 * x1;
  const double t1 = a1 * x2 + a2 * x1, z = t1 - t23 * std::trunc(r23 * t1);
  const double t3 = t23 * z + a2 * x2;
  *x = t3 - t46 * std::trunc(r46 * t3);
  return r46 * *x;
}

TEST(CgRandom, IsTheOriginals) {
  Random random;
  double x = 314159265;
  for (int n = 0; n < 200000; ++n) ASSERT_EQ(random.next(), original_randlc(&x, 1220703125.0)) << n;
}

TEST(CgMatrix, HasThePublishedNonzeros) {
  EXPECT_EQ(nonzeros(whole(class_of("S"))), 78148);
  EXPECT_EQ(nonzeros(whole(class_of("A"))), 1853104);
}

TEST(CgMatrix, IsSymmetricAndSorted) {
  const LocalRows a = whole(class_of("S"));
  std::map<std::pair<std::int64_t, std::int64_t>, double> entry;
  for (std::size_t r = 0; r + 1 < a.begin.size(); ++r)
    for (auto k = static_cast<std::size_t>(a.begin[r]); k < static_cast<std::size_t>(a.begin[r + 1]); ++k) {
      if (k > static_cast<std::size_t>(a.begin[r])) {
        ASSERT_LT(a.column[k - 1], a.column[k]);
      }
      entry[{static_cast<std::int64_t>(r), a.column[k]}] = a.value[k];
    }
  for (const auto& [at, value] : entry) {
    const auto other = entry.find({at.second, at.first});
    ASSERT_NE(other, entry.end());
    ASSERT_NEAR(value, other->second, 1e-15 * std::abs(value));  // v_i (s v_j) and v_j (s v_i)
  }
}

// Every entry is on exactly one rank, with the bits of the undivided matrix.
TEST(CgMatrix, DoesNotDependOnTheDivision) {
  const Class& c = class_of("S");
  const LocalRows all = whole(c);
  const auto weights = row_weights(c);
  for (const Division division : {Division::row, Division::column, Division::grid})
    for (int ranks = 2; ranks <= 8; ++ranks) {
      const Partition partition(division, weights, ranks);
      std::set<std::pair<std::int64_t, std::int64_t>> seen;
      std::int64_t most = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const LocalRows part = make_matrix(c, partition, rank);
        most = std::max(most, nonzeros(part));
        for (std::size_t r = 0; r + 1 < part.begin.size(); ++r) {
          const auto g = static_cast<std::size_t>(part.first) + r;
          for (auto k = part.begin[r]; k < part.begin[r + 1]; ++k) {
            const std::int64_t column = part.column[static_cast<std::size_t>(k)];
            ASSERT_TRUE(seen.emplace(static_cast<std::int64_t>(g), column).second);
            const auto from = all.column.begin() + all.begin[g], to = all.column.begin() + all.begin[g + 1];
            const auto at = std::lower_bound(from, to, column);
            ASSERT_TRUE(at != to && *at == column);
            ASSERT_EQ(part.value[static_cast<std::size_t>(k)],
                      all.value[static_cast<std::size_t>(at - all.column.begin())]);
          }
        }
      }
      EXPECT_EQ(static_cast<std::int64_t>(seen.size()), 78148);
      EXPECT_LE(static_cast<double>(most) * ranks / 78148, 1.10) << division_name(division) << ranks;
    }
}

// Load balance follows from the weights alone, which count 2 % of the entries twice.
TEST(CgPartition, BalancesClassAForAnyNumberOfRanks) {
  const Class& c = class_of("A");
  const auto weights = row_weights(c);
  for (const Division division : {Division::row, Division::column, Division::grid})
    for (const int ranks : {3, 5, 6, 7, 64}) {
      const Partition partition(division, weights, ranks);
      std::int64_t most = 0, sum = 0;
      std::map<int, std::vector<std::int64_t>> of_group;
      for (int rank = 0; rank < ranks; ++rank) {
        const auto [first, last] = partition.rows(rank);
        auto& columns = of_group[partition.group_of(rank)];
        if (columns.empty()) columns = column_weights(c, first, last);
        std::int64_t mine = 0;
        for (const auto& [from, to] : partition.columns(rank, columns))
          for (int i = from; i < to; ++i) mine += columns[static_cast<std::size_t>(i)];
        most = std::max(most, mine);
        sum += mine;
      }
      EXPECT_LE(static_cast<double>(most) * ranks / static_cast<double>(sum), 1.10)
          << division_name(division) << ranks;
    }
}

// The paper's table 3.2 (kilobytes of 1000 bytes, class A).
TEST(CgPartition, MovesWhatThePaperCounts) {
  const std::vector<std::int64_t> even(14000, 1);
  const auto kilobytes = [&](Division d, int p) { return Partition(d, even, p).bytes_of_product() / 1000; };
  for (const auto& [p, row] : std::vector<std::pair<int, double>>{{2, 112},
                                                                  {4, 336},
                                                                  {10, 1008},
                                                                  {16, 1680},
                                                                  {20, 2128},
                                                                  {25, 2688},
                                                                  {40, 4368},
                                                                  {80, 8848},
                                                                  {100, 11088}}) {
    EXPECT_DOUBLE_EQ(kilobytes(Division::row, p), row);
    EXPECT_DOUBLE_EQ(kilobytes(Division::column, p), row);
  }
  for (const auto& [p, grid] :
       std::vector<std::pair<int, double>>{{4, 224}, {16, 672}, {25, 896}, {64, 1568}, {100, 2016}})
    EXPECT_DOUBLE_EQ(kilobytes(Division::grid, p), grid);
  for (int p = 3; p <= 1024; ++p)  // and always less than by rows
    EXPECT_LT(kilobytes(Division::grid, p), kilobytes(Division::row, p)) << p;
}

TEST(CgPartition, RefusesWhatIsNotKnown) {
  EXPECT_THROW(division_of("diagonal"), Error);
  EXPECT_THROW(class_of("E"), Error);
}

}  // namespace
}  // namespace sc::cg
