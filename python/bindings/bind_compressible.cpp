// SPDX-License-Identifier: Apache-2.0
// _core.Compressible: what its files hold, its results as dicts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bind_solver.hpp"
#include "python/bindings/options.hpp"
#include "solvers/compressible/solver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

using compressible::Compressible;
using compressible::Measures;
using compressible::Shown;

class CompressibleFace : private Said, public SolverFace<Compressible> {
 public:
  CompressibleFace(std::shared_ptr<Ranks> ranks, const compressible::CompressibleOptions& options)
      : SolverFace(ranks, std::make_shared<Compressible>(ranks->open(), telling(options, said))) {}

  /// Where fields are kept and what that costs, and what is not as it should be, a line each.
  std::string plan() { return said + solver().budget().describe(); }

  static void add(nb::dict& to, const Measures& measures);
  static void add(nb::dict& to, const compressible::StepReport& report) { to["courant"] = report.courant; }

 private:
  std::vector<NamedField> fields() override {
    constexpr NamedField::Role derived = NamedField::Role::derived;
    const Shown& shown = solver().shown();
    return {{"density", &shown.density, derived},
            {"velocity", &shown.velocity, derived},
            {"pressure", &shown.pressure, derived},
            {"dilatation", &shown.dilatation, derived},
            {"vorticity", &shown.vorticity, derived}};
  }
  void before_output() override { solver().show(); }
  void restored() override { solver().restored(); }
  std::optional<io::UniformPoints> even_points() override { return periodic_points(solver().grid().cells()); }
  io::CheckpointContents contents() override;
};

// The conserved values and the clock: the step takes nothing else from the one before.
io::CheckpointContents CompressibleFace::contents() {
  Compressible& gas = solver();
  return {.solver = "compressible",
          .grid = gas.grid(),
          .fields = {{"conserved", &gas.conserved().storage(0)}},
          .scalars = {{"time", &gas.clock().time}, {"steps", &gas.clock().steps}}};
}

void CompressibleFace::add(nb::dict& to, const Measures& m) {
  to["mass"] = m.mass;
  to["momentum_x"] = m.momentum[0];
  to["momentum_y"] = m.momentum[1];
  to["momentum_z"] = m.momentum[2];
  to["total_energy"] = m.energy;
  to["energy"] = m.kinetic;
  to["solenoidal"] = m.solenoidal;
  to["dilatational"] = m.dilatational;
  to["dissipation"] = m.solenoidal + m.dilatational;
  to["pressure_work"] = m.pressure_work;
  to["friction"] = m.friction;
  to["filtered"] = m.filtered;
  to["enstrophy"] = m.enstrophy;
  to["mach"] = m.mach;
  to["dilatation"] = m.dilatation;
  to["dilatation_skewness"] = m.dilatation_skewness;
  to["largest_dilatation"] = m.largest_dilatation;
  to["skewness"] = m.skewness;
  to["taylor_reynolds"] = m.taylor_reynolds;
  to["kolmogorov"] = m.kolmogorov;
  to["kmax_eta"] = m.resolution;
  to["density_low"] = m.density_low;
  to["density_high"] = m.density_high;
  to["pressure_low"] = m.pressure_low;
  to["pressure_high"] = m.pressure_high;
}

nb::dict spectrum(CompressibleFace& face) {
  const compressible::Spectrum found = unlocked([&] { return face.solver().spectrum(); });
  nb::dict result;
  result["solenoidal"] = found.solenoidal;
  result["dilatational"] = found.dilatational;
  return result;
}

}  // namespace

void bind_compressible(nb::module_& module) {
  bind_solver<CompressibleFace>(module, "Compressible",
                                "An ideal gas in a periodic box on all ranks of a context; collective.",
                                &compressible_options)
      .def("step", &step_as_dict<CompressibleFace>, "diagnostics"_a = true,
           "One time step, described by a dict; sums and extremes, which take sweeps, only with diagnostics.")
      .def("measure", &measures_as_dict<CompressibleFace>,
           "Sums, extremes and the small scales of the present flow.")
      .def("spectrum", &spectrum,
           "E(k) of the shells 0, 1, 2, … as two lists: of the solenoidal and of the dilatational velocity.")
      .def_prop_ro("plan", &CompressibleFace::plan)
      .def(
          "error", [](CompressibleFace& f) { return unlocked([&] { return f.solver().error(); }); },
          "Means of the differences to the exact wave or vortex, in amplitudes.");
}

}  // namespace sc::python
