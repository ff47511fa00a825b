// SPDX-License-Identifier: Apache-2.0
// The three pressure solvers: Jacobi, coloured over-relaxation, and generalised conjugate residuals with
// multigrid cycles. Each precision is compiled in a file of its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solvers/cavity/multigrid.hpp"
#include "solvers/cavity/poisson.hpp"
#include "solvers/common/stage_of.hpp"

namespace sc::cavity {

template <class Real, bool given>
auto finest_couplings(SevenPoints<Real, given>, const Walls& walls) {
  return FinestSeven<Real, given>{walls};
}
template <class Real>
auto finest_couplings(NineteenPoints<Real>, const Walls& walls) {
  return FinestNineteen<Real>{walls};
}

/// Common parts of all three solvers: the finest level with the unknown x and right-hand side b, and the
/// scale of the residual.
template <class Real, class Points>
class Solver : public Poisson {
 public:
  Solver(Mesh<Real>& mesh, const PressureOptions& options, Runner& runner, const std::array<RowEnd, 6>& ends)
      : options_(options),
        runner_(runner),
        level_(mesh.J.grid(), mesh.space()),
        reciprocal_(mesh.J.grid(), "reciprocal volume", {.space = mesh.space()}),
        global_(runner.context()),
        size_(stage_of("residual size", ResidualSize<Real, Points>{}, SweepOptions{.reduce = Reduce::max},
                       reads(level_.x.now(), Points::reach), reads(level_.b.now()),
                       reads(level_.a.now(), Points::coefficient_reach), reads(scale().now()))) {
    const Grid& grid = level_.grid;
    const Walls walls{grid.cells(), grid.periodic(), ends};
    Sweep couplings("couplings", finest_couplings(Points{}, walls), writes(level_.a.now()),
                    reads(mesh.face.now(), star(1)), reads(mesh.edge.now(), box(1)));
    Sweep reciprocal("reciprocal volume", Reciprocal<Real>{}, writes(reciprocal_.now()), reads(mesh.J.now()));
    runner_.run(couplings);
    runner_.run(reciprocal);
    finish_level(level_, runner_);
    for (int d = 0; d < 3; ++d) {
      level_.given[std::size_t(d)] = {walls.end(d, 0).given, walls.end(d, 1).given};
      std::vector<double> centres;
      for (int i = -1; i <= grid.cells()[d]; ++i) centres.push_back(i + 0.5);
      level_.centres[std::size_t(d)] = level_.table(std::move(centres));
    }
  }

  Field<Real>& x() override { return level_.x; }
  Field<Real>& b() override { return level_.b; }

 protected:
  using L = PoissonLevel<Real, Points>;
  Field<Real>& scale() { return options_.scaled_residual ? level_.inverse_diagonal : reciprocal_; }
  double residual() {
    runner_.run(*size_);
    return global_.reduce(size_->accumulators());
  }
  bool fixed() const { return options_.fixed_iterations > 0; }
  Solved result(int iterations, double residual) const {
    return {iterations, residual, !fixed() && !(residual < options_.tolerance)};
  }

  PressureOptions options_;
  Runner& runner_;
  L level_;
  Field<Real> reciprocal_;
  GlobalValue global_;
  std::unique_ptr<Stage> size_;  ///< size of the residual
};

/// Sweeps x' = x + omega D^-1 (A x - b), by Jacobi or in place colour by colour, until the residual is below
/// the tolerance. It is tested every `check_every` sweeps. The result is used one sweep later, so that the
/// reduction overlaps with a sweep.
template <class Real, class Points>
class Relaxation final : public Solver<Real, Points> {
 public:
  Relaxation(Mesh<Real>& mesh, const PressureOptions& options, Runner& runner,
             const std::array<RowEnd, 6>& ends)
      : Solver<Real, Points>(mesh, options, runner, ends), sweep_(stage_by(options)) {}

