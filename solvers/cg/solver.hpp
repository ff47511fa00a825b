// SPDX-License-Identifier: Apache-2.0
// Solver: A x = b by (pipelined, preconditioned) conjugate gradients, for a given matrix.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/cg/preconditioner.hpp"
#include "solvers/cg/product.hpp"

namespace sc::cg {

struct SolverOptions {
  Settings settings{Division::row};
  PreconditionerOptions preconditioner = {};
  bool pipelined = false;   ///< one non-blocking reduction in each iteration, which overlaps with the product
  double tolerance = 1e-8;  ///< for |r| / |b|
  int iterations = 0;       ///< limit; 0: 10 n + 100
};

struct Solution {
  /// r| / |b| before each iteration and at the end, from the recurrence; or |b - A x| / |b| where that was
  /// computed, as always at the end.
  std::vector<double> residuals;
  double residual = 0;     ///< |b - A x| / |b|, recomputed; it decides on convergence
  bool converged = false;  ///< residual <= tolerance
  bool stagnated = false;  ///< a restart from b - A x gained less than a factor of 2
  int restarts = 0;        ///< restarts because the recursive residual had drifted from b - A x
  std::string breakdown;   ///< the reason why it could not continue, in a sentence; empty if it could
  std::string note;        ///< a message for the user although it continued; may be empty
  int iterations() const { return static_cast<int>(residuals.size()) - 1; }
};

/// The part of `rows` (whole rows of a rank's group) that belongs to the rank under the partition.
LocalRows keep_own(const LocalRows& rows, const Partition& partition, int rank);

class Solver {
 public:
  /// Collective; `rows` is only read. Throws Error (bad_input) on all ranks for invalid options, and for a
  /// preconditioner that the matrix does not allow.
  Solver(Context& context, const Partition& partition, const LocalRows& rows, const SolverOptions& options);
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Collective. `right_side`: this rank's entries of b. `each` is called with the iteration and |r| / |b| on
  /// all ranks. Without convergence, x is the vector with the smallest residual of all for which it was
  /// computed, including x = 0.
  Solution solve(std::span<const double> right_side, const std::function<void(int, double)>& each = {});
  /// Collective: the whole last solution, on all ranks.
  std::vector<double> gathered() const;
  /// This rank's entries of the last solution.
  std::vector<double> own() const;
  Product& product();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sc::cg
