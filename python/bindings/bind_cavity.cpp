// SPDX-License-Identifier: Apache-2.0
// _core.Cavity: the solver's face, its fields as NumPy arrays, its results as dicts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "engine/move/gather.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/faces.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

nb::object gather(CavityFace& face, const std::string& name) {
  cavity::Cavity& cavity = face.solver();
  AnyField* field = name == "velocity"      ? &cavity.velocity()
                    : name == "pressure"    ? &cavity.pressure()
                    : name == "coordinates" ? &cavity.coordinates()
                                            : nullptr;
  if (!field) refuse("\"" + name + "\" cannot be gathered; allowed are velocity, pressure, coordinates");
  std::vector<std::byte> bytes = unlocked([&] { return face.gather(*field); });
  if (cavity.grid().context().rank() != 0) return nb::none();
  return nb::cast(owned(std::move(bytes), field->storage(0), face.gathered_extent()));
}

nb::object centreline(CavityFace& face) {
  const cavity::Gathered flow = unlocked([&] { return face.gather_flow(); });
  if (face.solver().grid().context().rank() != 0) return nb::none();
  cavity::Profile vertical = cavity::centreline(flow, 2, 0), horizontal = cavity::centreline(flow, 0, 2);
  nb::dict lines;
  lines["z"] = owned(std::move(vertical.position));
  lines["u"] = owned(std::move(vertical.velocity));
  lines["x"] = owned(std::move(horizontal.position));
  lines["w"] = owned(std::move(horizontal.velocity));
  return lines;
}

nb::dict step(CavityFace& face, bool diagnostics) {
  const Step step = unlocked([&] { return face.step(diagnostics); });
  const cavity::StepReport& report = step.report;
  nb::dict result;
  result["step"] = report.step;
  result["time"] = report.time;
  result["dt"] = report.dt;
  result["courant"] = report.courant;
  result["iterations"] = report.iterations;
  result["residual"] = report.residual;
  result["max_change"] = report.max_change;
  result["source_balance"] = report.source_balance;
  result["capped"] = report.capped;
  if (diagnostics) result["divergence_rms"] = step.divergence_rms;
  return result;
}

nb::dict terms(CavityFace& face) {
  const Account a = unlocked([&] { return face.account(); });
  const double stages = a.pressure + a.velocity;
  nb::dict result = terms_of(a.terms);
  result["R_max"] = a.max_reduction;
  result["R_sum"] = a.sum_reduction;
  result["bytes_moved"] = a.bytes_moved;
  result["gb_per_s"] = a.terms.compute() > 0 ? 1e-9 * a.bytes_declared / a.terms.compute() : 0.0;
  result["pressure_share"] = stages > 0 ? a.pressure / stages : 0.0;
  result["velocity_share"] = stages > 0 ? a.velocity / stages : 0.0;
  return result;
}

}  // namespace

void bind_cavity(nb::module_& module) {
  using Self = nb::pointer_and_handle<CavityFace>;
  nb::class_<CavityFace>(module, "Cavity", "The cavity solver on all ranks of a context; collective.")
      .def(
          "__init__",
          [](CavityFace* self, std::shared_ptr<Ranks> ranks, const nb::dict& options) {
            const cavity::CavityOptions typed = options_from(options);
            unlocked([&] { new (self) CavityFace(std::move(ranks), typed); });
          },
          "context"_a, "options"_a)
      .def("step", &step, "diagnostics"_a = true,
           "One time step, described by a dict; divergence_rms, which takes a sweep, only with diagnostics.")
      .def_prop_ro("time", [](CavityFace& c) { return c.solver().time(); })
      .def_prop_ro("steps", [](CavityFace& c) { return c.solver().steps(); })
      .def_prop_ro("cells",
                   [](CavityFace& c) {
                     return Box{{0, 0, 0}, c.solver().grid().cells()}.cells();
                   })
      .def_prop_ro("split", [](CavityFace& c) { return tuple_of(c.solver().grid().split()); })
      .def_prop_ro("strategy",
                   [](CavityFace& c) { return std::string(strategy_name(c.solver().runner().strategy())); })
      .def("local_box",
           [](CavityFace& c) {
             const Box box = c.solver().grid().global_box();
             return nb::make_tuple(tuple_of(box.lo), tuple_of(box.hi));
           })
      .def("velocity", [](Self self) { return view(self.h, self.p->viewed(self.p->solver().velocity())); })
      .def("pressure", [](Self self) { return view(self.h, self.p->viewed(self.p->solver().pressure())); })
      .def("gather", &gather, "name"_a)
      .def("centreline", &centreline)
      .def("write_snapshot", &CavityFace::write_snapshot, "path"_a, Unlocked())
      .def("write_checkpoint", &CavityFace::write_checkpoint, "path"_a, Unlocked())
      .def("read_checkpoint", &CavityFace::read_checkpoint, "path"_a, Unlocked())
      .def("write_timeline", &CavityFace::write_timeline, "path"_a, Unlocked())
      .def("timeline_summary",
           [](CavityFace& c) { return timeline_summary(c.ledger(), c.solver().grid().context().timeline()); })
      .def("terms", &terms);
}

}  // namespace sc::python
