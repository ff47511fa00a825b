// SPDX-License-Identifier: Apache-2.0
// Turbulence: measurements.
#include "solvers/turbulence/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/base/error.hpp"
#include "solvers/turbulence/solver.hpp"
#include "solvers/turbulence/stages.hpp"

namespace sc::turbulence {

namespace {

/// E(k): the energy of modes with k - 1/2 <= |k| < k + 1/2, in sums that do not depend on the order.
template <class Real>
void add_shells(const Wavenumbers& wavenumbers, double scale, AnyField& modes,
                std::vector<Accumulator>& sums) {
  const Box own = modes.grid().own();
  const Frame frame{modes.grid().layout(), modes.grid().origin()};
  const auto u = reads(modes).in<Real>().view();
  for (int z = own.lo.z; z < own.hi.z; ++z)
    for (int y = own.lo.y; y < own.hi.y; ++y) {
      At c{frame.layout.offset({own.lo.x, y, z}), frame.layout.sy, frame.layout.sz};
      Index g{frame.origin.x + own.lo.x, frame.origin.y + y, frame.origin.z + z};
      for (int x = own.lo.x; x < own.hi.x; ++x, c = c.x(1), ++g.x) {
        const double energy = 0.5 * (g.x > 0 ? 2 : 1) * scale * square_of(c, u);
        sums[static_cast<std::size_t>(wavenumbers.shell(g))].add(&energy, 1);
      }
    }
}

}  // namespace

double Turbulence::per_point_square() const {
  const double points = double(options_.points.x) * options_.points.y * options_.points.z;
  return 1 / (points * points);
}

std::vector<double> Turbulence::spectrum() {
  const Wavenumbers w = wavenumbers();
  std::vector<Accumulator> sums(static_cast<std::size_t>(w.shells()), Accumulator(Reduce::sum));
  v_.storage(0).settle();
  in_precision_of(v_, [&](auto real) { add_shells<decltype(real)>(w, per_point_square(), v_, sums); });
  sums_.start(sums);
  std::vector<double> energy;
  for (std::size_t k = 0; k < sums.size(); ++k) energy.push_back(sums_.value(static_cast<int>(k)));
  return energy;
}

Balance Turbulence::balance() {
  ModeSweep sums("balance", Sums{wavenumbers(), per_point_square()}, {.reduce = Reduce::sum}, reads(v_));
  runner_.run(sums);
  sums_.start(sums->accumulators());
  Balance b{.time = clock_.time, .energy = sums_.value(0), .enstrophy = sums_.value(1)};
  b.dissipation = 2 * options_.viscosity * b.enstrophy;
  b.divergence = std::sqrt(sums_.value(2));
  if (!std::isfinite(b.energy) || !std::isfinite(b.enstrophy))
    throw Error(Exit::diverged, "the flow is not finite any more at step " + std::to_string(clock_.steps) +
                                    ", time " + std::to_string(clock_.time) + "; try a smaller dt");
  return b;
}

Measures Turbulence::measure() {
  Measures m{balance()};
  m.skewness = skewness();
  const double nu = options_.viscosity, speed = std::sqrt(2 * m.energy / 3);
  if (!(nu > 0) || !(m.dissipation > 0)) {
    m.taylor_length = m.taylor_reynolds = m.kolmogorov = m.resolution =
        std::numeric_limits<double>::quiet_NaN();
    return m;
  }
  m.taylor_length = speed * std::sqrt(15 * nu / m.dissipation);
  m.taylor_reynolds = speed * m.taylor_length / nu;
  m.kolmogorov = std::pow(nu * nu * nu / m.dissipation, 0.25);
  const Wavenumbers w = wavenumbers();
  m.resolution = m.kolmogorov * static_cast<double>(*std::min_element(w.low.begin(), w.low.end()) - 1);
  return m;
}

/// Starts a reduction with the values of all threads.
void Turbulence::reduce(GlobalValue& value, Transforms::PerThread& met) {
  for (std::size_t thread = 1; thread < met.size(); ++thread) merge(met[0], met[thread]);
  value.start(met[0]);
}

double Turbulence::skewness() {
  // g_d = du_d/dx_d, one component at a time, in the arrays of the velocity in a step
  ModeSweep gradient("stretching", Stretching{}, {}, writes<1>(work()), reads(v_));
  for (int d = 0; d < 3; ++d) {
    gradient.set({wavenumbers(), d});
    runner_.run(gradient);
    store_->fill(3 + d, [&](const auto& to) { transforms_->to_planes(work(), 0, to); });
  }
  constexpr auto reads_only = StreamUse::Mode::reads;
  Transforms::PerThread sums(threads(), std::vector(2, Accumulator(Reduce::sum)));
  store_->meet({{3, reads_only}, {4, reads_only}, {5, reads_only}},
               [&](const auto& slab) { transforms_->at_points(AtPoints::moments, slab, sums); });
  reduce(sums_, sums);
  const double values = 3 / std::sqrt(per_point_square());
  const double square = sums_.value(0) / values, cube = sums_.value(1) / values;
  return square > 0 ? cube / std::pow(square, 1.5) : 0;
}

AnyField& Turbulence::velocity() {
  transforms_->to_points(v_, velocity_points());
  return *velocity_;
}

AnyField& Turbulence::vorticity() {
  ModeSweep copy("copy", Copy{}, {}, writes(term()), reads(v_));
  ModeSweep curl("curl", Curl{wavenumbers()}, {}, updates(term()));
  runner_.run(copy);
  runner_.run(curl);
  transforms_->to_points(term(), vorticity_points());
  return *vorticity_;
}

}  // namespace sc::turbulence
