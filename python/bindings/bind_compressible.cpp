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

class CompressibleFace : public SolverFace<Compressible> {
 public:
  using SolverFace::SolverFace;

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
  return {.solver = "compressible",
          .grid = solver().grid(),
          .fields = {{"conserved", &solver().conserved().storage(0)}},
          .scalars = {}};
}

void CompressibleFace::add(nb::dict& to, const Measures& m) {
  put(to, "mass", m.mass);
  put(to, "momentum_x", m.momentum[0], "momentum_y", m.momentum[1], "momentum_z", m.momentum[2]);
  put(to, "total_energy", m.energy, "energy", m.kinetic);
  put(to, "solenoidal", m.solenoidal, "dilatational", m.dilatational);
  put(to, "dissipation", m.solenoidal + m.dilatational, "pressure_work", m.pressure_work);
  put(to, "friction", m.friction, "filtered", m.filtered, "enstrophy", m.enstrophy, "mach", m.mach);
  put(to, "dilatation", m.dilatation, "dilatation_skewness", m.dilatation_skewness);
  put(to, "largest_dilatation", m.largest_dilatation, "skewness", m.skewness);
  put(to, "taylor_reynolds", m.taylor_reynolds, "kolmogorov", m.kolmogorov, "kmax_eta", m.resolution);
  put(to, "density_low", m.density_low, "density_high", m.density_high);
  put(to, "pressure_low", m.pressure_low, "pressure_high", m.pressure_high);
}

nb::dict spectrum(CompressibleFace& face) {
  const compressible::Spectrum found = unlocked([&] { return face.solver().spectrum(); });
  nb::dict result;
  put(result, "solenoidal", found.solenoidal, "dilatational", found.dilatational);
  return result;
}

}  // namespace

void bind_compressible(nb::module_& module) {
  bind_solver<CompressibleFace>(module, "Compressible",
                                "An ideal gas in a periodic box on all ranks of a context; collective.",
                                &compressible_options, "sums and extremes, which take sweeps")
      .def("spectrum", &spectrum,
           "E(k) of the shells 0, 1, 2, … as two lists: of the solenoidal and of the dilatational velocity.")
      .def(
          "error", [](CompressibleFace& f) { return unlocked([&] { return f.solver().error(); }); },
          "Means of the differences to the exact wave or vortex, in amplitudes.");
}

}  // namespace sc::python
