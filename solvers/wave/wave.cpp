// SPDX-License-Identifier: Apache-2.0
// Sound in a box: the step, set-up and measurements.
#include "solvers/wave/wave.hpp"

#include <cmath>
#include <string>

#include "solvers/common/check.hpp"
#include "solvers/common/check_passes.hpp"
#include "solvers/common/stage_of.hpp"
#include "solvers/wave/kernels.hpp"

namespace sc::wave {

namespace {

Grid grid_of(Context& context, const WaveOptions& o) {
  const Bool3 periodic = periodic_axes([&](std::size_t f) { return o.faces[f] == FaceKind::periodic; });
  const int reach = 2, halo = reach * o.engine.steps_per_pass;
  return {context,
          {.cells = o.cells, .periodic = periodic, .halo = halo, .wall_halo = reach, .split = o.split}};
}

/// Two layers are read beyond a face. Those of a wall mirror two cells: in a single one, the second layer
/// would be the image in the opposite wall, of an earlier step.
void check_reach(Int3 cells) {
  for (int a = 0; a < 3; ++a)
    if (cells[a] < 2)
      refuse("grid.cells is " + to_string(cells) +
             "; every axis needs 2 or more, because the equation reads so far");
}

template <class Real>
void close_faces(Field<Real>& p, const WaveOptions& o) {
  for_each_face([&](Face face, std::size_t f) {
    if (o.faces[f] == FaceKind::rigid) boundary(p, face, Mirrored<Real>{});
    if (o.faces[f] == FaceKind::soft) boundary(p, face, Soft<Real>{});
  });
}

}  // namespace

void check(const WaveOptions& o) {
  check_reach(o.cells);
  check_positive("grid.spacing", o.spacing);
  check_positive("medium.speed", o.speed);
  check_positive("pulse.width", o.width);
  check_periodic([&](std::size_t f) { return o.faces[f] == FaceKind::periodic; });
  check_longest_pass(o.engine);
  if (!(o.dt >= 0 && o.dt < largest_step(o)))
    refuse("run.dt is " + std::to_string(o.dt) + " s; it must lie below " +
           std::to_string(largest_step(o) * 1e6) + " us");
  if (o.dt == 0 && !(o.safety > 0 && o.safety < 1))
    refuse("run.safety is " + std::to_string(o.safety) + "; it must lie between 0 and 1");
}

double largest_step(const WaveOptions& o) { return o.spacing / (2 * o.speed); }

Wave::Wave(Context& context, const WaveOptions& options)
    : options_(checked_options(options)),
      dt_(options.dt > 0 ? options.dt : options.safety * largest_step(options)),
      runner_(context, options.engine),
      global_(context) {
  const Grid grid = grid_of(context, options_);
  options_.single ? make_stages<float>(grid) : make_stages<double>(grid);
  runner_.run(*begin_);
}

template <class Real>
void Wave::make_stages(const Grid& grid) {
  auto field =
      std::make_unique<Field<Real>>(grid, "pressure", FieldOptions{.levels = 2, .space = options_.space});
  Field<Real>& p = *field;
  p_ = std::move(field);
  close_faces(p, options_);
  p.fill([&](int x, int y, int z) {
    const double h = options_.spacing;
    const std::array<double, 3> at{h * (x + 0.5), h * (y + 0.5), h * (z + 0.5)};
    double square = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      double off = at[a] - options_.centre[a];
      if (options_.faces[2 * a] == FaceKind::periodic)  // from the nearest image of the centre
        off = std::remainder(off, h * options_.cells[static_cast<int>(a)]);
      square += off * off;
    }
    return Real(options_.amplitude * std::exp(-square / std::pow(options_.width, 2)));
  });
  const double k = std::pow(options_.speed * dt_ / options_.spacing, 2);
  begin_ = stage_of("begin", Begin<Real>{Real(k)}, writes(p.next()), reads(p.now(), star(2)));
  advance_ = stage_of("advance", Advance<Real>{Real(k)}, SweepOptions{.flops = 18}, updates(p.next()),
                      reads(p.now(), star(2)));
  energy_ = stage_of("energy", Energy<Real>{k}, SweepOptions{.reduce = Reduce::sum}, reads(p.now(), star(2)),
                     reads(p.next()));
  extremes_ = stage_of("extremes", Extremes<Real>{}, SweepOptions{.reduce = Reduce::max}, reads(p.now()));
}

StepReport Wave::steps(int n) {
  runner_.steps(n, [this](int) {
    runner_.begin_step();
    // p(t + dt) = 2 p(t) - p(t - dt) + (c dt)^2 lap p(t)
    runner_.run(*advance_);
    p_->advance();
  });
  clock_.steps += n;
  clock_.time = double(clock_.steps) * dt_;
  return {clock_.steps, clock_.time, dt_};
}

std::optional<PassCost> Wave::pass_cost() {
  return cost_of_pass(options_.engine, [this](const auto& run) {
    run(*advance_);
    p_->advance();
  });
}

Measures Wave::measure() {
  Measures m;
  runner_.run(*extremes_);
  global_.start(extremes_->accumulators());
  m.high = global_.value(0);
  m.low = -global_.value(1);
  if (!std::isfinite(m.high))
    throw Error(Exit::diverged, "the pressure is not finite after step " + std::to_string(clock_.steps) +
                                    "; a smaller run.safety or run.dt may help");
  runner_.run(*energy_);
  const Int3 n = options_.cells;
  m.energy = global_.reduce(energy_->accumulators()) / (double(n.x) * n.y * n.z * dt_ * dt_);
  return m;
}

}  // namespace sc::wave
