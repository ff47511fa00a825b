// SPDX-License-Identifier: Apache-2.0
// The three pressure solvers: Jacobi, coloured over-relaxation, and generalised conjugate residuals with
// multigrid cycles.
#include "solvers/cavity/poisson.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solvers/cavity/multigrid.hpp"
#include "solvers/cavity/poisson_stages.hpp"

namespace sc::cavity {

namespace {

/// Common parts of all three solvers: the finest level with the unknown x and right-hand side b, and the
/// scale of the residual.
template <class Points>
class Solver : public Poisson {
 public:
  using Real = typename Points::Real;
  Solver(Mesh<Real>& mesh, const PressureOptions& options, Runner& runner, const std::array<RowEnd, 6>& ends)
      : options_(options),
        runner_(runner),
        level_(mesh.J.grid(), mesh.space()),
        reciprocal_(mesh.J.grid(), "reciprocal volume", {.space = mesh.space()}),
        global_(runner.context()),
        size_(cavity::residual(level_, scale())) {
    const Grid& grid = level_.grid;
    const Walls walls{grid.cells(), grid.periodic(), ends};
    set_finest(mesh, walls, level_, reciprocal_, runner_);
    level_.finish(runner_);
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
  using L = PoissonLevel<Points>;
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
template <class Points>
class Relaxation final : public Solver<Points> {
 public:
  Relaxation(Mesh<typename Points::Real>& mesh, const PressureOptions& options, Runner& runner,
             const std::array<RowEnd, 6>& ends)
      : Solver<Points>(mesh, options, runner, ends),
        sweep_(relaxation(this->level_, options.method, omega(options))) {}

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
  double omega(const PressureOptions& o) const {
    if (o.relaxation > 0) return o.relaxation;
    // Jacobi's omega is below 1, because with 7 points the checkerboard is an eigenvector of D^-1 A with
    // eigenvalue 2.
    return o.method == Method::sor ? optimum(this->level_.grid.cells()) : 0.98;
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

/// Generalised conjugate residuals with one stored direction; preconditioner B is a V cycle from zero:
///   z = B r, w = A z; beta = (w, q) / (q, q); d = z - beta d, q = w - beta q; alpha = (r, w) / (q, q); x +=
///   alpha d, r -= alpha q,  with (q, q) = (w, w) - beta (w, q), so that the three sums of a cycle need only
///   one reduction.
/// The norm of r never grows, even if A or B are not symmetric. The finest level of the cycles stores z in x
/// and r in b.
template <class Points>
class Accelerated final : public Solver<Points> {
 public:
  Accelerated(Mesh<typename Points::Real>& mesh, const PressureOptions& options, Runner& runner,
              const std::array<RowEnd, 6>& ends)
      : Solver<Points>(mesh, options, runner, ends),
        z_(finest_copy()),
        krylov_(this->level_, *z_, this->scale()),
        multigrid_(*z_, runner),
        residual_(cavity::residual(this->level_, this->scale(), z_.get())) {}

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
  using L = PoissonLevel<Points>;
  std::unique_ptr<L> finest_copy() {
    auto z = std::make_unique<L>(this->level_.grid, this->level_.space);
    z->centres = this->level_.centres;
    z->given = this->level_.given;
    this->runner_.move(this->level_.a.now(), z->a.now());
    z->finish(this->runner_);
    return z;
  }
  int accelerate(int limit) {
    double qq = 0, beta = 0;
    for (int used = 0; used < limit;) {
      multigrid_.cycle();
      this->runner_.run(*krylov_.project);
      this->global_.start(krylov_.project->accumulators());
      const double wq = qq > 0 ? this->global_.value(0) : 0.0;
      beta = qq > 0 ? wq / qq : 0.0;
      qq = this->global_.value(1) - beta * wq;
      if (!(qq > 0)) return used;
      krylov_.advance.set({this->global_.value(2) / qq, beta});
      this->runner_.run(*krylov_.advance);
      ++used;
      const double residual = this->global_.reduce(krylov_.advance->accumulators());
      if (!this->fixed() && !(residual >= this->options_.tolerance)) return used;
    }
    return limit;
  }

  std::unique_ptr<L> z_;
  Krylov<Points> krylov_;
  Multigrid<Points> multigrid_;
  std::unique_ptr<Stage> residual_;
};

}  // namespace

template <class Real>
std::unique_ptr<Poisson> make_poisson(Mesh<Real>& mesh, const PressureOptions& options, Runner& runner,
                                      const std::array<RowEnd, 6>& ends) {
  const auto make = [&]<class Points>(Points) -> std::unique_ptr<Poisson> {
    if (options.method == Method::multigrid)
      return std::make_unique<Accelerated<Points>>(mesh, options, runner, ends);
    return std::make_unique<Relaxation<Points>>(mesh, options, runner, ends);
  };
  if (std::ranges::any_of(ends, [](const RowEnd& end) { return end.given; }))
    return make(SevenPoints<Real, true>{});
  return mesh.orthogonal() ? make(SevenPoints<Real, false>{}) : make(NineteenPoints<Real>{});
}

template std::unique_ptr<Poisson> make_poisson(Mesh<double>&, const PressureOptions&, Runner&,
                                               const std::array<RowEnd, 6>&);
template std::unique_ptr<Poisson> make_poisson(Mesh<float>&, const PressureOptions&, Runner&,
                                               const std::array<RowEnd, 6>&);

}  // namespace sc::cavity
