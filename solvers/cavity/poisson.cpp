// SPDX-License-Identifier: Apache-2.0
// The three pressure solvers: Jacobi, coloured over-relaxation, and generalised conjugate residuals around
// multigrid cycles.
#include "solvers/cavity/poisson.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "solvers/cavity/multigrid.hpp"

namespace sc::cavity {

namespace {

template <class Real>
auto finest_couplings(SevenPoints<Real>, const Walls& walls) {
  return FinestSeven<Real>{walls};
}
template <class Real>
auto finest_couplings(NineteenPoints<Real>, const Walls& walls) {
  return FinestNineteen<Real>{walls};
}

/// What all three solvers share: the finest level, whose x and b they solve for, and the scale of the
/// residual.
template <class Real, class Points>
class Solver : public Poisson {
 public:
  Solver(Mesh<Real>& mesh, const PressureOptions& options, Runner& runner)
      : options_(options),
        runner_(runner),
        level_(mesh.J.grid(), mesh.space()),
        reciprocal_(mesh.J.grid(), "reciprocal volume", {.space = mesh.space()}),
        global_(runner.context()),
        size_(size_sweep(level_, scale())) {
    const Grid& grid = level_.grid;
    const Walls walls{grid.cells(), grid.periodic()};
    Sweep couplings("couplings", finest_couplings(Points{}, walls), writes(level_.a.now()),
                    reads(mesh.face.now(), star(1)), reads(mesh.edge.now(), box(1)));
    Sweep reciprocal("reciprocal volume", Reciprocal<Real>{}, writes(reciprocal_.now()), reads(mesh.J.now()));
    runner_.run(couplings);
    runner_.run(reciprocal);
    finish_level(level_, runner_);
    for (int d = 0; d < 3; ++d) {
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
  static auto size_sweep(L& l, Field<Real>& scale) {
    return Sweep("residual size", ResidualSize<Real, Points>{}, SweepOptions{.reduce = Reduce::max},
                 reads(l.x.now(), Points::reach), reads(l.b.now()),
                 reads(l.a.now(), Points::coefficient_reach), reads(scale.now()));
  }
  double residual() {
    runner_.run(size_);
    return global_.reduce(size_.accumulators());
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
  decltype(size_sweep(std::declval<L&>(), std::declval<Field<Real>&>())) size_;
};

/// Sweeps until the residual is small: tested every `check_every` sweeps, the answer read one sweep later, so
/// that the reduction travels under a sweep.
template <class Real, class Points>
class Relaxing : public Solver<Real, Points> {
 public:
  using Solver<Real, Points>::Solver;

  Solved solve() override {
    const PressureOptions& o = this->options_;
    if (this->fixed()) {
      for (int n = 0; n < o.fixed_iterations; ++n) sweep();
      return this->result(o.fixed_iterations, this->residual());
    }
    double residual = this->residual();
    int done = 0;
    while (!(residual < o.tolerance) && done < o.max_iterations) {
      if (std::isnan(residual)) break;
      const int until = std::min(done + std::max(1, o.check_every), o.max_iterations);
      for (; done < until; ++done) sweep();
      this->runner_.run(this->size_);
      this->global_.start(this->size_.accumulators());
      if (done < o.max_iterations) {
        sweep();
        ++done;
      }
      residual = this->global_.value();
    }
    return this->result(done, residual);
  }

 protected:
  virtual void sweep() = 0;
};

// x' = x + omega D^-1 (A x - b)
template <class Real, class Points>
class Jacobi final : public Relaxing<Real, Points> {
 public:
  Jacobi(Mesh<Real>& mesh, const PressureOptions& options, Runner& runner)
      : Relaxing<Real, Points>(mesh, options, runner), sweep_(jacobi_sweep(this->level_)) {}

 private:
  using L = PoissonLevel<Real, Points>;
  static auto jacobi_sweep(L& l) {
    return Sweep("jacobi", JacobiSweep<Real, Points>{}, SweepOptions{.flops = 3.0 * Points::neighbours + 4},
                 writes(l.x.next()), reads(l.x.now(), Points::reach), reads(l.b.now()),
                 reads(l.a.now(), Points::coefficient_reach), reads(l.inverse_diagonal.now()));
  }
  void sweep() override {
    // omega < 1: with 7 points the checkerboard is an eigenvector of D^-1 A to 2.
    const double omega = this->options_.relaxation > 0 ? this->options_.relaxation : 0.98;
    this->runner_.run(sweep_, {Real(omega)});
    this->level_.x.advance();
  }
  decltype(jacobi_sweep(std::declval<L&>())) sweep_;
};

// The same in place, colour by colour.
template <class Real, class Points>
class Sor final : public Relaxing<Real, Points> {
 public:
  Sor(Mesh<Real>& mesh, const PressureOptions& options, Runner& runner)
      : Relaxing<Real, Points>(mesh, options, runner),
        omega_(options.relaxation > 0 ? options.relaxation : optimum(this->level_.grid.cells())),
        sweep_(sor_sweep(this->level_)) {}

 private:
  using L = PoissonLevel<Real, Points>;
  /// Young's optimum for the slowest mode of a uniform box with the most cells along one axis.
  static double optimum(Int3 n) {
    const double rho = 1 - (1 - std::cos(std::numbers::pi / std::max({n.x, n.y, n.z}))) / 3;
    return 2 / (1 + std::sqrt(1 - rho * rho));
  }
  static auto sor_sweep(L& l) {
    return Sweep("sor", RelaxationSweep<Real, Points>{},
                 SweepOptions{.colours = Points::colours, .flops = 3.0 * Points::neighbours + 4},
                 updates(l.x.now(), Points::reach), reads(l.b.now()),
                 reads(l.a.now(), Points::coefficient_reach), reads(l.inverse_diagonal.now()));
  }
  void sweep() override { this->runner_.run(sweep_, {Real(omega_)}); }

  double omega_;
  decltype(sor_sweep(std::declval<L&>())) sweep_;
};

/// The vectors of generalised conjugate residuals beside x, b and the cycle's own: direction, A direction, A
/// correction.
template <class Real>
struct Krylov {
  Krylov(const Grid& grid, Space space)
      : d(grid, "direction", {.space = space}),
        q(grid, "A direction", {.space = space}),
        w(grid, "A correction", {.space = space}) {}
  Field<Real> d, q, w;
};

/// Generalised conjugate residuals, one direction kept, a V cycle from zero as preconditioner B:
///   z = B r, w = A z; beta = (w, q) / (q, q); d = z - beta d, q = w - beta q; alpha = (r, w) / (q, q); x +=
///   alpha d, r -= alpha q,  with (q, q) = (w, w) - beta (w, q), so that the three sums of a cycle travel in
///   one reduction.
/// The norm of r never grows, whether or not A or B are symmetric. The finest level of the cycles carries z
/// as x and r as b.
template <class Real, class Points>
class Accelerated final : public Solver<Real, Points> {
 public:
  Accelerated(Mesh<Real>& mesh, const PressureOptions& options, Runner& runner)
      : Solver<Real, Points>(mesh, options, runner),
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
    for (;;) {  // a second round only if the recursive residual had drifted from the true one
      this->runner_.run(residual_);
      const double residual = this->global_.reduce(residual_.accumulators());
      const bool done = this->fixed() ? cycles >= limit : residual < o.tolerance || cycles >= limit;
      if (done || std::isnan(residual)) return this->result(cycles, residual);
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
    this->runner_.move(this->level_.a.now(), z->a.now());
    finish_level(*z, this->runner_);
    return z;
  }
  static auto residual_of(L& l, L& z, Field<Real>& scale) {  // r = b - A x
    return Sweep("residual", Residual<Real, Points>{}, SweepOptions{.reduce = Reduce::max}, writes(z.b.now()),
                 reads(l.x.now(), Points::reach), reads(l.b.now()),
                 reads(z.a.now(), Points::coefficient_reach), reads(scale.now()));
  }
  static auto projection_of(L& z, Krylov<Real>& k) {  // w = A z
    return Sweep("project", ApplyAndProject<Real, Points>{}, SweepOptions{.reduce = Reduce::sum},
                 writes(k.w.now()), reads(z.x.now(), Points::reach), reads(k.q.now()), reads(z.b.now()),
                 reads(z.a.now(), Points::coefficient_reach));
  }
  static auto advance_of(L& l, L& z, Krylov<Real>& k, Field<Real>& scale) {
    return Sweep("advance", Advance<Real>{}, SweepOptions{.reduce = Reduce::max}, updates(k.d.now()),
                 updates(k.q.now()), updates(l.x.now()), updates(z.b.now()), reads(z.x.now()),
                 reads(k.w.now()), reads(scale.now()));
  }

  int accelerate(int limit) {
    double qq = 0, beta = 0;
    for (int used = 0; used < limit;) {
      multigrid_.cycle();
      this->runner_.run(project_);
      this->global_.start(project_.accumulators());
      const double wq = qq > 0 ? this->global_.value(0) : 0.0;
      beta = qq > 0 ? wq / qq : 0.0;
      qq = this->global_.value(1) - beta * wq;
      if (!(qq > 0)) return used;
      const double alpha = this->global_.value(2) / qq;
      this->runner_.run(advance_, {Real(alpha), Real(beta)});
      ++used;
      const double residual = this->global_.reduce(advance_.accumulators());
      if (!this->fixed() && !(residual >= this->options_.tolerance)) return used;
    }
    return limit;
  }

  std::unique_ptr<L> z_;
  Krylov<Real> krylov_;
  Multigrid<Real, Points> multigrid_;
  decltype(residual_of(std::declval<L&>(), std::declval<L&>(), std::declval<Field<Real>&>())) residual_;
  decltype(projection_of(std::declval<L&>(), std::declval<Krylov<Real>&>())) project_;
  decltype(advance_of(std::declval<L&>(), std::declval<L&>(), std::declval<Krylov<Real>&>(),
                      std::declval<Field<Real>&>())) advance_;
};

template <class Real, class Points>
std::unique_ptr<Poisson> make(Mesh<Real>& mesh, const PressureOptions& options, Runner& runner) {
  switch (options.method) {
    case Method::jacobi:
      return std::make_unique<Jacobi<Real, Points>>(mesh, options, runner);
    case Method::sor:
      return std::make_unique<Sor<Real, Points>>(mesh, options, runner);
    case Method::multigrid:
      break;
  }
  return std::make_unique<Accelerated<Real, Points>>(mesh, options, runner);
}

}  // namespace

template <class Real>
std::unique_ptr<Poisson> make_poisson(Mesh<Real>& mesh, const PressureOptions& options, Runner& runner) {
  return mesh.orthogonal() ? make<Real, SevenPoints<Real>>(mesh, options, runner)
                           : make<Real, NineteenPoints<Real>>(mesh, options, runner);
}

template std::unique_ptr<Poisson> make_poisson(Mesh<double>&, const PressureOptions&, Runner&);
template std::unique_ptr<Poisson> make_poisson(Mesh<float>&, const PressureOptions&, Runner&);

}  // namespace sc::cavity
