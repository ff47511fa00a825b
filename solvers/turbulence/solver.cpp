// SPDX-License-Identifier: Apache-2.0
// Turbulence: parameters, fields and tables.
#include "solvers/turbulence/solver.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "solvers/common/check.hpp"
#include "solvers/common/check_passes.hpp"

namespace sc::turbulence {

void check(const TurbulenceOptions& options) {
  for (int axis = 0; axis < 3; ++axis)
    if (options.points[axis] < 4 || options.points[axis] % 2 != 0)
      refuse("points is " + to_string(options.points) + "; every axis needs an even number of at least 4");
  if (!(options.viscosity >= 0))
    refuse("viscosity is " + std::to_string(options.viscosity) + "; it must be >= 0");
  if (!(options.dt > 0)) refuse("dt is " + std::to_string(options.dt) + "; it must be > 0");
  if (options.scalar && !(options.scalar->diffusivity >= 0))
    refuse("diffusivity is " + std::to_string(options.scalar->diffusivity) + "; it must be >= 0");
  if (!(options.courant >= 0)) refuse("courant is " + std::to_string(options.courant) + "; it must be >= 0");
  check_single_steps(options.engine, "its Fourier transforms need whole grid lines");
}

Turbulence::Turbulence(Context& context, const TurbulenceOptions& options)
    : options_(checked_options(options)),
      transforms_(make_transforms(context, options_)),
      v_(transforms_->modes(), "velocity modes", transforms_->mode_type(), options_.components(), {}),
      runner_(context, options_.engine),
      sums_(context),
      speed_(context),
      forcing_(runner_, transforms_->modes(), wavenumbers(), per_point_square(), options_.viscosity,
               options_.forcing),
      dt_(options_.dt) {
  std::shared_ptr<spectral::Planes> pipeline;
  if (options_.pipeline_fits()) pipeline = transforms_->open_pipeline(uses());
  budget_ = make_budget(context, needs(), options_.storage, options_.engine.strategy.overlaps);
  std::vector<const char*> kept{"velocity before the step", "sum of stages"};
  if (options_.dealiasing == Dealiasing::phase_shift) kept.push_back("term on the other grid");
  store_ = std::make_unique<Store>(runner_, *transforms_, budget_, options_.storage, pipeline, kept);
  u_ = &store_->field(0);
  sum_ = &store_->field(1);
  if (kept.size() > 2) held_ = &store_->field(2);
  tabulate();
}

Needs Turbulence::needs() const {
  const bool rk4 = options_.scheme == Scheme::rk4, shifted = options_.dealiasing == Dealiasing::phase_shift;
  const spectral::PlaneShape shape = transforms_->planes();
  const Grid& modes = transforms_->modes();
  const auto bytes = [](std::size_t count) { return static_cast<std::int64_t>(count); };
  Needs s{.planes = shape.cells.z,
          .plane_bytes = bytes(shape.bytes(false)),
          .file_plane_bytes = bytes(shape.bytes(true)),
          .mode_planes = modes.own().extent().z,
          .mode_plane_bytes = bytes(static_cast<std::size_t>(modes.layout().sz) * shape.element)};
  s.components = options_.components();
  s.plane_arrays = options_.plane_arrays();
  // Of all arrays but three: in rotational form the operands are written, read to the products, and those
  // that the products replace written and read once more. The divergence form reads and writes as many.
  if (has_scalar()) s.plane_reads = 7;
  s.evaluations = rk4 ? 4 : 3;
  // u and the sum are written by the first stage and read by the last; the stages between read both and write
  // one.
  s.fields_read = rk4 ? 6 : 5;
  s.fields_written = rk4 ? 4 : 6;
  if (shifted) {
    s.fields = 3;
    s.fields_read += 2 * s.evaluations;
    s.fields_written += 2 * s.evaluations;
    s.evaluations *= 2;
  }
  // `process` already includes the transform, the velocity and the points. What remains is one component of
  // modes as scratch, tables, and memory of the libraries.
  s.fixed = (std::int64_t{3} << 20) + s.mode_planes * s.mode_plane_bytes + transforms_->pipeline_bytes();
  return s;
}

Wavenumbers Turbulence::wavenumbers() const {
  Wavenumbers w{};
  for (int axis = 0; axis < 3; ++axis) {
    w.low[static_cast<std::size_t>(axis)] = transforms_->kept(axis).low;
    w.count[static_cast<std::size_t>(axis)] = transforms_->kept(axis).count();
  }
  return w;
}

Projection Turbulence::projection() const {
  const Int3 n = options_.points;
  Projection project{.wavenumbers = wavenumbers(), .per_points = {1.0 / n.x, 1.0 / n.y, 1.0 / n.z}};
  if (options_.dealiasing == Dealiasing::phase_shift) project.sphere = 2.0 / 9;
  return project;
}

/// Tables of the decay over the parts of dt that the scheme needs.
std::vector<Turbulence::Tables<double>> Turbulence::decay_tables(double diffusivity) const {
  const std::vector<double> shares =
      options_.scheme == Scheme::rk4 ? std::vector{0.5} : std::vector{1.0 / 3, 5.0 / 12, 1.0 / 4};
  std::vector<Tables<double>> tables(shares.size());
  const Wavenumbers w = wavenumbers();
  for (std::size_t s = 0; s < shares.size(); ++s)
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::int64_t i = 0; i < w.count[axis]; ++i) {
        const double k = w.of({i, i, i})[axis];
        tables[s][axis].push_back(std::exp(-diffusivity * dt_ * shares[s] * k * k));
      }
  return tables;
}

/// Those tables, and that of the shift by half a spacing.
void Turbulence::tabulate() {
  if (tabulated_dt_ == dt_) return;
  tabulated_dt_ = dt_;
  decay_ = decay_tables(options_.viscosity);
  if (has_scalar()) scalar_decay_ = decay_tables(options_.scalar->diffusivity);
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    shift_[a].clear();
    const Wavenumbers w = wavenumbers();
    for (std::int64_t i = 0; i < w.count[a]; ++i) {
      const double k = w.of({i, i, i})[a];
      shift_[a].push_back(std::polar(1.0, std::numbers::pi * k / options_.points[axis]));
    }
  }
}

AnyField& Turbulence::modes_in(std::optional<AnyField>& field, const char* name, int components) {
  if (!field) field.emplace(transforms_->modes(), name, transforms_->mode_type(), components, FieldOptions{});
  return *field;
}

AnyField& Turbulence::points_in(std::optional<AnyField>& field, const char* name, int components) {
  if (!field) field.emplace(grid(), name, transforms_->point_type(), components, FieldOptions{});
  return *field;
}

}  // namespace sc::turbulence
