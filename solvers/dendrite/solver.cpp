// SPDX-License-Identifier: Apache-2.0
// The solver around its step: set-up, what is measured, what is said when a state is lost.
#include "solvers/dendrite/solver.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "engine/stage/slabs.hpp"
#include "solvers/dendrite/phase_solver.hpp"
#include "solvers/dendrite/start.hpp"

namespace sc::dendrite {

namespace {

/// A pass of several steps reads of the neighbours what all of them read.
Grid grid_of(Context& context, const DendriteOptions& o) {
  return Grid(
      context,
      {.cells = o.cells, .periodic = o.periodic(), .halo = o.engine.steps_per_pass, .split = o.split});
}

std::unique_ptr<FileMemory> files_of(Context& context, const DendriteOptions& o, const Budget& budget) {
  std::unique_ptr<FileMemory> files;
  if (budget.where == Where::files)
    context.together([&] {
      files = std::make_unique<FileMemory>(scratch_files(context, o.storage, o.engine.strategy.overlaps));
    });
  return files;
}

FieldOptions where(Context& context, const DendriteOptions& o, const Budget& budget, FileMemory* files) {
  if (budget.where == Where::files) return {.place = in_files(*files, budget.pieces)};
  if (budget.where == Where::host) return {.place = in_host_memory_of(context.device(), budget.pieces)};
  return {.space = o.space};
}

/// The ring as it was planned; no stage needs more than the step's.
void plan_ring(Stage& step, const AnyField& field, const Budget& budget) {
  const std::size_t slot = SlabStream::slot_bytes(Slabs(step, true).pass().phase);
  step.grid().context().together([&] { far_cells(field.storage(0)).place()->plan(slot, budget.ahead); });
}

// An insulated face and a mirror are one condition: equal values on both sides.
template <class Real, int N>
void close_faces(Field<Real, N>& field, const DendriteOptions& o) {
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side)
      if (o.faces[std::size_t(2 * axis + side)] != FaceKind::periodic)
        boundary(field, Face{axis, side}, Mirrored<Real, N>{});
}

}  // namespace

template <class Real, bool noisy, bool turned>
PhaseSolver<Real, noisy, turned>::PhaseSolver(Context& context, const DendriteOptions& options)
    : options_(options),
      runner_(context, options.engine),
      budget_(make_budget(grid_of(context, options), options)),
      files_(files_of(context, options, budget_)),
      fields_(grid_of(context, options), where(context, options, budget_, files_.get())),
      advance_(advance_stage<Real, noisy, turned>(fields_)),
      global_(context),
      dt_(options.dt > 0 ? options.dt : options.safety * largest_step(options)) {
  close_faces(fields_.phi, options_);
  close_faces(fields_.theta, options_);
  if constexpr (turned) close_faces(fields_.turn, options_);
  if (Slabs::in(advance_)) plan_ring(advance_, fields_.phi, budget_);
  set_initial();
}

template <class Real, bool noisy, bool turned>
void PhaseSolver<Real, noisy, turned>::set_initial() {
  const Start start(options_);
  fields_.phi.fill([&](int x, int y, int z) { return Real(start.phase(x, y, z)); });
  const Real theta = Real(options_.temperature - options_.material.melting);
  fields_.theta.fill([&](int, int, int) { return theta; });
  if constexpr (turned)
    fields_.turn.fill([&](int k, int x, int y, int z) { return Real(start.turn(x, y, z)[std::size_t(k)]); });
}

template <class Real, bool noisy, bool turned>
Measures PhaseSolver<Real, noisy, turned>::extremes() {
  auto extremes = extremes_stage<Real>(fields_);
  runner_.run(extremes);
  global_.start(extremes.accumulators());
  Measures m;
  m.phi_high = global_.value(0);
  if (!std::isfinite(m.phi_high)) report_loss();
  m.phi_low = 0 - global_.value(1);
  m.T_high = options_.material.melting + global_.value(2);
  m.T_low = options_.material.melting - global_.value(3);
  return m;
}

template <class Real, bool noisy, bool turned>
Measures PhaseSolver<Real, noisy, turned>::measure() {
  Measures m = extremes();
  auto sums = sums_stage<Real>(fields_);
  runner_.run(sums, {model_of(options_.material).latent});
  global_.start(sums.accumulators());
  const Int3 n = options_.cells;
  const double cells = double(n.x) * n.y * n.z;
  m.solid = global_.value(0) / cells;
  m.total = options_.material.melting + global_.value(1) / cells;

  const std::array<double, 6> length = arms();
  m.arms = length;
  m.tip = *std::max_element(length.begin(), length.end());
  const double since = clock_.time - clock_.tip_time;
  m.tip_velocity =
      clock_.tip >= 0 && since > 0 ? (m.tip - clock_.tip) / since : std::numeric_limits<double>::quiet_NaN();
  if (clock_.tip < 0 || since > 0) {
    clock_.tip = m.tip;
    clock_.tip_time = clock_.time;
  }
  return m;
}

template <class Real, bool noisy, bool turned>
void PhaseSolver<Real, noisy, turned>::report_loss() {
  const std::string when =
      "after step " + std::to_string(clock_.steps) + " (time " + std::to_string(clock_.time * 1e9) + " ns)";
  const Box own = grid().own();
  const Layout& layout = grid().layout();
  std::string sentence;
  const auto look = [&](Field<Real>& field, const char* name) {
    field.each_slab([&](int lo, int hi, In<Real> cells) {
      for (int z = lo; z < hi; ++z)
        for (int y = 0; y < own.hi.y; ++y)
          for (int x = 0; x < own.hi.x; ++x)
            if (sentence.empty() && !std::isfinite(cells.base[layout.offset({x, y, z})]))
              sentence = std::string("the ") + name + " is not finite " + when + " at cell " +
                         to_string(grid().origin() + Int3{x, y, z}) +
                         "; a smaller run.safety or run.dt may help";
    });
  };
  look(fields_.phi, "phase");
  look(fields_.theta, "temperature");
  grid().context().agree(Exit::diverged, sentence);
  throw Error(Exit::diverged, "the crystal is not finite " + when);
}

#define SC_SOLVER(Real)                           \
  template class PhaseSolver<Real, false, false>; \
  template class PhaseSolver<Real, false, true>;  \
  template class PhaseSolver<Real, true, false>;  \
  template class PhaseSolver<Real, true, true>;
SC_SOLVER(float)
SC_SOLVER(double)
#undef SC_SOLVER

}  // namespace sc::dendrite
