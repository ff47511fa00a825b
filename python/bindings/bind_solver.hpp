// SPDX-License-Identifier: Apache-2.0
// bind_solver: a solver's class in Python: what every solver offers, and steps and measures as dicts.
#pragma once

#include <string>
#include <utility>

#include "python/bindings/solver_face.hpp"

namespace sc::python {

/// One time step, or as many as are given, described by a dict: the report, what Face::add says of it beside
/// step, time and dt, and with diagnostics the measures.
template <class Face, class... Count>
nanobind::dict step_as_dict(Face& face, bool diagnostics, Count... count) {
  const auto [report, measures] = unlocked([&] {
    const auto done = face.step(count...);
    using Measures = decltype(face.measure());
    return std::pair(done, diagnostics ? face.measure() : Measures{});
  });
  nanobind::dict result;
  result["step"] = report.step;
  result["time"] = report.time;
  result["dt"] = report.dt;
  if constexpr (requires { Face::add(result, report); }) Face::add(result, report);
  if (diagnostics) Face::add(result, measures);
  return result;
}
/// What is measured of the present state, without a step.
template <class Face>
nanobind::dict measures_as_dict(Face& face) {
  nanobind::dict result;
  Face::add(result, unlocked([&] { return face.measure(); }));
  return result;
}

/// A class of the module with what every solver offers; `read` makes the solver's options out of a dict,
/// `measured` says what takes sweeps after a step. Faces need names of their own: nanobind knows types by
/// name.
template <class Face, class Options>
nanobind::class_<Face> bind_solver(nanobind::module_& module, const char* name, const char* text,
                                   Options (*read)(const nanobind::dict&), const std::string& measured) {
  namespace nb = nanobind;
  using Self = nb::pointer_and_handle<Face>;
  nb::class_<Face> bound(module, name, text);
  bound
      .def(
          "__init__",
          [read](Face* self, std::shared_ptr<Ranks> ranks, const nb::dict& options) {
            const Options typed = read(options);
            unlocked([&] { new (self) Face(std::move(ranks), typed); });
          },
          nb::arg("context"), nb::arg("options"))
      .def_prop_ro("rank", [](Face& f) { return f.context().rank(); })
      .def_prop_ro("time", [](Face& f) { return f.solver().clock().time; })
      .def_prop_ro("steps", [](Face& f) { return f.solver().clock().steps; })
      .def_prop_ro("cells",
                   [](Face& f) {
                     return Box{{0, 0, 0}, f.solver().grid().cells()}.cells();
                   })
      .def_prop_ro("split", [](Face& f) { return tuple_of(f.solver().grid().split()); })
      .def_prop_ro("strategy", [](Face& f) { return std::string(f.solver().runner().strategy().name); })
      .def("local_box",
           [](Face& f) {
             const Box box = f.solver().grid().global_box();
             return nb::make_tuple(tuple_of(box.lo), tuple_of(box.hi));
           })
      .def(
          "field", [](Self self, const std::string& n) { return view(self.h, self.p->viewed(n)); },
          nb::arg("name"), "This rank's own cells of a field where the solver keeps them; not a copy.")
      .def("gather", &Face::gathered, nb::arg("name"), "All cells of a field on rank 0, None elsewhere.")
      .def("write_snapshot", &Face::write_snapshot, nb::arg("path"), nb::arg("units"), Unlocked())
      .def("place_probes", &Face::place_probes, nb::arg("positions"), Unlocked(),
           "Where probes() reads; the names of the numbers that it finds at each position.")
      .def("probes", &Face::probes,
           "What snapshots show, interpolated at each of the positions, on rank 0; None elsewhere.")
      .def("write_checkpoint", &Face::write_checkpoint, nb::arg("path"), Unlocked())
      .def("read_checkpoint", &Face::read_checkpoint, nb::arg("path"), Unlocked())
      .def("write_timeline", &Face::write_timeline, nb::arg("path"), Unlocked())
      .def("timeline_summary", [](Face& f) { return timeline_summary(f.ledger(), f.context().timeline()); })
      .def("terms", &Face::terms)
      .def("pass_cost", &Face::pass_cost,
           "Bytes of memory read and written, bytes and messages sent a step on this rank in passes, each "
           "beside those of single steps; cells computed beyond the block. None for single steps.")
      .def("restart_terms", &Face::restart_terms,
           "What terms() tells counts from here on; M and C_core_ordered stay estimates of all runs.")
      .def("measure", &measures_as_dict<Face>, "What `step` measures, of the present state; collective.");
  const std::string last = " described by a dict; " + measured + ", only with diagnostics.";
  if constexpr (requires(Face & f) { f.solver().steps(1); })
    bound.def("step", &step_as_dict<Face, int>, nb::arg("diagnostics") = true, nb::arg("count") = 1,
              ("`count` time steps, the last" + last).c_str());
  else
    bound.def("step", &step_as_dict<Face>, nb::arg("diagnostics") = true, ("One time step," + last).c_str());
  if constexpr (requires(Face & f) { f.solver().dt(); })
    bound.def_prop_ro("dt", [](Face& f) { return f.solver().dt(); });
  if constexpr (requires(Face & f) { f.solver().budget(); }) bound.def_prop_ro("plan", &Face::plan);
  return bound;
}

}  // namespace sc::python
