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

/// scale |v|^2 of modes with k - 1/2 <= |k| < k + 1/2, in sums that do not depend on the order.
template <class Real, int N>
void add_shells(const Wavenumbers& wavenumbers, double scale, AnyField& modes, Part part,
                std::vector<Accumulator>& sums) {
  const Box own = modes.grid().own();
  const Frame frame{modes.grid().layout(), modes.grid().origin()};
  const auto u = reads<N>(modes).template in<Real>().view();
  for (int z = own.lo.z; z < own.hi.z; ++z)
    for (int y = own.lo.y; y < own.hi.y; ++y) {
      At c{frame.layout.offset({own.lo.x, y, z}), frame.layout.sy, frame.layout.sz};
      Index g{frame.origin.x + own.lo.x, frame.origin.y + y, frame.origin.z + z};
      for (int x = own.lo.x; x < own.hi.x; ++x, c = c.x(1), ++g.x) {
        const double square = (g.x > 0 ? 2 : 1) * scale * square_of(c, u, part);
        sums[static_cast<std::size_t>(wavenumbers.shell(g))].add(&square, 1);
      }
    }
}

}  // namespace

double Turbulence::per_point_square() const {
  const double points = double(options_.points.x) * options_.points.y * options_.points.z;
  return 1 / (points * points);
}

std::vector<double> Turbulence::shells(double factor, Part part) {
  const Wavenumbers w = wavenumbers();
  std::vector<Accumulator> sums(static_cast<std::size_t>(w.shells()), Accumulator(Reduce::sum));
  v_.storage(0).settle();
  in_precision_of(v_, [&](auto real) {
    in_components_of(v_, [&](auto components) {
      add_shells<decltype(real), components>(w, factor * per_point_square(), v_, part, sums);
    });
  });
  sums_.start(sums);
  std::vector<double> squares;
  for (std::size_t k = 0; k < sums.size(); ++k) squares.push_back(sums_.value(static_cast<int>(k)));
  return squares;
}

Balance Turbulence::balance() {
  ModeSweep sums("balance", Sums{wavenumbers(), per_point_square()}, {.reduce = Reduce::sum}, reads<3>(v_));
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

ScalarBalance Turbulence::scalar_balance() {
  ModeSweep sums("scalar balance", ScalarSums{wavenumbers(), gradient(), per_point_square()},
                 {.reduce = Reduce::sum}, reads<4>(v_));
  runner_.run(sums);
  sums_.start(sums->accumulators());
  const ScalarBalance b{.variance = sums_.value(0),
                        .dissipation = 2 * options_.scalar->diffusivity * sums_.value(1),
                        .production = 2 * sums_.value(2)};
  if (!std::isfinite(b.variance) || !std::isfinite(b.dissipation))
    throw Error(Exit::diverged, "the scalar is not finite any more at step " + std::to_string(clock_.steps) +
                                    ", time " + std::to_string(clock_.time) + "; try a smaller dt");
  return b;
}

namespace {

/// NaN instead of what has no meaning
double ratio(double a, double b) { return b > 0 ? a / b : std::numeric_limits<double>::quiet_NaN(); }

}  // namespace

/// The largest in all directions
double Turbulence::largest_mode() const {
  const Wavenumbers w = wavenumbers();
  return static_cast<double>(*std::ranges::min_element(w.low) - 1);
}

Measures Turbulence::measure() {
  Measures m{balance()};
  m.skewness = skewness();
  if (has_scalar()) m.scalar = scalar_measures(m);
  const double nu = options_.viscosity, speed = std::sqrt(2 * m.energy / 3);
  if (!(nu > 0) || !(m.dissipation > 0)) {
    m.taylor_length = m.taylor_reynolds = m.kolmogorov = m.resolution =
        std::numeric_limits<double>::quiet_NaN();
    return m;
  }
  m.taylor_length = speed * std::sqrt(15 * nu / m.dissipation);
  m.taylor_reynolds = speed * m.taylor_length / nu;
  m.kolmogorov = std::pow(nu * nu * nu / m.dissipation, 0.25);
  m.resolution = m.kolmogorov * largest_mode();
  return m;
}

ScalarMeasures Turbulence::scalar_measures(const Balance& flow) {
  ScalarMeasures m{scalar_balance()};
  m.time_ratio = ratio(flow.energy, flow.dissipation) * ratio(m.dissipation, m.variance);
  const double nu = options_.viscosity, kappa = options_.scalar->diffusivity;
  m.resolution =
      largest_mode() * std::pow(ratio(std::max(nu, kappa) * kappa * kappa, flow.dissipation), 0.25);
  if (!(kappa > 0)) m.time_ratio = m.resolution = std::numeric_limits<double>::quiet_NaN();
  return m;
}

/// Starts a reduction with the values of all threads.
void Turbulence::reduce(GlobalValue& value, Transforms::PerThread& values) {
  for (std::size_t thread = 1; thread < values.size(); ++thread) merge(values[0], values[thread]);
  value.start(values[0]);
}

double Turbulence::skewness() {
  // g_d = du_d/dx_d, one component at a time, in the arrays of the velocity in a step
  ModeSweep gradient("stretching", Stretching{}, {}, writes<1>(work()), reads<3>(v_));
  const int first = options_.plane_arrays() - 3;
  const std::vector<Use> uses{{first}, {first + 1}, {first + 2}};
  store_->planes().announce(uses);
  for (int d = 0; d < 3; ++d) {
    gradient.set({wavenumbers(), d});
    runner_.run(gradient);
    store_->fill(first + d, [&](const auto& to) { transforms_->to_planes(work(), 0, first + d, to); });
  }
  Transforms::PerThread sums(threads(), std::vector(2, Accumulator(Reduce::sum)));
  store_->each_slab(uses, [&](const auto& slab) { transforms_->at_points(AtPoints::moments, slab, sums); });
  reduce(sums_, sums);
  const double values = 3 / std::sqrt(per_point_square());
  const double square = sums_.value(0) / values, cube = sums_.value(1) / values;
  return square > 0 ? cube / std::pow(square, 1.5) : 0;
}

AnyField& Turbulence::velocity() {
  transforms_->to_points(v_, 0, velocity_points());
  return *velocity_;
}

AnyField& Turbulence::scalar() {
  transforms_->to_points(v_, scalar_part.first, scalar_points());
  return *scalar_;
}

AnyField& Turbulence::vorticity() {
  ModeSweep copy("copy", Copy{}, {}, writes(term()), reads(v_));
  ModeSweep curl("curl", Curl{wavenumbers()}, {}, updates(term()));
  runner_.run(copy);
  runner_.run(curl);
  transforms_->to_points(term(), 0, vorticity_points());
  return *vorticity_;
}

}  // namespace sc::turbulence
