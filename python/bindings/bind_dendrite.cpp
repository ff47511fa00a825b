// SPDX-License-Identifier: Apache-2.0
// _core.Dendrite: the solver's face, its fields as NumPy arrays, its results as dicts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "engine/move/gather.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/dendrite_face.hpp"
#include "solvers/dendrite/kernels.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

using Face = DendriteFace;

nb::dict step(Face& face, bool diagnostics) {
  const auto [report, measures] = unlocked([&] {
    const dendrite::StepReport done = face.step();
    return std::pair(done, diagnostics ? face.solver().measure() : dendrite::Measures{});
  });
  nb::dict result;
  result["step"] = report.step;
  result["time"] = report.time;
  result["dt"] = report.dt;
  if (!diagnostics) return result;
  result["solid"] = measures.solid;
  result["phi_low"] = measures.phi_low;
  result["phi_high"] = measures.phi_high;
  result["T_low"] = measures.T_low;
  result["T_high"] = measures.T_high;
  result["total"] = measures.total;
  result["tip"] = measures.tip;
  result["tip_velocity"] = measures.tip_velocity;
  return result;
}

nb::object gather(Face& face, const std::string& name) {
  dendrite::Dendrite& crystal = face.solver();
  AnyField* field = name == "phase"                       ? &crystal.phase()
                    : name == "temperature_above_melting" ? &crystal.heat()
                                                          : nullptr;
  if (!field) refuse("\"" + name + "\" cannot be gathered; allowed are phase, temperature_above_melting");
  std::vector<std::byte> bytes = unlocked([&] { return face.gather(*field); });
  if (crystal.grid().context().rank() != 0) return nb::none();
  return nb::cast(owned(std::move(bytes), field->storage(0), crystal.grid().cells()));
}

nb::dict terms(Face& face) {
  const Face::Account a = unlocked([&] { return face.account(); });
  nb::dict result = terms_of(a.terms);
  result["bytes_moved"] = a.bytes_moved;
  result["gb_per_s"] = a.terms.compute() > 0 ? 1e-9 * a.bytes_declared / a.terms.compute() : 0.0;
  return result;
}

/// The kernels' flux at one gradient of phi, as each of the three faces computes it; `turn` is a unit
/// quaternion.
std::array<double, 3> flux_of(const std::array<double, 3>& gradient, double gamma,
                              const std::array<double, 4>& turn) {
  const dendrite::Anisotropy<double> k(gamma);
  const auto R = dendrite::rotation_of(turn[0], turn[1], turn[2], turn[3]);
  const bool turned = turn[1] != 0 || turn[2] != 0 || turn[3] != 0;
  std::array<double, 3> flux{};
  const auto on = [&]<int n>() {
    constexpr std::size_t a = (n + 1) % 3, b = (n + 2) % 3;
    const dendrite::FaceGradient<double> g{gradient[n], gradient[a], gradient[b]};
    const double inverse = 1 / dendrite::square(g);
    flux[n] = turned ? dendrite::turned_flux<n>(g, k, R, inverse) : dendrite::flux(g, k, inverse);
  };
  on.operator()<0>();
  on.operator()<1>();
  on.operator()<2>();
  return flux;
}

}  // namespace

void bind_dendrite(nb::module_& module) {
  module.def("dendrite_flux", &flux_of, "gradient"_a, "gamma"_a, "turn"_a = std::array<double, 4>{1, 0, 0, 0},
             "The flux d/d(grad phi) of A^2 |grad phi|^2 / 2 that the dendrite's kernels compute.");
  nb::class_<Face>(module, "Dendrite", "The phase-field solver on all ranks of a context; collective.")
      .def(
          "__init__",
          [](Face* self, std::shared_ptr<Ranks> ranks, const nb::dict& options) {
            const dendrite::DendriteOptions typed = dendrite_options(options);
            unlocked([&] { new (self) Face(std::move(ranks), typed); });
          },
          "context"_a, "options"_a)
      .def("step", &step, "diagnostics"_a = true,
           "One time step, described by a dict; sums, extremes and the tip, which take sweeps, only with "
           "diagnostics.")
      .def(
          "arms", [](Face& f) { return unlocked([&] { return f.solver().arms(); }); },
          "Where phi = 1/2 is met last along the six half-axes of the first crystal, in m from its centre.")
      .def_prop_ro("time", [](Face& f) { return f.solver().clock().time; })
      .def_prop_ro("steps", [](Face& f) { return f.solver().clock().steps; })
      .def_prop_ro("dt", [](Face& f) { return f.solver().dt(); })
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
