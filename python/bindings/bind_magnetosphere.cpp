// SPDX-License-Identifier: Apache-2.0
// _core.Magnetosphere: the solver's face, its fields as NumPy arrays, its results as dicts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "engine/move/gather.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/magnetosphere_face.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

using Face = MagnetosphereFace;

void add(nb::dict& to, const magnetosphere::Measures& measures) {
  to["mass"] = measures.mass;
  to["energy"] = measures.energy;
  to["momentum_x"] = measures.momentum[0];
  to["momentum_y"] = measures.momentum[1];
  to["momentum_z"] = measures.momentum[2];
  to["divergence"] = measures.divergence;
}

nb::dict step(Face& face, bool diagnostics) {
  const auto [report, measures] = unlocked([&] {
    const magnetosphere::StepReport done = face.step();
    return std::pair(done, diagnostics ? face.solver().measure() : magnetosphere::Measures{});
  });
  nb::dict result;
  result["step"] = report.step;
  result["time"] = report.time;
  result["dt"] = report.dt;
  result["courant"] = report.courant;
  result["place"] = report.place;
  result["floors"] = report.floors;
  if (diagnostics) add(result, measures);
  return result;
}

nb::dict measure(Face& face) {
  nb::dict result;
  add(result, unlocked([&] { return face.solver().measure(); }));
  return result;
}

/// On rank 0 the nodes on the line through the origin along x, as columns; None elsewhere.
nb::object axis(Face& face) {
  const std::vector<magnetosphere::AxisPoint> points = unlocked([&] { return face.solver().axis(); });
  if (face.solver().grid().context().rank() != 0) return nb::none();
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

nb::object gather(Face& face, const std::string& name) {
  magnetosphere::Magnetosphere& plasma = face.solver();
  AnyField* field = name == "density"       ? static_cast<AnyField*>(&plasma.nodes().rho)
                    : name == "velocity"    ? static_cast<AnyField*>(&plasma.nodes().v)
                    : name == "pressure"    ? static_cast<AnyField*>(&plasma.nodes().p)
                    : name == "magnetic"    ? static_cast<AnyField*>(&plasma.nodes().B)
                    : name == "coordinates" ? &plasma.coordinates()
                                            : nullptr;
  if (!field)
    refuse("\"" + name +
           "\" cannot be gathered; allowed are density, velocity, pressure, magnetic, coordinates");
  std::vector<std::byte> bytes = unlocked([&] { return face.gather(*field); });
  if (plasma.grid().context().rank() != 0) return nb::none();
  return nb::cast(owned(std::move(bytes), field->storage(0), plasma.grid().cells()));
}

nb::dict terms(Face& face) {
  const Face::Account a = unlocked([&] { return face.account(); });
  nb::dict result = terms_of(a.terms);
  nb::dict runs;
  for (const auto& [stage, counts] : face.solver().runner().counts()) runs[stage.c_str()] = counts.runs;
  result["runs"] = runs;
  result["samples"] = Face::samples;
  result["bytes_moved"] = a.bytes_moved;
  result["gb_per_s"] = a.terms.compute() > 0 ? 1e-9 * a.bytes_declared / a.terms.compute() : 0.0;
  return result;
}

}  // namespace

void bind_magnetosphere(nb::module_& module) {
  nb::class_<Face>(module, "Magnetosphere", "The MHD solver on all ranks of a context; collective.")
      .def(
          "__init__",
          [](Face* self, std::shared_ptr<Ranks> ranks, const nb::dict& options) {
            const magnetosphere::MagnetosphereOptions typed = magnetosphere_options(options);
            unlocked([&] { new (self) Face(std::move(ranks), typed); });
          },
          "context"_a, "options"_a)
      .def("step", &step, "diagnostics"_a = true,
           "One time step, described by a dict; sums and div B, which take sweeps, only with diagnostics.")
      .def("measure", &measure, "Sums over the nodes and max |div B|.")
      .def("axis", &axis, "The nodes on the sun-planet line as columns, on rank 0.")
      .def("wave_error", [](Face& f) { return unlocked([&] { return f.solver().wave_error(); }); })
      .def_prop_ro("time", [](Face& f) { return f.solver().clock().time; })
      .def_prop_ro("steps", [](Face& f) { return f.solver().clock().steps; })
      .def_prop_ro("floors", [](Face& f) { return f.solver().clock().floors; })
      .def_prop_ro("cells",
                   [](Face& f) {
                     return Box{{0, 0, 0}, f.solver().grid().cells()}.cells();
                   })
      .def_prop_ro("split", [](Face& f) { return tuple_of(f.solver().grid().split()); })
      .def_prop_ro("strategy",
                   [](Face& f) { return std::string(strategy_name(f.solver().runner().strategy())); })
      .def("gather", &gather, "name"_a)
      .def("write_snapshot", &Face::write_snapshot, "path"_a, Unlocked())
      .def("write_checkpoint", &Face::write_checkpoint, "path"_a, Unlocked())
      .def("read_checkpoint", &Face::read_checkpoint, "path"_a, Unlocked())
      .def("write_timeline", &Face::write_timeline, "path"_a, Unlocked())
      .def("timeline_summary",
           [](Face& f) { return timeline_summary(f.ledger(), f.solver().grid().context().timeline()); })
      .def("terms", &terms);
}

}  // namespace sc::python
