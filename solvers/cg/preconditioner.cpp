// SPDX-License-Identifier: Apache-2.0
// Preconditioners: mostly one stage; inverted blocks are the rows of another sparse matrix.
#include "solvers/cg/preconditioner.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "engine/stage/row_stage.hpp"
#include "solvers/cg/chebyshev.hpp"
#include "solvers/cg/incomplete_cholesky.hpp"
#include "solvers/cg/kernels.hpp"

namespace sc::cg {

namespace {

constexpr std::string_view names[] = {"none", "jacobi", "block-jacobi", "ic", "chebyshev"};

/// The entries [lo, hi) x [lo, hi) of a matrix, all on one rank, as a dense matrix by rows.
std::vector<double> block_of(const LocalRows& rows, std::int64_t lo, std::int64_t hi) {
  const auto n = static_cast<std::size_t>(hi - lo);
  std::vector<double> dense(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto r = static_cast<std::size_t>(lo - rows.first) + i;
    for (auto k = static_cast<std::size_t>(rows.begin[r]); k < static_cast<std::size_t>(rows.begin[r + 1]);
         ++k)
      if (rows.column[k] >= lo && rows.column[k] < hi)
        dense[i * n + static_cast<std::size_t>(rows.column[k] - lo)] += rows.value[k];
  }
  return dense;
}

double diagonal_entry(const LocalRows& rows, std::int64_t i) { return block_of(rows, i, i + 1).front(); }

/// A = L L^T in place; returns false if A is not positive definite.
bool factor(std::vector<double>& a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) a[j * n + j] -= a[j * n + k] * a[j * n + k];
    if (!(a[j * n + j] > 0)) return false;
    a[j * n + j] = std::sqrt(a[j * n + j]);
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] /= a[j * n + j];
    }
  }
  return true;
}

/// Column `c` of (L L^T)^-1.
std::vector<double> inverse_column(const std::vector<double>& l, std::size_t n, std::size_t c) {
  std::vector<double> x(n);
  x[c] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= l[i * n + k] * x[k];
    x[i] /= l[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= l[k * n + i] * x[k];
    x[i] /= l[i * n + i];
  }
  return x;
}

LocalRows inverted_blocks(const LocalRows& rows, const Grid& grid, int block) {
  LocalRows inverse;
  inverse.first = grid.origin().x;
  const std::int64_t last = inverse.first + grid.own().hi.x;
  for (std::int64_t lo = inverse.first; lo < last; lo += block) {
    const std::int64_t hi = std::min<std::int64_t>(lo + block, last);
    const auto n = static_cast<std::size_t>(hi - lo);
    std::vector<double> dense = block_of(rows, lo, hi);
    if (!factor(dense, n))
      refuse("the matrix is not positive definite: rows " + std::to_string(lo + 1) + " to " +
             std::to_string(hi) + " have no Cholesky factor");
    for (std::size_t i = 0; i < n; ++i) {  // symmetric: column i is row i
      const auto row = inverse_column(dense, n, i);
      for (std::size_t k = 0; k < n; ++k) inverse.column.push_back(lo + static_cast<std::int64_t>(k));
      inverse.value.insert(inverse.value.end(), row.begin(), row.end());
      inverse.begin.push_back(static_cast<std::int64_t>(inverse.column.size()));
    }
  }
  return inverse;
}

/// A preconditioner with a single stage.
class Staged : public Preconditioner {
 public:
  Staged(Runner& runner, std::unique_ptr<Stage> stage) : runner_(runner), stage_(std::move(stage)) {}
  void run() override { runner_.run(*stage_); }

 private:
  Runner& runner_;
  std::unique_ptr<Stage> stage_;
};

class Factored final : public Staged {
 public:
  Factored(Runner& runner, std::unique_ptr<TriangularStage> stage, double shift)
      : Staged(runner, std::move(stage)), shift_(shift) {}
  std::string note() const override {
    if (shift_ == 0) return "";
    char text[120];
    std::snprintf(text, sizeof text,
                  "the matrix has no incomplete Cholesky factor: it is that of A + %.3g diag(A)", shift_);
    return text;
  }

