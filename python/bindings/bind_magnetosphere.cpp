// SPDX-License-Identifier: Apache-2.0
// _core.Magnetosphere: what its files hold, its results as dicts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "python/bindings/bind_solver.hpp"
#include "python/bindings/options.hpp"
#include "python/bindings/reading.hpp"
#include "solvers/magnetosphere/solver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

using magnetosphere::Magnetosphere;

class MagnetosphereFace : public SolverFace<Magnetosphere> {
 public:
  using SolverFace::SolverFace;

  static void add(nb::dict& to, const magnetosphere::Measures& measures);
  static void add(nb::dict& to, const magnetosphere::StepReport& report) {
    put(to, "courant", report.courant, "place", report.place, "floors", report.floors, "all_floors",
        report.all_floors);
  }

 private:
  std::vector<NamedField> fields() override {
    std::vector<NamedField> all = named(solver().nodes());
    all.push_back({"coordinates", &solver().coordinates(), NamedField::Role::unshown});
    return all;
  }
  static std::vector<NamedField> named(magnetosphere::Plasma& q) {
    return {{"density", &q.rho}, {"velocity", &q.v}, {"pressure", &q.p}, {"magnetic", &q.B}};
  }
  io::Snapshot snapshot() override;
  std::optional<io::UniformPoints> even_points() override {
    const magnetosphere::MagnetosphereOptions& o = solver().options();
    return io::UniformPoints{o.low, {o.spacing, o.spacing, o.spacing}};
  }
  io::CheckpointContents contents() override;
  void add_terms(nb::dict& terms) override {
    nb::dict runs, samples;
    for (const auto& [stage, counts] : solver().runner().counts()) {
      runs[stage.c_str()] = counts.runs;
      samples[stage.c_str()] = counts.samples;
    }
    terms["runs"] = runs;
    terms["sampled_runs"] = samples;
  }
};

io::Snapshot MagnetosphereFace::snapshot() {
  io::Snapshot shown = SolverFace::snapshot();
  shown.uniform.reset();
  shown.coordinates = &solver().coordinates().storage(0);
  return shown;
}

// Both sets of points and the place in the cycle: the next step takes nothing else from the one before.
io::CheckpointContents MagnetosphereFace::contents() {
  Magnetosphere::Clock& clock = solver().clock();
  io::CheckpointContents contents{
      .solver = "magnetosphere",
      .grid = solver().grid(),
      .fields = state(),
      .scalars = {
          {"dt", &clock.dt}, {"signal", &clock.signal}, {"place", &clock.place}, {"floors", &clock.floors}}};
  for (const NamedField& one : named(solver().centres()))
    contents.fields.push_back({std::string("centres_") + one.name, &one.field->storage(0)});
  return contents;
}

void MagnetosphereFace::add(nb::dict& to, const magnetosphere::Measures& m) {
  put(to, "mass", m.mass, "energy", m.energy, "magnetic_energy", m.magnetic_energy);
  put(to, "momentum_x", m.momentum[0], "momentum_y", m.momentum[1], "momentum_z", m.momentum[2]);
  put(to, "flux_x", m.flux[0], "flux_y", m.flux[1], "flux_z", m.flux[2], "divergence", m.divergence);
}

/// On rank 0 the nodes on the line through the origin along x, as columns; None elsewhere.
nb::object axis(MagnetosphereFace& face) {
  const std::vector<magnetosphere::AxisPoint> points = unlocked([&] { return face.solver().axis(); });
  if (!face.first_rank()) return nb::none();
  nb::dict columns;
  const auto column = [&](const char* name, auto value) {
    std::vector<double> values;
    for (const magnetosphere::AxisPoint& p : points) values.push_back(value(p));
    columns[name] = owned(std::move(values));
  };
  column("x", [](const auto& p) { return p.x; });
  column("density", [](const auto& p) { return p.state.rho; });
  column("pressure", [](const auto& p) { return p.state.p; });
  column("vx", [](const auto& p) { return p.state.v[0]; });
  column("vy", [](const auto& p) { return p.state.v[1]; });
  column("vz", [](const auto& p) { return p.state.v[2]; });
  column("Bx", [](const auto& p) { return p.state.B[0]; });
  column("By", [](const auto& p) { return p.state.B[1]; });
  column("Bz", [](const auto& p) { return p.state.B[2]; });
  column("current", [](const auto& p) { return p.current; });
  return columns;
}

}  // namespace

void bind_magnetosphere(nb::module_& module) {
  bind_solver<MagnetosphereFace>(module, "Magnetosphere",
                                 "The MHD solver on all ranks of a context; collective.",
                                 &magnetosphere_options, "sums and div B, which take sweeps")
      .def("axis", &axis, "The nodes on the sun-planet line as columns, on rank 0.")
      .def("wave_error",
           [](MagnetosphereFace& f) { return unlocked([&] { return f.solver().wave_error(); }); })
      .def_prop_ro(
          "dt",
          [](MagnetosphereFace& f) {
            return unlocked([&] { return f.in_ledger([&] { return f.solver().next_dt(); }); });
          },
          "Of the next step; collective.")
      .def_prop_ro("steps_of_dt", [](MagnetosphereFace& f) { return f.solver().steps_of_dt(); })
      .def_prop_ro("floors", [](MagnetosphereFace& f) { return f.solver().clock().floors; });
}

}  // namespace sc::python
