// SPDX-License-Identifier: Apache-2.0
// Common parts of plain and pipelined conjugate gradients: the system with its vectors, and the conditions
// for the end of an iteration. Solver decides by |b - A x| whether the result is a solution.
#pragma once

#include <functional>
#include <memory>

#include "engine/stage/global_value.hpp"
#include "solvers/cg/kernels.hpp"
#include "solvers/cg/solver.hpp"

namespace sc::cg {

namespace stages {

using F = Field<double>&;
inline constexpr SweepOptions summed{.reduce = Reduce::sum};

inline auto dot(const char* name, F x, F y) {
  return Sweep(name, Dot{}, summed, reads(x.now()), reads(y.now()));
}
inline auto dots(const char* name, F x, F y) {
  return Sweep(name, Dots{}, summed, reads(x.now()), reads(y.now()));
}
inline auto weighted_square(F p, F d) {
  return Sweep("p D p", WeightedSquare{}, summed, reads(p.now()), reads(d.now()));
}
inline auto reduced(F r, F q) {
  return Sweep("residual", Reduced{}, summed, updates(r.now()), reads(q.now()));
}
inline auto reduced(F r, F q, F d) {
  return Sweep("residual", ReducedByDiagonal{}, summed, updates(r.now()), reads(q.now()), reads(d.now()));
}
inline auto left(F r, F b, F q) {
  return Sweep("b - A x", Left{}, summed, writes(r.now()), reads(b.now()), reads(q.now()));
}
inline auto add(const char* name, F x, F p) { return Sweep(name, Add{}, updates(x.now()), reads(p.now())); }
inline auto direction(F p, F u) {
  return Sweep("direction", NextDirection{}, updates(p.now()), reads(u.now()));
}
inline auto direction(F p, F r, F d) {
  return Sweep("direction", NextDirectionByDiagonal{}, updates(p.now()), reads(d.now()), reads(r.now()));
}
inline auto copy(F to, F from) { return Sweep("copy", Copy{}, writes(to.now()), reads(from.now())); }

}  // namespace stages

/// A x = b: the product, vectors for all iterations, and r = b - A x.
struct System {
  System(Context& context_in, const Partition& partition, const LocalRows& rows, const SolverOptions& given);

  /// Computes r = b - A x; returns |r|.
  double residual();
  /// p^T D p with the diagonal D of A.
  double weighted_square(Field<double>& p);

  Context& context;
  SolverOptions options;
  Product product;
  double largest;  ///< max |a_ij|
  Field<double>& operand = product.x();
  Field<double>& image = product.y();
  Field<double> b{product.grid(), "b"}, x{product.grid(), "solution"}, r{product.grid(), "r"},
      u{product.grid(), "u"}, diagonal{product.grid(), "1 / diagonal"};
  GlobalValue sums{context};

 private:
  decltype(stages::copy(operand, x)) take_x_ = stages::copy(operand, x);
  decltype(stages::left(r, b, image)) left_ = stages::left(r, b, image);
};

/// The progress of a solve.
struct Progress {
  System& system;
  double norm;  ///< |b|
  Solution& solution;
  const std::function<void(int, double)>& each;
  bool indefinite = false;  ///< p^T A p has shown that A is not positive definite

  /// Records |r| after an iteration; returns true if the iteration ends.
  bool ends(double r);
  /// Replaces the last |r| by |b - A x|.
  void correct(double r) { solution.residuals.back() = r / norm; }
  double residual() const { return solution.residuals.back(); }
  bool reached() const { return residual() <= system.options.tolerance; }
  bool exhausted() const { return solution.iterations() >= system.options.iterations; }
  /// Whether p^T A p is consistent with a positive definite A, that is, exceeds its rounding errors. They are
  /// at most a few epsilon p^T D p with the diagonal D of A, because |a_ij| <= (a_ii a_jj)^1/2: a bound that
  /// a scaling of rows and columns leaves as it is. It is computed only where `most`, which is not below it,
  /// does not decide.
  bool curved(double pap, double most, Field<double>& p);
};

/// Iterates from x and r = b - A x until Progress ends it; returns false if a restart would not help.
class Iteration {
 public:
  virtual ~Iteration() = default;
  virtual bool run(Progress& progress) = 0;
  /// A message about its preconditioner for the user; may be empty.
  virtual std::string note() const = 0;
};

/// Collective: throw Error (bad_input) on all ranks for a preconditioner that the matrix does not allow.
std::unique_ptr<Iteration> make_plain(System& system, const LocalRows& rows);
std::unique_ptr<Iteration> make_pipelined(System& system, const LocalRows& rows);

}  // namespace sc::cg