  Solved solve() override {
    const PressureOptions& o = this->options_;
    if (this->fixed()) {
      this->runner_.steps(o.fixed_iterations, [this](int) { sweep(); });
      return this->result(o.fixed_iterations, this->residual());
    }
    double residual = this->residual();
    int done = 0;
    this->runner_.begin_steps();
    while (!(residual < o.tolerance) && done < o.max_iterations) {
      if (std::isnan(residual)) break;
      const int until = std::min(done + std::max(1, o.check_every), o.max_iterations);
      for (; done < until; ++done) one_step();
      this->runner_.run(*this->size_);
      this->global_.start(this->size_->accumulators());
      if (done < o.max_iterations) {
        one_step();
        ++done;
      }
      residual = this->global_.value();
    }
    this->runner_.end_steps();
    return this->result(done, residual);
  }

 private:
  std::unique_ptr<Stage> stage_by(const PressureOptions& o) {
    auto& l = this->level_;
    const auto around = reads(l.a.now(), Points::coefficient_reach);
    constexpr double flops = 3.0 * Points::neighbours + 4;
    if (o.method == Method::sor) {
      const double omega = o.relaxation > 0 ? o.relaxation : optimum(l.grid.cells());
      return stage_of("sor", RelaxationSweep<Real, Points>{Real(omega)},
                      SweepOptions{.colours = Points::colours, .flops = flops},
                      updates(l.x.now(), Points::reach), reads(l.b.now()), around,
                      reads(l.inverse_diagonal.now()));
    }
    // omega < 1, because with 7 points the checkerboard is an eigenvector of D^-1 A with eigenvalue 2.
    const double omega = o.relaxation > 0 ? o.relaxation : 0.98;
    return stage_of("jacobi", JacobiSweep<Real, Points>{Real(omega)}, SweepOptions{.flops = flops},
                    writes(l.x.next()), reads(l.x.now(), Points::reach), reads(l.b.now()), around,
                    reads(l.inverse_diagonal.now()));
  }
  /// Young's optimum for the slowest mode, in a uniform cube with the largest number of cells along an axis.
  static double optimum(Int3 n) {
    const double rho = 1 - (1 - std::cos(std::numbers::pi / std::max({n.x, n.y, n.z}))) / 3;
    return 2 / (1 + std::sqrt(1 - rho * rho));
  }
  void sweep() {
    this->runner_.run(*sweep_);
    if (this->options_.method == Method::jacobi) this->level_.x.advance();
  }

  void one_step() {
    sweep();
    this->runner_.end_step();
  }

  std::unique_ptr<Stage> sweep_;
};

/// The vectors of generalised conjugate residuals besides x, b and those of the cycle: direction, A
/// direction, A correction.
template <class Real>
struct Krylov {
  Krylov(const Grid& grid, Space space)
      : d(grid, "direction", {.space = space}),
        q(grid, "A direction", {.space = space}),
        w(grid, "A correction", {.space = space}) {}
  Field<Real> d, q, w;
};

/// Generalised conjugate residuals with one stored direction; preconditioner B is a V cycle from zero:
///   z = B r, w = A z; beta = (w, q) / (q, q); d = z - beta d, q = w - beta q; alpha = (r, w) / (q, q); x +=
///   alpha d, r -= alpha q,  with (q, q) = (w, w) - beta (w, q), so that the three sums of a cycle need only
///   one reduction.
/// The norm of r never grows, even if A or B are not symmetric. The finest level of the cycles stores z in x
/// and r in b.
template <class Real, class Points>
class Accelerated final : public Solver<Real, Points> {
 public:
  Accelerated(Mesh<Real>& mesh, const PressureOptions& options, Runner& runner,
              const std::array<RowEnd, 6>& ends)
      : Solver<Real, Points>(mesh, options, runner, ends),
        z_(finest_copy()),
        krylov_(this->level_.grid, this->level_.space),
        multigrid_(*z_, {}, runner),
        residual_(residual_of(this->level_, *z_, this->scale())),
        project_(projection_of(*z_, krylov_)),
        advance_(advance_of(this->level_, *z_, krylov_, this->scale())) {}