 private:
  double shift_;
};

std::unique_ptr<Preconditioner> make_factored(const LocalRows& rows, Product& product,
                                              const PreconditionerFields& fields) {
  Context& context = product.grid().context();
  std::unique_ptr<TriangularStage> stage;
  context.together(
      [&] { stage = std::make_unique<TriangularStage>("precondition", rows, fields.u, fields.r); });
  const double shift = context.max(stage->factor().shift());
  return std::make_unique<Factored>(product.runner(), std::move(stage), shift);
}

std::unique_ptr<Stage> make_stage(const PreconditionerOptions& options, const LocalRows& rows,
                                  const PreconditionerFields& fields) {
  const auto& [u, r, diagonal] = fields;
  if (options.kind == Preconditioning::none) {
    using Copying = decltype(Sweep("", Copy{}, writes(u.now()), reads(r.now())));
    return std::make_unique<Copying>("precondition", Copy{}, writes(u.now()), reads(r.now()));
  }
  if (options.kind == Preconditioning::jacobi) {
    require_positive_diagonal(rows, diagonal.grid());
    using Scaling = decltype(Sweep("", Diagonal{}, writes(u.now()), reads(diagonal.now()), reads(r.now())));
    return std::make_unique<Scaling>("precondition", Diagonal{}, writes(u.now()), reads(diagonal.now()),
                                     reads(r.now()));
  }
  if (options.block < 1 || options.block > 1024)
    refuse("block is " + std::to_string(options.block) + "; allowed is 1 to 1024");
  LocalRows inverse;
  u.grid().context().together([&] { inverse = inverted_blocks(rows, u.grid(), options.block); });
  return std::make_unique<RowStage>("precondition", MatrixRows{inverse.first, inverse.begin, inverse.value},
                                    writes(u.now()), reads(r.now(), gather(inverse.column)));
}

}  // namespace

std::string_view preconditioning_name(Preconditioning kind) { return names[static_cast<int>(kind)]; }

Preconditioning preconditioning_of(std::string_view name) {
  std::string allowed;
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (names[i] == name) return static_cast<Preconditioning>(i);
    allowed += (i > 0 ? ", " : "") + std::string(names[i]);
  }
  refuse("preconditioner \"" + std::string(name) + "\" is not known; allowed are " + allowed);
}

void fill_inverse_diagonal(const LocalRows& rows, Field<double>& diagonal) {
  const Grid& grid = diagonal.grid();
  const Out<double> d = diagonal.modify();
  for (int i = 0; i < grid.own().hi.x; ++i) {
    const double value = diagonal_entry(rows, grid.origin().x + i);
    d.base[i] = value > 0 ? 1 / value : 0;
  }
}

void require_positive_diagonal(const LocalRows& rows, const Grid& grid) {
  grid.context().together([&] {
    for (int i = 0; i < grid.own().hi.x; ++i) {
      const std::int64_t g = grid.origin().x + i;
      const double value = diagonal_entry(rows, g);
      if (!(value > 0))
        refuse("the matrix is not positive definite: its diagonal entry " + std::to_string(g + 1) + " is " +
               std::to_string(value));
    }
  });
}

std::unique_ptr<Preconditioner> make_preconditioner(const PreconditionerOptions& options,
                                                    const LocalRows& rows, Product& product,
                                                    const PreconditionerFields& fields) {
  if (options.kind == Preconditioning::chebyshev)
    return std::make_unique<Chebyshev>(options.degree, rows, product, fields);
  if (options.kind == Preconditioning::ic) return make_factored(rows, product, fields);
  return std::make_unique<Staged>(product.runner(), make_stage(options, rows, fields));
}

}  // namespace sc::cg
