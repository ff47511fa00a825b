// SPDX-License-Identifier: Apache-2.0
// Preconditioners: u = M^-1 r with M symmetric positive definite and close to A.
#pragma once

#include <memory>
#include <string_view>

#include "solvers/cg/product.hpp"

namespace sc::cg {

/// `ic`: an incomplete Cholesky factor without fill, of the rank's own rows and columns. `chebyshev`: a
/// polynomial of the scaled matrix. Only chebyshev needs communication, for its products.
enum class Preconditioning { none, jacobi, block_jacobi, ic, chebyshev };
std::string_view preconditioning_name(Preconditioning kind);
/// Throws Error (bad_input) with the allowed names.
Preconditioning preconditioning_of(std::string_view name);

struct PreconditionerOptions {
  Preconditioning kind = Preconditioning::none;
  int block = 32;  ///< rows in a block of block-jacobi
  int degree = 4;  ///< products in an iteration with chebyshev, including that of the iteration itself
};

/// The vectors; r is only read.
struct PreconditionerFields {
  Field<double>&u, &r, &diagonal;  ///< diagonal: 1 / a_ii
};

class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  /// u = M^-1 r; collective.
  virtual void run() = 0;
  /// A message for the user, in a sentence; may be empty.
  virtual std::string note() const { return ""; }
};

/// Collective. `rows` is only read; the product must be that of A. Blocks are `block` consecutive entries of
/// one rank's vectors; the last one of a rank may be shorter. Throws Error (bad_input) on all ranks if a
/// diagonal entry is not positive or a block not positive definite, and for a block or a degree out of range.
std::unique_ptr<Preconditioner> make_preconditioner(const PreconditionerOptions& options,
                                                    const LocalRows& rows, Product& product,
                                                    const PreconditionerFields& fields);

/// Sets 1 / a_ii, or 0 where a_ii is not positive.
void fill_inverse_diagonal(const LocalRows& rows, Field<double>& diagonal);

/// Collective: throws Error (bad_input) on all ranks if an entry of the diagonal is not positive.
void require_positive_diagonal(const LocalRows& rows, const Grid& grid);

}  // namespace sc::cg