  Solved solve() override {
    const PressureOptions& o = this->options_;
    const int limit = this->fixed() ? o.fixed_iterations : o.max_iterations;
    int cycles = 0;
    double before = std::numeric_limits<double>::infinity();
    for (;;) {  // a second round only if the recursive residual has drifted from the true one
      this->runner_.run(*residual_);
      const double residual = this->global_.reduce(residual_->accumulators());
      // A round that does not halve the true residual has reached its rounding errors.
      const bool reached = residual < o.tolerance || residual > before / 2;
      const bool done = cycles >= limit || (!this->fixed() && reached);
      if (done || std::isnan(residual)) return this->result(cycles, residual);
      before = residual;
      const int used = accelerate(limit - cycles);
      if (used == 0) return this->result(cycles, residual);
      cycles += used;
    }
  }

 private:
  using L = PoissonLevel<Real, Points>;
  std::unique_ptr<L> finest_copy() {
    auto z = std::make_unique<L>(this->level_.grid, this->level_.space);
    z->centres = this->level_.centres;
    z->given = this->level_.given;
    this->runner_.move(this->level_.a.now(), z->a.now());
    finish_level(*z, this->runner_);
    return z;
  }
  static auto residual_of(L& l, L& z, Field<Real>& scale) {  // r = b - A x
    return stage_of("residual", Residual<Real, Points>{}, SweepOptions{.reduce = Reduce::max},
                    writes(z.b.now()), reads(l.x.now(), Points::reach), reads(l.b.now()),
                    reads(z.a.now(), Points::coefficient_reach), reads(scale.now()));
  }
  static auto projection_of(L& z, Krylov<Real>& k) {  // w = A z
    return stage_of("project", ApplyAndProject<Real, Points>{}, SweepOptions{.reduce = Reduce::sum},
                    writes(k.w.now()), reads(z.x.now(), Points::reach), reads(k.q.now()), reads(z.b.now()),
                    reads(z.a.now(), Points::coefficient_reach));
  }
  static auto advance_of(L& l, L& z, Krylov<Real>& k, Field<Real>& scale) {
    return stage_of("advance", Advance<Real>{}, SweepOptions{.reduce = Reduce::max}, updates(k.d.now()),
                    updates(k.q.now()), updates(l.x.now()), updates(z.b.now()), reads(z.x.now()),
                    reads(k.w.now()), reads(scale.now()));
  }

  int accelerate(int limit) {
    double qq = 0, beta = 0;
    for (int used = 0; used < limit;) {
      multigrid_.cycle();
      this->runner_.run(*project_);
      this->global_.start(project_->accumulators());
      const double wq = qq > 0 ? this->global_.value(0) : 0.0;
      beta = qq > 0 ? wq / qq : 0.0;
      qq = this->global_.value(1) - beta * wq;
      if (!(qq > 0)) return used;
      const double alpha = this->global_.value(2) / qq;
      this->runner_.run(*advance_, {Real(alpha), Real(beta)});
      ++used;
      const double residual = this->global_.reduce(advance_->accumulators());
      if (!this->fixed() && !(residual >= this->options_.tolerance)) return used;
    }
    return limit;
  }

  std::unique_ptr<L> z_;
  Krylov<Real> krylov_;
  Multigrid<Real, Points> multigrid_;
  std::unique_ptr<Stage> residual_, project_;
  decltype(advance_of(std::declval<L&>(), std::declval<L&>(), std::declval<Krylov<Real>&>(),
                      std::declval<Field<Real>&>())) advance_;
};

template <class Real>
std::unique_ptr<Poisson> make_poisson(Mesh<Real>& mesh, const PressureOptions& options, Runner& runner,
                                      const std::array<RowEnd, 6>& ends) {
  const auto make = [&]<class Points>(Points) -> std::unique_ptr<Poisson> {
    if (options.method == Method::multigrid)
      return std::make_unique<Accelerated<Real, Points>>(mesh, options, runner, ends);
    return std::make_unique<Relaxation<Real, Points>>(mesh, options, runner, ends);
  };
  if (std::any_of(ends.begin(), ends.end(), [](const RowEnd& end) { return end.given; }))
    return make(SevenPoints<Real, true>{});
  return mesh.orthogonal() ? make(SevenPoints<Real, false>{}) : make(NineteenPoints<Real>{});
}

}  // namespace sc::cavity
