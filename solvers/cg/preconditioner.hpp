// SPDX-License-Identifier: Apache-2.0
// Preconditioners: u = M^-1 r with M symmetric positive definite and near A.
#pragma once

#include <memory>
#include <string_view>

#include "solvers/cg/product.hpp"

namespace sc::cg {

/// `ic`: an incomplete Cholesky factor, without fill, of the rank's own rows and columns. `chebyshev`: a
/// polynomial of the scaled matrix. The others need no other rank either, but for chebyshev's products.
enum class Preconditioning { none, jacobi, block_jacobi, ic, chebyshev };
std::string_view preconditioning_name(Preconditioning kind);
/// Throws Error (bad_input) naming the ones there are.
Preconditioning preconditioning_of(std::string_view name);

struct PreconditionerOptions {
  Preconditioning kind = Preconditioning::none;
  int block = 32;  ///< rows of a block of block-jacobi
  int degree = 4;  ///< products of an iteration with chebyshev, that of the iteration counted
};

/// The vectors that it works on; r is only read.
struct PreconditionerFields {
  Field<double>&u, &r, &diagonal;  ///< diagonal: its inverse, where it is wanted
};

class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  /// u = M^-1 r; collective.
  virtual void run() = 0;
  /// What the user should hear of it, in a sentence; empty where there is nothing.
  virtual std::string note() const { return ""; }
};

/// Collective. `rows` is only read; the product is A's. Blocks are of `block` consecutive entries of one
/// rank's vectors, the last of a rank shorter. Throws Error (bad_input) on all ranks where a diagonal entry
/// or a block is not positive (definite), and for a block or a degree that is out of range.
std::unique_ptr<Preconditioner> make_preconditioner(const PreconditionerOptions& options,
                                                    const LocalRows& rows, Product& product,
                                                    const PreconditionerFields& fields);

/// Collective: 1 / a_ii. Throws Error (bad_input) on all ranks where an entry is not positive.
void fill_inverse_diagonal(const LocalRows& rows, Field<double>& diagonal);

}  // namespace sc::cg
