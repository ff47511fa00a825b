// SPDX-License-Identifier: Apache-2.0
// IncompleteCholesky: L L^T approximates the block of a matrix whose rows and columns one rank owns.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/stage/stage.hpp"
#include "solvers/cg/partition.hpp"

namespace sc::cg {

/// L has the sparsity of A's lower triangle, without fill: (L L^T)_ij = a_ij for all entries a_ij. Such a
/// factor exists for M-matrices (Meijerink and van der Vorst, Math. Comput. 31, 1977), but not for all
/// others. If not, it is the factor of A + shift diag(A), with the smallest shift of 0, 0.001, 0.002, 0.004,
/// … (Manteuffel, Math. Comput. 34, 1980).
class IncompleteCholesky {
 public:
  /// For rows and columns [lo, hi), whose entries are all in `rows`; duplicate entries are added. Throws
  /// Error (bad_input) if a diagonal entry is not positive.
  IncompleteCholesky(const LocalRows& rows, std::int64_t lo, std::int64_t hi);

  /// Solves L L^T u = r, row after row in one thread. Arrays of hi - lo numbers.
  void solve(const double* r, double* u) const;
  double shift() const { return shift_; }
  int rows() const { return static_cast<int>(begin_.size()) - 1; }
  std::int64_t entries() const { return static_cast<std::int64_t>(column_.size()); }

 private:
  void reserve(const LocalRows& rows, std::int64_t lo, std::int64_t hi);
  void take(const LocalRows& rows, std::int64_t lo, std::int64_t hi);
  /// Returns false if a pivot is not positive.
  bool factor(const std::vector<double>& lower, double shift);

  double shift_ = 0;
  std::vector<double> diagonal_;        // of A, later 1 / that of L
  std::vector<std::int64_t> begin_{0};  // of the rows of L without its diagonal
  std::vector<std::int32_t> column_;    // ascending in a row
  std::vector<double> value_;
};

/// u = (L L^T)^-1 r, with the factor of this rank's own rows.
class TriangularStage final : public Stage {
 public:
  /// No communication; throws as the factor does, on this rank only.
  TriangularStage(std::string name, const LocalRows& rows, Field<double>& u, Field<double>& r);

  /// A row depends on previous ones, so rows are not divided.
  int whole_axis() const override { return 0; }
  void compute(const Box& box, int threads, std::span<Accumulator> into) override;
  double bytes_per_cell() const override;
  const IncompleteCholesky& factor() const { return factor_; }

 private:
  IncompleteCholesky factor_;
};

}  // namespace sc::cg
