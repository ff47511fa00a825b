// SPDX-License-Identifier: Apache-2.0
// Pipelined conjugate gradients; each equation precedes its stage.
#include <cmath>

#include "solvers/cg/iteration.hpp"

namespace sc::cg {

namespace {

using stages::F;

/// Iterations after which all vectors are recomputed.
constexpr int renewal = 50;
/// The recursive |r| is used down to this fraction of |b - A x|; below it, its error exceeds the residual.
constexpr double trusted = 0.5;

auto dots_stage(F r, F u, F w, F p, F s) {
  return Sweep("dots", PipelinedDots{}, stages::summed, reads(r.now()), reads(u.now()), reads(w.now()),
               reads(p.now()), reads(s.now()));
}
auto directions_stage(F z, F q, F s, F p, F n, F m, F w, F u) {
  return Sweep("directions", PipelinedDirections{}, updates(z.now()), updates(q.now()), updates(s.now()),
               updates(p.now()), reads(n.now()), reads(m.now()), reads(w.now()), reads(u.now()));
}
auto step_stage(F x, F r, F u, F w, F p, F s, F q, F z) {
  return Sweep("step", PipelinedStep{}, updates(x.now()), updates(r.now()), updates(u.now()),
               updates(w.now()), reads(p.now()), reads(s.now()), reads(q.now()), reads(z.now()));
}

/// P. Ghysels and W. Vanroose, "Hiding global synchronization latency in the preconditioned conjugate
/// gradient algorithm", Parallel Computing 40 (2014): one reduction in each iteration, which overlaps with
/// preconditioning and product. The recurrences for u = M^-1 r, w = A u, s = A p, q = M^-1 s, z = A q amplify
/// rounding errors (S. Cools et al., SIAM J. Matrix Anal. Appl. 39, 2018). So p^T A p is computed from
/// products of the vectors themselves, not from the identity delta - beta gamma / alpha, which requires
/// conjugate p; and regularly an iteration is a plain one, after which all vectors are recomputed.
class Pipelined final : public Iteration {
 public:
  Pipelined(System& s, const LocalRows& rows)
      : sys_(s),
        precondition_(make_preconditioner(s.options.preconditioner, rows, s.product, {m_, w_, s.diagonal})) {}

  bool run(Progress& progress) override {
    Runner& runner = sys_.product.runner();
    GlobalValue& sums = sys_.sums;
    p_.fill([](int, int, int) { return 0.0; });
    gamma_ = 0;
    helps_ = true;
    if (!renew(progress)) return helps_;
    for (int age = 1;; ++age) {
      // the reduction of gamma = r^T u and of the parts of p^T A p overlaps with m = M^-1 w, n = A m
      runner.run(dots_);
      sums.start(dots_.accumulators());
      if (age < renewal) {
        precondition_->run();
        sys_.product.run();
      }
      if (progress.ends(std::sqrt(sums.value(0)))) return true;
      const double gamma = sums.value(1), beta = gamma / gamma_;
      // p^T A p for p = u + beta p
      const double pap = sums.value(2) + beta * (sums.value(3) + beta * sums.value(4));
      if (age == renewal || !(pap > 0)) {
        if (!renew(progress)) return helps_;
        age = 0;
        continue;
      }
      const double alpha = gamma / pap;
      gamma_ = gamma;
      // z = n + beta z, q = m + beta q, s = w + beta s, p = u + beta p
      runner.run(directions_, PipelinedDirections{beta});
      // x = x + alpha p, r = r - alpha s, u = u - alpha q, w = w - alpha z
      runner.run(step_, PipelinedStep{alpha});
    }
  }

  std::string note() const override { return precondition_->note(); }

 private:
  /// to = M^-1 from, image = A to; both remain in m and n too.
  template <class Take, class Give, class GiveImage>
  void apply(Take& take, Give& give, GiveImage& give_image) {
    Runner& runner = sys_.product.runner();
    runner.run(take);
    precondition_->run();
    runner.run(give);
    sys_.product.run();
    runner.run(give_image);
  }

