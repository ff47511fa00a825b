// SPDX-License-Identifier: Apache-2.0
// The solver around its step: set-up, length of the steps, diagnostics, what stops a run.
#include "solvers/compressible/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

#include "engine/exec/line_system.hpp"
#include "engine/grid/cells.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "solvers/common/typed.hpp"
#include "solvers/compressible/kernels.hpp"
#include "solvers/compressible/start.hpp"

namespace sc::compressible {

namespace {

// Eigenvalues of the 8th-order second difference reach 6.5 / h^2; Runge and Kutta's method bears 2.78.
constexpr double diffusion_limit = 0.4;

/// Ranks own whole blocks of the line systems.
Grid grid_of(Context& context, const CompressibleOptions& o) {
  check(o);
  GridOptions options{
      .cells = o.cells, .periodic = {true, true, true}, .halo = reach_of_diffusion, .split = o.split};
  Int3 blocks;
  for (int a = 0; a < 3; ++a) blocks[a] = o.cells[a] / LineSystem::usual_block;
  if (o.split == Int3{0, 0, 0}) options.split = choose_split(blocks, context.size(), 1);
  for (int a = 0; a < 3; ++a)
    if (options.split[a] > 0)
      options.cuts[static_cast<std::size_t>(a)] =
          LineSystem(tridiagonal(o.cells[a], beside_derivative, 1, true)).cuts(options.split[a]);
  return {context, options};
}

Gas gas_of(const CompressibleOptions& o) {
  const double T0 = Start(o).pressure();
  return {o.gas.gamma, o.gas.prandtl, o.gas.viscosity, 1 / T0, o.gas.law, o.gas.exponent, o.gas.sutherland};
}

std::unique_ptr<FarMemory> files_of(Context& context, const CompressibleOptions& o, const Budget& budget) {
  std::unique_ptr<FarMemory> files;
  if (budget.in_files())
    context.together([&] { files = far_files(context, o.storage, o.engine.strategy.overlaps); });
  return files;
}

/// Pieces are whole blocks of lines along z.
std::shared_ptr<FarPlace> place_of(Context& context, const Budget& budget, FarMemory* files) {
  if (!files) return nullptr;
  const auto place = in_files(*files, budget.pieces, LineSystem::usual_block);
  context.together([&] { place->plan(budget.slot, budget.ahead); });
  return place;
}

/// f(cell, x, y, z) of own cells in planes [lo, hi).
template <class F>
void each_cell(const Grid& grid, int lo, int hi, F&& f) {
  const Box own = grid.own();
  const Int3 origin = grid.origin(), n = grid.cells();
  const auto place = [&](int axis, int cell) {
    return 2 * std::numbers::pi / n[axis] * (origin[axis] + cell);
  };
  sc::each_cell({{0, 0, lo}, {own.hi.x, own.hi.y, hi}},
                [&](Int3 c) { f(c, place(0, c.x), place(1, c.y), place(2, c.z)); });
}

}  // namespace

Compressible::Compressible(Context& context, const CompressibleOptions& options)
    : Compressible(context, options, grid_of(context, options)) {}

Compressible::Compressible(Context& context, const CompressibleOptions& options, const Grid& grid)
    : options_(options),
      runner_(context, options.engine),
      budget_(make_budget(grid, options)),
      files_(files_of(context, options, budget_)),
      stages_(make_stages(grid, options, gas_of(options), place_of(context, budget_, files_.get()))),
      global_(context) {
  set_start();
  restored();
}

void Compressible::set_start() {
  const Start start(options_);
  typed<5>(conserved(), [&]<class Real>(Field<Real, 5>& q) {
    Storage& all = q.storage(0);
    all.begin_host_write();
    all.each_slab(false, true, [&](int lo, int hi) {
      const Out<Real, 5> to{reinterpret_cast<Real*>(all.host_base()), all.component_stride()};
      each_cell(grid(), lo, hi, [&](Int3 c, double x, double y, double z) {
        const PointState s = start.at(x, y, z);
        Real* at = to.base + grid().layout().offset(c);
        at[0] = Real(s.rho);
        double square = 0;
        for (int i = 0; i < 3; ++i) {
          const double u = s.u[static_cast<std::size_t>(i)];
          at[(1 + i) * to.stride] = Real(s.rho * u);
          square += u * u;
        }
        at[4 * to.stride] = Real(s.p / (options_.gas.gamma - 1) + 0.5 * s.rho * square);
      });
    });
  });
}

double Compressible::error() {
  const Start start(options_);
  std::vector<Accumulator> sum(1, Accumulator(Reduce::sum));
  typed<state_size>(state(), [&](auto& field) {
    field.each_slab([&](int lo, int hi, auto s) {
      each_cell(grid(), lo, hi, [&](Int3 c, double x, double y, double z) {
        const PointState exact = start.at(x, y, z, clock_.time);
        const auto* at = s.base + grid().layout().offset(c);
        double error = std::abs(at[rho_ * s.stride] - exact.rho);
        for (int i = 0; i < 3; ++i)
          error += std::abs(at[(u_ + i) * s.stride] - exact.u[static_cast<std::size_t>(i)]);
        sum[0].add(&error, 1);
      });
    });
  });
  const double cells = double(options_.cells.x) * options_.cells.y * options_.cells.z;
  return global_.reduce(sum) / (cells * options_.flow.amplitude);
}

void Compressible::restored() {
  runner_.run(*stages_.decode);
  worst_.clear();
  worst_.merge(stages_.decode->accumulators()[0]);
  check_state();
}

double Compressible::choose_step(double& courant) {
  runner_.run(*stages_.limits);
  global_.reduce(stages_.limits->accumulators());
  const double signal = global_.value(0), spread = global_.value(1);
  // Runge and Kutta's region of stability is not a rectangle: both limits together.
  double dt = 1 / std::hypot(signal / options_.courant, spread / diffusion_limit);
  if (options_.dt > 0) dt = options_.dt;
  const double left = options_.end - clock_.time;
  if (options_.end > 0 && left > 1e-12 * options_.end) dt = left / std::ceil(left / dt * (1 - 1e-12));
  courant = dt * signal;
  return dt;
}

void Compressible::check_state() {
  const double worst = global_.reduce({&worst_, 1});
  if (!(worst < 0) && !grid().context().rehearses()) report_loss();
}

void Compressible::report_loss() {
  std::ostringstream sentence;
  typed<state_size>(state(), [&](auto& field) {
    field.each_slab([&](int lo, int hi, auto s) {
      each_cell(grid(), lo, hi, [&](Int3 c, double, double, double) {
        const auto* at = s.base + grid().layout().offset(c);
        const double rho = at[rho_ * s.stride], p = rho * at[T_ * s.stride];
        if ((rho > 0 && p > 0) || sentence.tellp() > 0) return;
        const bool density = !(rho > 0);
        sentence << (density ? "the density is " : "the pressure is ") << (density ? rho : p)
                 << " after step " << clock_.steps << " (time " << clock_.time << ") at cell "
                 << to_string(grid().origin() + c)
                 << "; a finer grid, a filter or a smaller run.courant may help";
      });
    });
  });
  grid().context().agree(Exit::diverged, sentence.str());
  throw Error(Exit::diverged, "density or pressure was not positive within step " +
                                  std::to_string(clock_.steps) +
                                  " and is positive again; a smaller run.courant may help");
}

Measures Compressible::measure() {
  run_gradients(*stages_.totals);
  global_.reduce(stages_.totals->accumulators());
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
  m.friction = mean(17);
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
  if (stages_.kinetic && dt_ > 0) {
    global_.reduce(kinetic_);
    m.filtered = (mean(0) - mean(1)) / dt_;
  }
  runner_.run(*stages_.extremes);
  global_.reduce(stages_.extremes->accumulators());
  m.density_low = -global_.value(0);
  m.density_high = global_.value(1);
  m.pressure_low = -global_.value(2);
  m.pressure_high = global_.value(3);
  m.largest_dilatation = global_.value(4);
  return m;
}

const Shown& Compressible::shown() {
  if (!shown_) shown_.emplace(make_shown(stages_, options_.single));
  return *shown_;
}

const Shown& Compressible::show() {
  run_gradients(*shown().show);
  return *shown_;
}

Spectrum Compressible::spectrum() {
  show();
  if (!spectrum_) spectrum_ = spectrum_of(shown_->velocity);
  return spectrum_(global_);
}

}  // namespace sc::compressible
