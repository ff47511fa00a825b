// SPDX-License-Identifier: Apache-2.0
// Flow: parameters, fields and tables.
#include "solvers/turbulence/flow.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "engine/base/error.hpp"

namespace sc::turbulence {

namespace {

TurbulenceOptions checked(const TurbulenceOptions& options) {
  for (int axis = 0; axis < 3; ++axis)
    if (options.points[axis] < 4 || options.points[axis] % 2 != 0)
      refuse("points is " + to_string(options.points) + "; every axis needs an even number of at least 4");
  if (!(options.viscosity >= 0))
    refuse("viscosity is " + std::to_string(options.viscosity) + "; it must be >= 0");
  if (!(options.dt > 0)) refuse("dt is " + std::to_string(options.dt) + "; it must be > 0");
  if (!(options.courant >= 0)) refuse("courant is " + std::to_string(options.courant) + "; it must be >= 0");
  return options;
}

/// Two thirds: products of kept modes fall back on modes that are left out. Else what the sphere reaches.
Int3 largest_modes(Int3 points, Dealiasing dealiasing) {
  if (dealiasing == Dealiasing::two_thirds)
    return {(points.x - 1) / 3, (points.y - 1) / 3, (points.z - 1) / 3};
  const auto reach = [](int n) { return static_cast<int>(std::numbers::sqrt2 / 3 * n); };
  return {reach(points.x), reach(points.y), reach(points.z)};
}

}  // namespace

template <class Real>
Flow<Real>::Flow(Context& context, const TurbulenceOptions& options)
    : options_(checked(options)),
      fft_(context, {.cells = options.points,
                     .process_grid = options.process_grid,
                     .largest_mode = largest_modes(options.points, options.dealiasing),
                     .library = options.library,
                     .strategy = options.engine.strategy}),
      v_(fft_.mode_grid(), "velocity modes"),
      runner_(context, options_.engine),
      sums_(context),
      speed_(context),
      forcing_(runner_, fft_.mode_grid(), wavenumbers(), per_point_square(), options_.viscosity,
               options_.forcing),
      dt_(options_.dt) {
  const auto threads = static_cast<std::size_t>(context.threads());
  for (std::size_t k = 0; k < threads; ++k) workplaces_.emplace_back(fft_);
  fastest_.assign(threads, {Accumulator(Reduce::max)});
  budget_ = make_budget(context, needs(), options_.storage, options_.engine.strategy.overlaps);
  store_ = std::make_unique<Store<Real>>(runner_, fft_, budget_, options_.storage, kept_fields());
  u_ = store_->field(0);
  sum_ = store_->field(1);
  if (options_.dealiasing == Dealiasing::phase_shift) held_ = store_->field(2);
  tabulate();
}

template <class Real>
std::vector<const char*> Flow<Real>::kept_fields() const {
  std::vector<const char*> names{"velocity before the step", "sum of stages"};
  if (options_.dealiasing == Dealiasing::phase_shift) names.push_back("term on the other grid");
  return names;
}

template <class Real>
Needs Flow<Real>::needs() const {
  const bool rk4 = options_.scheme == Scheme::rk4, shifted = options_.dealiasing == Dealiasing::phase_shift;
  const Int3 planes = fft_.plane_cells();
  const Layout& modes = fft_.mode_grid().layout();
  const auto bytes = [](auto elements) { return static_cast<std::int64_t>(elements * sizeof(Mode)); };
  Needs s{.planes = planes.z,
          .plane_bytes = static_cast<std::int64_t>(spectral::Planes<Real>::plane_bytes(fft_, false)),
          .file_plane_bytes = static_cast<std::int64_t>(spectral::Planes<Real>::plane_bytes(fft_, true)),
          .mode_planes = fft_.mode_grid().own().extent().z,
          .mode_plane_bytes = bytes(modes.sz)};
  s.evaluations = rk4 ? 4 : 3;
  // u and the sum: written by the first stage, read by the last; between them both are read and one written.
  s.fields_read = rk4 ? 6 : 5;
  s.fields_written = rk4 ? 4 : 6;
  if (shifted) {
    s.fields = 3;
    s.fields_read += 2 * s.evaluations;
    s.fields_written += 2 * s.evaluations;
    s.evaluations *= 2;
  }
  // What the process holds already when the budget is made is in `process`: transform, velocity, points. What
  // remains is a component of modes to work in, tables, and what libraries take for themselves.
  s.fixed = (std::int64_t{3} << 20) + s.mode_planes * s.mode_plane_bytes;
  return s;
}

template <class Real>
Wavenumbers Flow<Real>::wavenumbers() const {
  Wavenumbers w{};
  for (int axis = 0; axis < 3; ++axis) {
    w.low[static_cast<std::size_t>(axis)] = fft_.kept(axis).low;
    w.count[static_cast<std::size_t>(axis)] = fft_.kept(axis).count();
  }
  return w;
}

template <class Real>
Projection Flow<Real>::projection() const {
  const Int3 n = options_.points;
  Projection project{.wavenumbers = wavenumbers(), .per_points = {1.0 / n.x, 1.0 / n.y, 1.0 / n.z}};
  if (options_.dealiasing == Dealiasing::phase_shift) project.sphere = 2.0 / 9;
  return project;
}

/// Of viscosity over the shares of dt that the scheme needs, and of a shift by half a spacing.
template <class Real>
void Flow<Real>::tabulate() {
  if (tabulated_dt_ == dt_) return;
  tabulated_dt_ = dt_;
  const std::vector<double> shares =
      options_.scheme == Scheme::rk4 ? std::vector{0.5} : std::vector{1.0 / 3, 5.0 / 12, 1.0 / 4};
  decay_.assign(shares.size(), {});
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    shift_[a].clear();
    for (int i = 0; i < fft_.kept(axis).count(); ++i) {
      const double k = fft_.wavenumber(axis, i);
      for (std::size_t s = 0; s < shares.size(); ++s)
        decay_[s][a].push_back(std::exp(-options_.viscosity * dt_ * shares[s] * k * k));
      shift_[a].push_back(std::polar(1.0, std::numbers::pi * k / options_.points[axis]));
    }
  }
}

template <class Real>
Field<Mode<Real>>& Flow<Real>::work() {
  if (!work_) work_.emplace(fft_.mode_grid(), "work");
  return *work_;
}

template <class Real>
Field<Real, 3>& Flow<Real>::at_points(std::optional<Field<Real, 3>>& field, const char* name) {
  if (!field) field.emplace(fft_.real_grid(), name);
  return *field;
}

template class Flow<float>;
template class Flow<double>;

std::unique_ptr<Turbulence> make_turbulence(Context& context, const TurbulenceOptions& options) {
  if (options.single) return std::make_unique<Flow<float>>(context, options);
  return std::make_unique<Flow<double>>(context, options);
}

}  // namespace sc::turbulence
