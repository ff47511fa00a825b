// SPDX-License-Identifier: Apache-2.0
// Chebyshev: u = p(D^-1 A) D^-1 r, D the diagonal: a preconditioner with products and without reductions.
#pragma once

#include "solvers/cg/kernels.hpp"
#include "solvers/cg/preconditioner.hpp"

namespace sc::cg {

namespace stages {

inline auto chebyshev_first(Field<double>& u, Field<double>& d, Field<double>& diagonal, Field<double>& r) {
  return Sweep("precondition", ChebyshevFirst{}, writes(u.now()), writes(d.now()), reads(diagonal.now()),
               reads(r.now()));
}
inline auto chebyshev_next(Field<double>& u, Field<double>& d, Field<double>& diagonal, Field<double>& r,
                           Field<double>& image) {
  return Sweep("precondition", ChebyshevNext{}, updates(u.now()), updates(d.now()), reads(diagonal.now()),
               reads(r.now()), reads(image.now()));
}

}  // namespace stages

/// `degree` steps of Chebyshev's iteration for A u = r from u = 0 (Saad, Iterative Methods for Sparse Linear
/// Systems, 2nd ed., algorithm 12.1), for eigenvalues of D^-1 A in [b / (4 degree^2), b]. b is Gershgorin's
/// bound, the largest sum over a row of |a_ij| / a_ii. No eigenvalue exceeds it, so p stays positive.
class Chebyshev final : public Preconditioner {
 public:
  /// Collective. u is the product's operand, or the operand has two levels, of which the first is preserved.
  /// Throws Error (bad_input) on all ranks if a diagonal entry is not positive, or for a degree out of range.
  Chebyshev(int degree, const LocalRows& rows, Product& product, const PreconditionerFields& fields);
  void run() override;
  /// The bound b.
  double bound() const { return bound_; }

 private:
  double largest_row(const LocalRows& rows) const;

  int degree_;
  Product& product_;
  PreconditionerFields fields_;
  Field<double> direction_;
  double bound_;
  Field<double>& operand_ = product_.x();
  decltype(stages::chebyshev_first(operand_, direction_, operand_, operand_)) first_;
  decltype(stages::chebyshev_next(operand_, direction_, operand_, operand_, operand_)) next_;
  std::unique_ptr<Stage> give_;  // u = operand; null if they are one field
};

}  // namespace sc::cg