  /// A plain iteration along the current p; returns false if the solve ends.
  bool renew(Progress& progress) {
    Runner& runner = sys_.product.runner();
    GlobalValue& sums = sys_.sums;
    // r = b - A x
    const double carried = progress.residual();
    progress.correct(sys_.residual());
    if (progress.reached()) return false;
    helps_ = carried > trusted * progress.residual() && progress.solution.iterations() < enough_;
    if (!helps_) return false;
    // u = M^-1 r, gamma = r^T u
    runner.run(r_to_w_);
    precondition_->run();
    runner.run(m_to_u_);
    runner.run(r_u_);
    const double gamma = sums.reduce(r_u_.accumulators());
    // p = u + beta p, s = A p
    runner.run(direction_, NextDirection{gamma_ > 0 ? gamma / gamma_ : 0});
    runner.run(p_to_m_);
    const double ps = sums.reduce(sys_.product.run(p_s_));
    runner.run(n_to_s_);
    // alpha = gamma / p^T s
    if (!progress.curved(ps, sys_.largest * sums.value(1), p_)) return false;
    gamma_ = gamma;
    // x = x + alpha p, r = r - alpha s
    runner.run(forward_, Add{gamma / ps});
    runner.run(reduced_, Reduced{gamma / ps});
    // q = M^-1 s, z = A q; u = M^-1 r, w = A u
    apply(s_to_w_, m_to_q_, n_to_z_);
    apply(r_to_w_, m_to_u_, n_to_w_);
    return true;
  }

  System& sys_;
  Field<double>& m_ = sys_.operand;
  Field<double>& n_ = sys_.image;
  Field<double>& x_ = sys_.x;
  Field<double>& r_ = sys_.r;
  Field<double>& u_ = sys_.u;
  Field<double> w_{sys_.product.grid(), "w"}, z_{sys_.product.grid(), "z"}, q_{sys_.product.grid(), "q"},
      s_{sys_.product.grid(), "s"}, p_{sys_.product.grid(), "p"};
  // Iterations after which to give up: without rounding errors, n would suffice.
  std::int64_t enough_ = 2 * std::int64_t{sys_.product.partition().n()} + 100;
  bool helps_ = true;
  double gamma_ = 0;                              // r^T u of the previous iteration; 0 in the first
  std::unique_ptr<Preconditioner> precondition_;  // m = M^-1 w; n is scratch
  decltype(dots_stage(r_, u_, w_, p_, s_)) dots_ = dots_stage(r_, u_, w_, p_, s_);
  decltype(directions_stage(z_, q_, s_, p_, n_, m_, w_, u_)) directions_ =
      directions_stage(z_, q_, s_, p_, n_, m_, w_, u_);
  decltype(step_stage(x_, r_, u_, w_, p_, s_, q_, z_)) step_ = step_stage(x_, r_, u_, w_, p_, s_, q_, z_);
  decltype(stages::copy(m_, n_)) r_to_w_ = stages::copy(w_, r_), s_to_w_ = stages::copy(w_, s_),
                                 m_to_u_ = stages::copy(u_, m_), m_to_q_ = stages::copy(q_, m_),
                                 p_to_m_ = stages::copy(m_, p_), n_to_s_ = stages::copy(s_, n_),
                                 n_to_z_ = stages::copy(z_, n_), n_to_w_ = stages::copy(w_, n_);
  decltype(stages::dots("r u", r_, u_)) r_u_ = stages::dots("r u", r_, u_),
                                        p_s_ = stages::dots("p s", m_, n_);
  decltype(stages::direction(p_, u_)) direction_ = stages::direction(p_, u_);
  decltype(stages::add("solution", x_, p_)) forward_ = stages::add("solution", x_, p_);
  decltype(stages::reduced(r_, s_)) reduced_ = stages::reduced(r_, s_);
};

}  // namespace

std::unique_ptr<Iteration> make_pipelined(System& system, const LocalRows& rows) {
  return std::make_unique<Pipelined>(system, rows);
}

}  // namespace sc::cg
