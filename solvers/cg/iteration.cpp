// SPDX-License-Identifier: Apache-2.0
// System, Progress and the plain iteration; each equation precedes its stage.
#include "solvers/cg/iteration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sc::cg {

namespace {

double largest_entry(Context& context, const LocalRows& rows) {
  double largest = 0;
  for (const double value : rows.value) largest = std::max(largest, std::abs(value));
  return context.max(largest);
}

std::string at_iteration(int iteration) { return " at iteration " + std::to_string(iteration + 1); }

/// One product, one preconditioning and two reductions in each iteration.
class Plain final : public Iteration {
 public:
  Plain(System& s, const LocalRows& rows)
      : s_(s),
        precondition_(
            make_preconditioner(s.options.preconditioner, rows, s.product, {s.u, s.r, s.diagonal})) {}

  bool run(Progress& progress) override {
    Runner& runner = s_.product.runner();
    GlobalValue& sums = s_.sums;
    // u = M^-1 r, p = u, rho = r^T u
    precondition_->run();
    runner.run(first_);
    runner.run(dots_);
    double rho = sums.reduce(dots_.accumulators());
    double size = std::sqrt(square_of_u());
    for (;;) {
      // q = A p; p^T q
      const double pq = sums.reduce(s_.product.run(curvature_));
      if (!progress.curved(pq, weight_ * size * size, p_)) return false;
      // alpha = rho / p^T q
      const double alpha = rho / pq;
      // r = r - alpha q, u = M^-1 r; the reduction of rho = r^T u overlaps with x = x + alpha p
      sums.start(correct(alpha));
      runner.run(forward_, Add{alpha});
      const double before = rho;
      rho = sums.value();
      if (progress.ends(std::sqrt(sums.value(kind_ == Preconditioning::none ? 0 : 1)))) return true;
      // p = u + beta p, |p| <= |u| + beta |p|
      const double beta = rho / before;
      size = std::sqrt(square_of_u()) + beta * size;
      update_direction(beta);
    }
  }
  std::string note() const override { return precondition_->note(); }

 private:
  /// r = r - alpha q, u = M^-1 r; r^T u and r^T r. Without a preconditioner or with a diagonal one, u is not
  /// stored, which saves 32 and 24 bytes for each row besides the product.
  std::span<const Accumulator> correct(double alpha) {
    Runner& runner = s_.product.runner();
    if (kind_ == Preconditioning::none) {
      runner.run(residual_, Reduced{alpha});
      return residual_.accumulators();
    }
    if (kind_ == Preconditioning::jacobi) {
      runner.run(by_diagonal_, ReducedByDiagonal{alpha});
      return by_diagonal_.accumulators();
    }
    runner.run(subtract_, Add{-alpha});
    precondition_->run();
    runner.run(dots_);
    return dots_.accumulators();
  }
  /// u^T u; with a diagonal preconditioner u^T D u, which is r^T u.
  double square_of_u() {
    if (kind_ == Preconditioning::jacobi) return s_.sums.value(0);
    return s_.sums.value(kind_ == Preconditioning::none ? 0 : 2);
  }
  /// p = u + beta p
  void update_direction(double beta) {
    Runner& runner = s_.product.runner();
    if (kind_ == Preconditioning::none) return runner.run(direction_r_, NextDirection{beta});
    if (kind_ == Preconditioning::jacobi)
      return runner.run(direction_by_diagonal_, NextDirectionByDiagonal{beta});
    runner.run(direction_, NextDirection{beta});
  }

  System& s_;
  Preconditioning kind_ = s_.options.preconditioner.kind;
  double weight_ = kind_ == Preconditioning::jacobi ? 1 : s_.largest;  // times |p|^2: not below p^T D p
  Field<double>& p_ = s_.operand;
  Field<double>& q_ = s_.image;
  std::unique_ptr<Preconditioner> precondition_;  // u = M^-1 r; q is scratch
  decltype(stages::copy(p_, s_.u)) first_ = stages::copy(p_, s_.u);
  decltype(stages::dots("r u", s_.r, s_.u)) dots_ = stages::dots("r u", s_.r, s_.u);
  decltype(stages::dot("p q", p_, q_)) curvature_ = stages::dot("p q", p_, q_);
  decltype(stages::reduced(s_.r, q_)) residual_ = stages::reduced(s_.r, q_);
  decltype(stages::reduced(s_.r, q_, s_.diagonal)) by_diagonal_ = stages::reduced(s_.r, q_, s_.diagonal);
  decltype(stages::add("solution", s_.x, p_)) forward_ = stages::add("solution", s_.x, p_),
                                              subtract_ = stages::add("residual", s_.r, q_);
  decltype(stages::direction(p_, s_.u)) direction_ = stages::direction(p_, s_.u),
                                        direction_r_ = stages::direction(p_, s_.r);
  decltype(stages::direction(p_, s_.r, s_.diagonal)) direction_by_diagonal_ =
      stages::direction(p_, s_.r, s_.diagonal);
};

}  // namespace

System::System(Context& context_in, const Partition& partition, const LocalRows& rows,
               const SolverOptions& given)
    : context(context_in),
      options(given),
      product(context_in, partition, rows, given.settings,
              given.preconditioner.kind == Preconditioning::chebyshev ? 2 : 1),
      largest(largest_entry(context_in, rows)) {
  fill_inverse_diagonal(rows, diagonal);
  if (options.iterations < 1)
    options.iterations = static_cast<int>(
        std::min<std::int64_t>(10 * std::int64_t{partition.n()} + 100, std::numeric_limits<int>::max()));
}

double System::residual() {
  product.runner().run(take_x_);
  product.run();
  product.runner().run(left_);
  return std::sqrt(sums.reduce(left_.accumulators()));
}

double System::weighted_square(Field<double>& p) {
  auto stage = stages::weighted_square(p, diagonal);
  product.runner().run(stage);
  return sums.reduce(stage.accumulators());
}

bool Progress::ends(double r) {
  solution.residuals.push_back(r / norm);
  if (each) each(solution.iterations(), residual());
  if (!std::isfinite(residual()))
    solution.breakdown = "the residual is no longer a number" + at_iteration(solution.iterations() - 1);
  return reached() || !solution.breakdown.empty() || exhausted();
}

bool Progress::curved(double pap, double most, Field<double>& p) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  if (pap > rounding * most) return true;
  const double least = rounding * system.weighted_square(p);
  if (pap > least) return true;
  indefinite = std::isfinite(pap);
  const std::string where = at_iteration(solution.iterations());
  if (pap < -least)
    solution.breakdown = "the matrix is not positive definite: p^T A p < 0" + where;
  else if (indefinite)
    solution.breakdown = "the matrix is singular to working precision: p^T A p = 0" + where;
  else
    solution.breakdown = "p^T A p is not a number" + where;
  return false;
}

std::unique_ptr<Iteration> make_plain(System& system, const LocalRows& rows) {
  return std::make_unique<Plain>(system, rows);
}

}  // namespace sc::cg
