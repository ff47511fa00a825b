// SPDX-License-Identifier: Apache-2.0
// _core.Dendrite: what its files hold, its results as dicts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include "python/bindings/bind_solver.hpp"
#include "python/bindings/options.hpp"
#include "solvers/dendrite/karma_rappel.hpp"
#include "solvers/dendrite/solver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

using dendrite::Dendrite;

class DendriteFace : public SolverFace<Dendrite> {
 public:
  using SolverFace::SolverFace;

  static void add(nb::dict& to, const dendrite::Measures& measures);

 private:
  std::vector<NamedField> fields() override {
    return {{"phase", &solver().phase()}, {"temperature_above_melting", &solver().heat()}};
  }
  /// A checkpoint of a lost state would be of no use.
  void before_checkpoint() override { solver().check_finite(); }
  std::optional<io::UniformPoints> even_points() override {
    // um, if there is a unit: ParaView does not like points that lie 1e-8 apart.
    return cell_centres((solver().options().karma_rappel ? 1 : 1e6) * solver().options().spacing);
  }
  io::CheckpointContents contents() override;
};

/// Along the first crystal's own axes, in the order of Dendrite::arms().
constexpr std::array arm_names = {"arm_x+", "arm_x-", "arm_y+", "arm_y-", "arm_z+", "arm_z-"};
constexpr std::array arm_velocity_names = {"tip_velocity_x+", "tip_velocity_x-", "tip_velocity_y+",
                                           "tip_velocity_y-", "tip_velocity_z+", "tip_velocity_z-"};

// The noise is a function of the step, and the crystals' orientations follow from the options.
io::CheckpointContents DendriteFace::contents() {
  Dendrite::Clock& clock = solver().clock();
  io::CheckpointContents contents{.solver = "dendrite",
                                  .grid = solver().grid(),
                                  .fields = state(),
                                  .scalars = {{"tip", &clock.tip}, {"tip_time", &clock.tip_time}}};
  for (std::size_t arm = 0; arm < arm_names.size(); ++arm)
    contents.scalars.push_back({arm_names[arm], &clock.arms[arm]});
  return contents;
}

void DendriteFace::add(nb::dict& to, const dendrite::Measures& measures) {
  put(to, "solid", measures.solid, "phi_low", measures.phi_low, "phi_high", measures.phi_high);
  put(to, "T_low", measures.T_low, "T_high", measures.T_high, "total", measures.total);
  if (measures.free_energy) to["free_energy"] = *measures.free_energy;
  put(to, "tip", measures.tip, "tip_velocity", measures.tip_velocity);
  for (std::size_t arm = 0; arm < arm_names.size(); ++arm) {
    to[arm_names[arm]] = measures.arms[arm];
    to[arm_velocity_names[arm]] = measures.arm_velocities[arm];
  }
}

/// The kernels' flux at one gradient of phi, as each of the three faces computes it; `orientation` is a unit
/// quaternion.
std::array<double, 3> flux_of(const std::array<double, 3>& gradient, double gamma,
                              const std::array<double, 4>& orientation) {
  const dendrite::Anisotropy<double> k(gamma);
  const auto R = dendrite::rotation_of(orientation[0], orientation[1], orientation[2], orientation[3]);
  const bool rotated = orientation[1] != 0 || orientation[2] != 0 || orientation[3] != 0;
  std::array<double, 3> flux{};
  const auto on = [&]<int n>() {
    constexpr std::size_t a = (n + 1) % 3, b = (n + 2) % 3;
    const dendrite::FaceGradient<double> g{gradient[n], gradient[a], gradient[b]};
    const double inverse = 1 / dendrite::square(g);
    flux[n] = rotated ? dendrite::rotated_flux<n>(g, k, R, inverse) : dendrite::flux(g, k, inverse);
  };
  on.operator()<0>();
  on.operator()<1>();
  on.operator()<2>();
  return flux;
}

/// The kernels' a = A at one gradient of phi along the axes of the crystal.
double anisotropy_of(const std::array<double, 3>& gradient, double gamma) {
  const dendrite::FaceGradient<double> g{gradient[0], gradient[1], gradient[2]};
  return dendrite::anisotropy(g, dendrite::Anisotropy<double>(gamma));
}

}  // namespace

void bind_dendrite(nb::module_& module) {
  module.def("dendrite_flux", &flux_of, "gradient"_a, "gamma"_a,
             "orientation"_a = std::array<double, 4>{1, 0, 0, 0},
             "The flux d/d(grad phi) of A^2 |grad phi|^2 / 2 that the dendrite's kernels compute.");
  module.def("dendrite_anisotropy", &anisotropy_of, "gradient"_a, "gamma"_a,
             "The anisotropy A that the dendrite's kernels compute.");
  bind_solver<DendriteFace>(module, "Dendrite",
                            "The phase-field solver on all ranks of a context; collective.",
                            &dendrite_options, "sums, extremes and the tip, which take sweeps")
      .def(
          "arms", [](DendriteFace& f) { return unlocked([&] { return f.solver().arms(); }); },
          "Where phi = 1/2 is met last along the six half-axes of the first crystal, in m from its centre.");
}

}  // namespace sc::python
