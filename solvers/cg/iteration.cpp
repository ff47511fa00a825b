// SPDX-License-Identifier: Apache-2.0
// System and Progress, and the plain iteration; the equation before each stage.
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

/// One product, one preconditioning and two reductions an iteration.
class Plain final : public Iteration {
 public:
  Plain(System& s, const LocalRows& rows)
      : s_(s),
        precondition_(
            make_preconditioner(s.options.preconditioner, rows, s.options.block, s.u, s.r, s.diagonal)) {}

  bool run(Progress& progress) override {
    Runner& runner = s_.product.runner();
    GlobalValue& sums = s_.sums;
    // u = M^-1 r, p = u, rho = r^T u
    runner.run(*precondition_);
    runner.run(first_);
    runner.run(dots_);
    double rho = sums.reduce(dots_.accumulators());
    for (;;) {
      // q = A p
      s_.product.run();
      // alpha = rho / p^T q
      runner.run(curvature_);  // p^T q, p^T p
      const double pq = sums.reduce(curvature_.accumulators());
      if (!progress.curved(pq, sums.value(1))) return false;
      const double alpha = rho / pq;
      // r = r - alpha q, u = M^-1 r; rho = r^T u travels while x = x + alpha p
      runner.run(residual_, Reduced{alpha});
      runner.run(*precondition_);
      runner.run(dots_);
      sums.start(dots_.accumulators());
      runner.run(forward_, Add{alpha});
      const double before = rho;
      rho = sums.value();
      if (progress.ends(std::sqrt(sums.value(1)))) return true;
      // p = u + beta p
      runner.run(turn_, Turn{rho / before});
    }
  }

 private:
  System& s_;
  Field<double>& p_ = s_.operand;
  Field<double>& q_ = s_.image;
  std::unique_ptr<Stage> precondition_;
  decltype(stages::copy(p_, s_.u)) first_ = stages::copy(p_, s_.u);
  decltype(stages::dots("r u", s_.r, s_.u)) dots_ = stages::dots("r u", s_.r, s_.u);
  decltype(stages::dots("p q", p_, q_)) curvature_ = stages::dots("p q", p_, q_);
  decltype(stages::reduced(s_.r, q_)) residual_ = stages::reduced(s_.r, q_);
  decltype(stages::add(s_.x, p_)) forward_ = stages::add(s_.x, p_);
  decltype(stages::turn(p_, s_.u)) turn_ = stages::turn(p_, s_.u);
};

}  // namespace

System::System(Context& context_in, const Partition& partition, const LocalRows& rows,
               const SolverOptions& given)
    : context(context_in),
      options(given),
      product(context_in, partition, rows, given.settings),
      largest(largest_entry(context_in, rows)) {
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

bool Progress::ends(double r) {
  solution.residuals.push_back(r / norm);
  if (each) each(solution.iterations(), residual());
  if (!std::isfinite(residual()))
    solution.breakdown = "the residual is no longer a number" + at_iteration(solution.iterations() - 1);
  return reached() || !solution.breakdown.empty() || spent();
}

bool Progress::curved(double pap, double pp) {
  const double least = 4 * std::numeric_limits<double>::epsilon() * system.largest * pp;
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
