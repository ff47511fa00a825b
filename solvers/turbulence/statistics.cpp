// SPDX-License-Identifier: Apache-2.0
// Turbulence: what is measured of it.
#include "solvers/turbulence/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/base/error.hpp"
#include "solvers/turbulence/flow.hpp"

namespace sc::turbulence {

ShellSums::ShellSums(const Wavenumbers& wavenumbers, double scale)
    : wavenumbers_(wavenumbers),
      scale_(scale),
      sums_(static_cast<std::size_t>(wavenumbers.shells()), Accumulator(Reduce::sum)) {}

template <class Real>
void ShellSums::add(const Box& box, const Frame& frame, In<Mode<Real>, 3> u) {
  for (int z = box.lo.z; z < box.hi.z; ++z)
    for (int y = box.lo.y; y < box.hi.y; ++y) {
      At c{frame.layout.offset({box.lo.x, y, z}), frame.layout.sy, frame.layout.sz};
      Index g{frame.origin.x + box.lo.x, frame.origin.y + y, frame.origin.z + z};
      for (int x = box.lo.x; x < box.hi.x; ++x, c = c.x(1), ++g.x) {
        const double energy = 0.5 * (g.x > 0 ? 2 : 1) * scale_ * square_of(c, u);
        sums_[static_cast<std::size_t>(wavenumbers_.shell(g))].add(&energy, 1);
      }
    }
}

template <class Real>
double Flow<Real>::per_point_square() const {
  const double points = double(options_.points.x) * options_.points.y * options_.points.z;
  return 1 / (points * points);
}

template <class Real>
std::vector<double> Flow<Real>::spectrum() {
  ShellSums shells(wavenumbers(), per_point_square());
  v_.storage(0).settle();
  shells.add(v_.grid().own(), {v_.grid().layout(), v_.grid().origin()}, v_.read());
  sums_.start(shells.sums());
  std::vector<double> energy;
  for (std::size_t k = 0; k < shells.sums().size(); ++k) energy.push_back(sums_.value(static_cast<int>(k)));
  return energy;
}

template <class Real>
Balance Flow<Real>::balance() {
  Sweep sums("balance", Sums{wavenumbers(), per_point_square()}, SweepOptions{.reduce = Reduce::sum},
             reads(v_.now()));
  runner_.run(sums);
  sums_.start(sums.accumulators());
  Balance b{.time = clock_.time, .energy = sums_.value(0), .enstrophy = sums_.value(1)};
  b.dissipation = 2 * options_.viscosity * b.enstrophy;
  b.divergence = std::sqrt(sums_.value(2));
  if (!std::isfinite(b.energy) || !std::isfinite(b.enstrophy))
    throw Error(Exit::diverged, "the flow is not finite any more at step " + std::to_string(clock_.steps) +
                                    ", time " + std::to_string(clock_.time) + "; try a smaller dt");
  return b;
}

template <class Real>
Measures Flow<Real>::measure() {
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

template <class Real>
double Flow<Real>::skewness() {
  // g_d = du_d/dx_d, a component at a time, where the velocity goes in a step
  Sweep gradient("stretching", Stretching{}, writes(work().now()), reads(v_.now()));
  for (int d = 0; d < 3; ++d) {
    runner_.run(gradient, Stretching{wavenumbers(), d});
    store_->fill(
        3 + d, [&](spectral::Cells<Mode> to) { fft_.backward_across(spectral::cells_of(work().now()), to); });
  }
  constexpr auto reads_only = StreamUse::Mode::reads;
  std::vector<std::vector<Accumulator>> sums(workplaces_.size(), std::vector(2, Accumulator(Reduce::sum)));
  store_->meet({{3, reads_only}, {4, reads_only}, {5, reads_only}},
               [&](int lo, int hi, const Arrays& planes) {
                 for_each_plane(lo, hi, [&](int z, int thread) {
                   through_points(z, planes, 3, plane_arrays, thread, [&](Workplace<Real>& here) {
                     multiply(Moments{}, sums[static_cast<std::size_t>(thread)], here);
                   });
                 });
               });
  for (std::size_t thread = 1; thread < sums.size(); ++thread) merge(sums[0], sums[thread]);
  sums_.start(sums[0]);
  const double values = 3 / std::sqrt(per_point_square());
  const double square = sums_.value(0) / values, cube = sums_.value(1) / values;
  return square > 0 ? cube / std::pow(square, 1.5) : 0;
}

template <class Real>
Field<Real, 3>& Flow<Real>::velocity() {
  fft_.backward(v_.now(), velocity_points().now());
  return *velocity_;
}

template <class Real>
Field<Real, 3>& Flow<Real>::vorticity() {
  if (!term_) term_.emplace(fft_.mode_grid(), "work of three components");
  Sweep copy("copy", Copy{}, writes(term_->now()), reads(v_.now()));
  Sweep curl("curl", Curl{wavenumbers()}, updates(term_->now()));
  runner_.run(copy);
  runner_.run(curl);
  fft_.backward(term_->now(), vorticity_points().now());
  return *vorticity_;
}

template class Flow<float>;
template class Flow<double>;

}  // namespace sc::turbulence
