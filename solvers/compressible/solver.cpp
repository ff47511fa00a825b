// SPDX-License-Identifier: Apache-2.0
// The solver around its step: set-up, length of the steps, diagnostics, what stops a run.
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "solvers/compressible/gas_solver.hpp"

namespace sc::compressible {

namespace {

// Eigenvalues of the 8th-order second difference reach 6.5 / h^2; Runge and Kutta's method bears 2.78.
constexpr double diffusion_limit = 0.4;

System derivative_of(int cells) {
  return std::make_shared<const LineSystem>(tridiagonal(cells, beside_derivative, 1, true));
}

/// Ranks own whole blocks of the line systems.
Grid grid_of(Context& context, const CompressibleOptions& o) {
  GridOptions options{
      .cells = o.cells, .periodic = {true, true, true}, .halo = reach_of_diffusion, .split = o.split};
  Int3 blocks;
  for (int a = 0; a < 3; ++a) blocks[a] = o.cells[a] / LineSystem::usual_block;
  if (o.split == Int3{0, 0, 0}) options.split = choose_split(blocks, context.size(), 1);
  for (int a = 0; a < 3; ++a)
    if (options.split[a] > 0)
      options.cuts[static_cast<std::size_t>(a)] = derivative_of(o.cells[a])->cuts(options.split[a]);
  return {context, options};
}

Systems systems_of(const CompressibleOptions& o, double beside) {
  Systems all;
  for (int a = 0; a < 3; ++a)
    all[static_cast<std::size_t>(a)] =
        std::make_shared<const LineSystem>(tridiagonal(o.cells[a], beside, 1, true));
  return all;
}

Gas gas_of(const CompressibleOptions& o, double T0) {
  return {o.gas.gamma, o.gas.prandtl, o.gas.viscosity, 1 / T0, o.gas.law, o.gas.exponent, o.gas.sutherland};
}

void check_positive(const char* name, double value) {
  if (!(value > 0)) refuse(std::string(name) + " is " + std::to_string(value) + "; it must be positive");
}

void check_share(const char* name, double value) {
  if (!(value >= 0 && value <= 1))
    refuse(std::string(name) + " is " + std::to_string(value) + "; it must be from 0 to 1");
}

}  // namespace

void check(const CompressibleOptions& o) {
  for (int a = 0; a < 3; ++a)
    if (o.cells[a] < LineSystem::usual_block)
      refuse("grid.points is " + to_string(o.cells) + "; every axis needs at least 8");
  check_positive("flow.mach", o.flow.mach);
  check_positive("gas.prandtl", o.gas.prandtl);
  check_positive("run.courant", o.courant);
  if (!(o.gas.gamma > 1))
    refuse("gas.gamma is " + std::to_string(o.gas.gamma) + "; it must be greater than 1");
  if (!(o.gas.viscosity >= 0))
    refuse("gas.viscosity is " + std::to_string(o.gas.viscosity) + "; it must not be negative");
  if (!(o.filter >= 0 && o.filter < 0.5))
    refuse("scheme.filter is " + std::to_string(o.filter) + "; it must be at least 0 and below 0.5");
  if (o.flow.initial == Initial::random) check_positive("flow.peak", o.flow.peak);
  check_share("flow.dilatational", o.flow.dilatational);
  check_share("forcing.dilatational", o.forcing.dilatational);
  if (!(o.forcing.kmax > 1 && o.forcing.kmax <= highest + 1))
    refuse("forcing.kmax is " + std::to_string(o.forcing.kmax) + "; it must be above 1 and at most 3");
}

std::unique_ptr<Compressible> make_compressible(Context& context, const CompressibleOptions& options) {
  check(options);
  const auto make = [&]<class Real>(Real) -> std::unique_ptr<Compressible> {
    if (options.gas.viscosity > 0) return std::make_unique<GasSolver<true, Real>>(context, options);
    return std::make_unique<GasSolver<false, Real>>(context, options);
  };
  return options.single ? make(float{}) : make(double{});
}

template <bool viscous, class Real>
GasSolver<viscous, Real>::GasSolver(Context& context, const CompressibleOptions& options)
    : options_(options),
      runner_(context, options.engine),
      fields_(grid_of(context, options), options.filter > 0),
      stages_(systems_of(options, beside_derivative), fields_),
      global_(context) {
  gas_ = gas_of(options_, Start(options_).pressure());
  stages_.gradient_x.set({per_h(0)});
  stages_.gradient_y.set({per_h(1)});
  stages_.gradient_z.set({per_h(2)});
  stages_.flux_x.set({per_h(0), gas_});
  stages_.flux_y.set({per_h(1), gas_});
  stages_.flux_z.set({per_h(2), gas_});
  if (options_.filter > 0) {
    filters_.emplace(systems_of(options_, options_.filter), fields_);
    for (auto* filter : {&filters_->x, &filters_->y, &filters_->z}) filter->set({options_.filter});
  }
  if (options_.forcing.power > 0) forced_.emplace(options_.forcing, fields_);
  set_start();
  restored();
}

namespace {

/// f(cell, x, y, z) of all own cells.
template <class F>
void each_cell(const Grid& grid, F&& f) {
  const Box own = grid.own();
  const Int3 origin = grid.origin(), n = grid.cells();
  const auto place = [&](int axis, int cell) {
    return 2 * std::numbers::pi / n[axis] * (origin[axis] + cell);
  };
  for (int z = 0; z < own.hi.z; ++z)
    for (int y = 0; y < own.hi.y; ++y)
      for (int x = 0; x < own.hi.x; ++x) f(Int3{x, y, z}, place(0, x), place(1, y), place(2, z));
}

}  // namespace

template <bool viscous, class Real>
void GasSolver<viscous, Real>::set_start() {
  const Start start(options_);
  const Out<Real, 5> q = fields_.q.modify();
  each_cell(grid(), [&](Int3 c, double x, double y, double z) {
    const PointState s = start.at(x, y, z);
    const std::ptrdiff_t at = grid().layout().offset(c);
    q.base[at] = Real(s.rho);
    double square = 0;
    for (int i = 0; i < 3; ++i) {
      const double u = s.u[static_cast<std::size_t>(i)];
      q.base[(1 + i) * q.stride + at] = Real(s.rho * u);
      square += u * u;
    }
    q.base[4 * q.stride + at] = Real(s.p / (gas_.gamma - 1) + 0.5 * s.rho * square);
  });
}

template <bool viscous, class Real>
double GasSolver<viscous, Real>::error() {
  const Start start(options_);
  std::vector<Accumulator> sum(1, Accumulator(Reduce::sum));
  each_cell(grid(), [&](Int3 c, double x, double y, double z) {
    const PointState exact = start.at(x, y, z, clock_.time);
    double error = std::abs(fields_.s.get(c, rho_) - exact.rho);
    for (int i = 0; i < 3; ++i)
      error += std::abs(fields_.s.get(c, u_ + i) - exact.u[static_cast<std::size_t>(i)]);
    sum[0].add(&error, 1);
  });
  const double cells = double(options_.cells.x) * options_.cells.y * options_.cells.z;
  return global_.reduce(sum) / (cells * options_.flow.amplitude);
}

template <bool viscous, class Real>
void GasSolver<viscous, Real>::restored() {
  runner_.run(stages_.decode, {gas_});
  check_state(stages_.decode);
}

// The steps left to the end of the run are equal.
template <bool viscous, class Real>
double GasSolver<viscous, Real>::choose_step(double& courant) {
  runner_.run(stages_.limits, {gas_, {per_h(0), per_h(1), per_h(2)}});
  global_.reduce(stages_.limits.accumulators());
  const double signal = global_.value(0), spread = global_.value(1);
  double dt = options_.courant / signal;
  if (spread > 0) dt = std::min(dt, diffusion_limit / spread);
  if (options_.dt > 0) dt = options_.dt;
  const double left = options_.end - clock_.time;
  if (options_.end > 0 && left > 1e-12 * options_.end) dt = left / std::ceil(left / dt * (1 - 1e-12));
  courant = dt * signal;
  return dt;
}

template <bool viscous, class Real>
void GasSolver<viscous, Real>::check_state(Stage& last) {
  const double worst = global_.reduce(last.accumulators());
  if (!(worst < 0) && !grid().context().rehearses()) report_loss();
}

template <bool viscous, class Real>
void GasSolver<viscous, Real>::report_loss() {
  std::ostringstream sentence;
  const Box own = grid().own();
  const auto look = [&](Int3 c) {
    const double rho = fields_.s.get(c, rho_), p = rho * fields_.s.get(c, T_);
    if ((rho > 0 && p > 0) || sentence.tellp() > 0) return;
    const bool density = !(rho > 0);
    sentence << (density ? "the density is " : "the pressure is ") << (density ? rho : p) << " after step "
             << clock_.steps << " (time " << clock_.time << ") at cell " << to_string(grid().origin() + c)
             << "; a finer grid, a filter or a smaller run.courant may help";
  };
  for (int z = 0; z < own.hi.z; ++z)
    for (int y = 0; y < own.hi.y; ++y)
      for (int x = 0; x < own.hi.x; ++x) look({x, y, z});
  grid().context().agree(Exit::diverged, sentence.str());
  throw Error(Exit::diverged,
              "density or pressure is not positive after step " + std::to_string(clock_.steps));
}

template <bool viscous, class Real>
Measures GasSolver<viscous, Real>::measure() {
  run_gradients();
  runner_.run(stages_.totals, {gas_});
  global_.reduce(stages_.totals.accumulators());
  const double cells = double(options_.cells.x) * options_.cells.y * options_.cells.z;
  const auto mean = [&](int k) { return global_.value(k) / cells; };
  Measures m;
  m.mass = mean(0);
  for (int i = 0; i < 3; ++i) m.momentum[static_cast<std::size_t>(i)] = mean(1 + i);
  m.energy = mean(4);
  m.kinetic = mean(5);
  m.mach = std::sqrt(mean(6)) / mean(7);
  m.enstrophy = mean(8) / 2;
  m.dilatation = std::sqrt(mean(9));
  m.dilatation_skewness = m.dilatation > 0 ? mean(10) / (m.dilatation * m.dilatation * m.dilatation) : 0;
  m.solenoidal = mean(11);
  m.dilatational = mean(12);
  m.pressure_work = mean(15);
  // sums over three axes: <g^2> = mean(14) / 3
  m.skewness = mean(14) > 0 ? mean(16) / 3 / std::pow(mean(14) / 3, 1.5) : 0;
  const double nu = mean(13), epsilon = (m.solenoidal + m.dilatational) / m.mass;
  m.taylor_reynolds = m.kolmogorov = m.resolution = std::numeric_limits<double>::quiet_NaN();
  if (nu > 0 && mean(14) > 0 && epsilon > 0) {
    // lambda^2 = 3 u'^2 / sum, so u' lambda = mean u^2 / sqrt(3 sum)
    m.taylor_reynolds = mean(6) / std::sqrt(3 * mean(14)) / nu;
    m.kolmogorov = std::pow(nu * nu * nu / epsilon, 0.25);
    const Int3 n = options_.cells;
    m.resolution = m.kolmogorov * std::min({n.x, n.y, n.z}) / 2;
  }
  runner_.run(stages_.extremes);
  global_.reduce(stages_.extremes.accumulators());
  m.density_low = -global_.value(0);
  m.density_high = global_.value(1);
  m.pressure_low = -global_.value(2);
  m.pressure_high = global_.value(3);
  m.largest_dilatation = global_.value(4);
  return m;
}

template <bool viscous, class Real>
ShownFields GasSolver<viscous, Real>::shown() {
  if (!shown_) shown_ = std::make_unique<Shown<Real>>(grid());
  return {shown_->density, shown_->velocity, shown_->pressure, shown_->dilatation, shown_->vorticity};
}

template <bool viscous, class Real>
ShownFields GasSolver<viscous, Real>::show() {
  const ShownFields all = shown();
  run_gradients();
  auto show = show_stage(fields_, *shown_);
  runner_.run(show);
  return all;
}

template <bool viscous, class Real>
Spectrum GasSolver<viscous, Real>::spectrum() {
  show();
  if (!spectra_) spectra_ = std::make_unique<Spectra<Real>>(shown_->velocity);
  return spectra_->of_velocity(global_);
}

template class GasSolver<false, float>;
template class GasSolver<true, float>;
template class GasSolver<false, double>;
template class GasSolver<true, double>;

}  // namespace sc::compressible
