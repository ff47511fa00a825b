// SPDX-License-Identifier: Apache-2.0
// _core.Cavity: the solver's face, its fields as NumPy arrays, its results as dicts.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "engine/move/gather.hpp"
#include "python/bindings/faces.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

using Array = nb::ndarray<nb::numpy>;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

nb::dlpack::dtype dtype_of(ElementType type) {
  return type == ElementType::f32 ? nb::dtype<float>() : nb::dtype<double>();
}

template <class F>
auto unlocked(F&& action) {
  const nb::gil_scoped_release release;
  return action();
}

/// An array that owns its elements.
template <class T>
Array owned(std::vector<T> values, std::initializer_list<std::size_t> shape, nb::dlpack::dtype type) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  void* data = kept->data();
  const nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {data, shape.size(), shape.begin(), owner, nullptr, type};
}
Array owned(std::vector<double> values) {
  const std::size_t count = values.size();
  return owned(std::move(values), {count}, nb::dtype<double>());
}

/// The own cells where the solver keeps them: (components, nz, ny, nx), or (nz, ny, nx) for one component.
Array view(nb::handle owner, const Storage& storage) {
  const Int3 n = storage.grid().own().extent();
  const Layout& layout = storage.grid().layout();
  const std::array<std::size_t, 4> shape = {std::size_t(storage.components()), std::size_t(n.z),
                                            std::size_t(n.y), std::size_t(n.x)};
  const std::array<std::int64_t, 4> strides = {storage.component_stride(), layout.sz, layout.sy, 1};
  const std::size_t first = storage.components() == 1 ? 1 : 0;
  return {storage.base(),          4 - first, shape.data() + first, owner, strides.data() + first,
          dtype_of(storage.type())};
}

nb::object gather(CavityFace& face, const std::string& name) {
  cavity::Cavity& cavity = face.solver();
  AnyField* field = name == "velocity"      ? &cavity.velocity()
                    : name == "pressure"    ? &cavity.pressure()
                    : name == "coordinates" ? &cavity.coordinates()
                                            : nullptr;
  if (!field) refuse("\"" + name + "\" cannot be gathered; allowed are velocity, pressure, coordinates");
  std::vector<std::byte> bytes = unlocked([&] { return face.gather(*field); });
  if (cavity.grid().context().rank() != 0) return nb::none();
  const Int3 n = face.gathered_extent();
  const Storage& storage = field->storage(0);
  const auto x = std::size_t(n.x), y = std::size_t(n.y), z = std::size_t(n.z);
  const nb::dlpack::dtype type = dtype_of(storage.type());
  return nb::cast(storage.components() == 1
                      ? owned(std::move(bytes), {z, y, x}, type)
                      : owned(std::move(bytes), {std::size_t(storage.components()), z, y, x}, type));
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
  nb::dict result;
  result["C_shell"] = a.terms.shell;
  result["C_core"] = a.terms.core;
  result["C_core_ordered"] = a.terms.core_apart;
  result["M"] = a.terms.movement;
  result["W"] = a.terms.wait;
  result["R"] = a.terms.reduce;
  result["R_max"] = a.max_reduction;
  result["R_sum"] = a.sum_reduction;
  result["start"] = a.terms.start;
  result["poke"] = a.terms.poke;
  result["boundary"] = a.terms.boundary;
  result["settle"] = a.terms.settle;
  result["hidden"] = a.terms.hidden();
  result["bytes_moved"] = a.bytes_moved;
  result["gb_per_s"] = a.terms.compute() > 0 ? 1e-9 * a.bytes_declared / a.terms.compute() : 0.0;
  result["pressure_share"] = stages > 0 ? a.pressure / stages : 0.0;
  result["velocity_share"] = stages > 0 ? a.velocity / stages : 0.0;
  return result;
}

/// {stage: {phase: seconds}} of this rank, what took no time left out.
nb::dict timeline_summary(CavityFace& face) {
  nb::dict stages;
  for (const Ledger::Line& line : face.ledger().lines()) {
    nb::dict phases;
    for (int p = 0; p < phase_count; ++p)
      if (const double seconds = line.seconds[static_cast<std::size_t>(p)]; seconds > 0)
        phases[std::string(phase_name(static_cast<Phase>(p))).c_str()] = seconds;
    if (nb::len(phases) > 0) stages[line.name.c_str()] = phases;
  }
  const Timeline& timeline = face.solver().grid().context().timeline();
  nb::dict summary;
  summary["seconds"] = stages;
  summary["spans"] = timeline.spans().size();
  summary["spans_without_room"] = timeline.dropped();
  return summary;
}

nb::tuple tuple_of(Int3 v) { return nb::make_tuple(v.x, v.y, v.z); }

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
      .def("timeline_summary", &timeline_summary)
      .def("terms", &terms);
}

}  // namespace sc::python
