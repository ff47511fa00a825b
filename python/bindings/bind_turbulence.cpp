// SPDX-License-Identifier: Apache-2.0
// _core.Turbulence: its initial conditions, what its files hold, its results as dicts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "io/snapshot_file.hpp"
#include "python/bindings/bind_solver.hpp"
#include "python/bindings/options.hpp"
#include "solvers/turbulence/resample.hpp"
#include "solvers/turbulence/solver.hpp"

#include <cmath>
#include <numbers>

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

using turbulence::Turbulence;

class TurbulenceFace : public SolverFace<Turbulence> {
 public:
  using SolverFace::SolverFace;

  /// From a snapshot's velocity, made free of divergence, and perhaps its scalar, with any number of points,
  /// or from the modes of a checkpoint; at time 0.
  void start_from_snapshot(const std::string& path, bool scalar) {
    read_points(path, "velocity", solver().velocity_points());
    if (scalar) read_points(path, "scalar", solver().scalar_points());
    solver().start_from_points(scalar);
  }
  void start_from_checkpoint(const std::string& path) {
    read_checkpoint(path);
    solver().clock() = {};
  }

  static void add(nb::dict& to, const turbulence::Measures& measures);

 private:
  void read_points(const std::string& path, const std::string& name, AnyField& to);
  std::vector<NamedField> fields() override {
    using Role = NamedField::Role;
    std::vector<NamedField> all{
        {"velocity", nullptr, Role::derived, [this]() -> AnyField& { return solver().velocity_points(); }},
        {"vorticity", nullptr, Role::derived, [this]() -> AnyField& { return solver().vorticity_points(); }},
        {"modes", &solver().modes(), Role::unshown}};
    if (solver().has_scalar())
      all.push_back(
          {"scalar", nullptr, Role::derived, [this]() -> AnyField& { return solver().scalar_points(); }});
    return all;
  }
  void before_gather(const std::string& name) override {
    if (name == "velocity") solver().velocity();
    if (name == "vorticity") solver().vorticity();
    if (name == "scalar") solver().scalar();
  }
  void before_output() override {
    solver().velocity();
    solver().vorticity();
    if (solver().has_scalar()) solver().scalar();
  }
  void before_checkpoint() override {
    solver().balance();
    if (solver().has_scalar()) solver().scalar_balance();
  }
  /// The grid of the points has no halo, and so knows no periods.
  Bool3 periodic() override { return {true, true, true}; }
  /// Transforms and points take most of the time and declare no bytes.
  void add_terms(nb::dict& terms) override { terms["gb_per_s"] = nb::none(); }
  std::vector<const Choice*> choices() override {
    std::vector<const Choice*> all = SolverFace::choices();
    if (const Choice* transforms = solver().transforms().choice()) all.push_back(transforms);
    return all;
  }
  std::optional<io::UniformPoints> even_points() override { return periodic_points(solver().grid().cells()); }
  io::CheckpointContents contents() override;
};

/// A field of a snapshot of the same box.
void TurbulenceFace::read_points(const std::string& path, const std::string& name, AnyField& to) {
  const io::UniformField stored = io::find_uniform_field(context(), path, name);
  for (int axis = 0; axis < 3; ++axis) {
    const double side = stored.at.spacing[std::size_t(axis)] * stored.points[axis];
    if (std::abs(side / (2 * std::numbers::pi) - 1) > 1e-6)
      refuse("the snapshot " + path + " shows a box of side " + std::to_string(side) + " along " +
             "xyz"[axis] + ", not this run's 2 pi");
  }
  if (stored.points == to.grid().cells()) return io::read_snapshot_field(path, name, to.storage(0));
  const Grid grid(context(), {.cells = stored.points, .halo = 0, .split = to.grid().split()});
  AnyField from(grid, name, to.storage(0).type(), to.storage(0).components(), {});
  io::read_snapshot_field(path, name, from.storage(0));
  turbulence::resample(from, to);
}

// The modes that are kept and the clock: the step takes nothing else from the one before. The grid is that of
// the points, because modes are sums over them: other points may keep the same modes.
io::CheckpointContents TurbulenceFace::contents() {
  return {.solver = "turbulence",
          .grid = solver().grid(),
          .fields = {{"modes", &solver().modes().storage(0)}},
          .scalars = {}};
}

void TurbulenceFace::add(nb::dict& to, const turbulence::Measures& m) {
  put(to, "energy", m.energy, "dissipation", m.dissipation, "enstrophy", m.enstrophy);
  put(to, "skewness", m.skewness, "taylor_reynolds", m.taylor_reynolds, "kolmogorov", m.kolmogorov);
  put(to, "kmax_eta", m.resolution, "divergence", m.divergence);
  if (!m.scalar) return;
  put(to, "scalar_variance", m.scalar->variance, "scalar_dissipation", m.scalar->dissipation);
  put(to, "scalar_production", m.scalar->production, "scalar_time_ratio", m.scalar->time_ratio);
  put(to, "scalar_kmax_eta", m.scalar->resolution);
}

}  // namespace

void bind_turbulence(nb::module_& module) {
  bind_solver<TurbulenceFace>(module, "Turbulence",
                              "Flow in a periodic box on all ranks of a context; collective. Starts at rest.",
                              &turbulence_options, "energy, skewness and scales, which take transforms")
      .def(
          "start_taylor_green", [](TurbulenceFace& f) { f.solver().start_taylor_green(); }, Unlocked())
      .def(
          "start_random",
          [](TurbulenceFace& f, std::vector<double> spectrum, std::uint64_t seed) {
            unlocked([&] { f.solver().start_random({std::move(spectrum), seed}); });
          },
          "spectrum"_a, "seed"_a, "E(k) of the shells 0, 1, 2, …; the same field for any number of ranks.")
      .def(
          "start_scalar",
          [](TurbulenceFace& f, std::vector<double> spectrum, std::uint64_t seed) {
            unlocked([&] { f.solver().start_scalar({std::move(spectrum), seed}); });
          },
          "spectrum"_a, "seed"_a,
          "The scalar alone: random, with the given variance of the shells 0, 1, 2, …; without any zero.")
      .def("start_from_snapshot", &TurbulenceFace::start_from_snapshot, "path"_a, "scalar"_a, Unlocked())
      .def("start_from_checkpoint", &TurbulenceFace::start_from_checkpoint, "path"_a, Unlocked())
      .def(
          "spectrum", [](TurbulenceFace& f) { return unlocked([&] { return f.solver().spectrum(); }); },
          "E(k) of the shells 0, 1, 2, …")
      .def_prop_ro("has_scalar", [](TurbulenceFace& f) { return f.solver().has_scalar(); })
      .def(
          "scalar_spectrum",
          [](TurbulenceFace& f) { return unlocked([&] { return f.solver().scalar_spectrum(); }); },
          "The variance of the scalar in the shells 0, 1, 2, …")
      .def(
          "velocity",
          [](nb::pointer_and_handle<TurbulenceFace> self) {
            unlocked([&] { self.p->solver().velocity(); });
            return view(self.h, self.p->viewed("velocity"));
          },
          "This rank's points as of the last step, (3, nz, ny, nx); not a copy. Collective.");
}

}  // namespace sc::python
