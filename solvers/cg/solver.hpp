// SPDX-License-Identifier: Apache-2.0
// Solver: A x = b by (pipelined, preconditioned) conjugate gradients for a matrix of the user's.
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
  Settings settings{Division::row, Hiding::direct, 5};
  PreconditionerOptions preconditioner = {};
  bool pipelined = false;   ///< one non-blocking reduction an iteration, hidden under the product
  double tolerance = 1e-8;  ///< of |r| / |b|
  int iterations = 0;       ///< at most; 10 n + 100 where 0
};

struct Solution {
  /// |r| / |b| before each iteration and at the end, as the iteration carries it on; |b - A x| / |b| itself
  /// wherever that was computed, as it always is at the end.
  std::vector<double> residuals;
  double residual = 0;     ///< |b - A x| / |b|, computed anew: what decides
  bool converged = false;  ///< residual <= tolerance
  bool stagnated = false;  ///< starting anew from b - A x gained less than a factor of 2
  int restarts = 0;        ///< how often the iteration was started anew, its residual having lost b - A x
  std::string breakdown;   ///< why the iteration could not go on, in a sentence; empty where it could
  std::string note;        ///< what the user should hear although it went on; empty where there is nothing
  int iterations() const { return static_cast<int>(residuals.size()) - 1; }
};

/// The part of `rows` (whole rows of a rank's group) that the rank holds under the partition.
LocalRows keep_own(const LocalRows& rows, const Partition& partition, int rank);

class Solver {
 public:
  /// Collective; `rows` is only read. Throws Error (bad_input) on all ranks for options that cannot be had
  /// and a preconditioner that the matrix does not allow.
  Solver(Context& context, const Partition& partition, const LocalRows& rows, const SolverOptions& options);
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Collective. `right_side` holds this rank's entries of b. `each` is told of |r| / |b| on all ranks. Where
  /// it does not converge, x is the one nearest to b of those whose residual was computed, x = 0 among them.
  Solution solve(std::span<const double> right_side, const std::function<void(int, double)>& each = {});
  /// Collective: the last solution as a whole, on all ranks.
  std::vector<double> gathered() const;
  /// This rank's entries of it.
  std::vector<double> own() const;
  Product& product();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sc::cg
