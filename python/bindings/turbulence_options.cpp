// SPDX-License-Identifier: Apache-2.0
// The options of turbulence: from the dict that the Python case makes of a case file, once, to the typed
// struct.
#include "python/bindings/options.hpp"
#include "python/bindings/reading.hpp"

namespace nb = nanobind;

namespace sc::python {

namespace {

turbulence::ForcingOptions forcing_from(const nb::dict& options) {
  using turbulence::ForcingKind;
  return {.kind = choice<ForcingKind>(options, "kind",
                                      {{"none", ForcingKind::none},
                                       {"negative_viscosity", ForcingKind::negative_viscosity},
                                       {"constant_power", ForcingKind::constant_power}}),
          .largest = get<double>(options, "kmax"),
          .power = get<double>(options, "power")};
}

/// An empty dict: no scalar.
std::optional<turbulence::ScalarOptions> scalar_from(const nb::dict& options) {
  if (options.size() == 0) return std::nullopt;
  return turbulence::ScalarOptions{.diffusivity = get<double>(options, "diffusivity"),
                                   .gradient = get<std::array<double, 3>>(options, "gradient")};
}

}  // namespace

turbulence::TurbulenceOptions turbulence_options(const nb::dict& options) {
  using turbulence::Dealiasing;
  using turbulence::Form;
  using turbulence::Scheme;
  turbulence::TurbulenceOptions o;
  o.points = int3(options, "points");
  o.viscosity = get<double>(options, "viscosity");
  o.dt = get<double>(options, "dt");
  o.library = spectral::library_of(get<std::string>(options, "transforms"));
  o.courant = get<double>(options, "courant");
  o.scheme = choice<Scheme>(options, "integrator", {{"rk4", Scheme::rk4}, {"rk3", Scheme::rk3}});
  o.form =
      choice<Form>(options, "form", {{"rotational", Form::rotational}, {"divergence", Form::divergence}});
  o.dealiasing =
      choice<Dealiasing>(options, "dealiasing",
                         {{"two_thirds", Dealiasing::two_thirds}, {"phase_shift", Dealiasing::phase_shift}});
  o.single = choice<bool>(options, "precision", {{"double", false}, {"single", true}});
  o.forcing = forcing_from(get<nb::dict>(options, "forcing"));
  o.scalar = scalar_from(get<nb::dict>(options, "scalar"));
  o.storage = storage_from(get<nb::dict>(options, "storage"));
  const auto engine = get<nb::dict>(options, "engine");
  const Int3 split = int3(engine, "split");  // of the points: lines along x stay whole
  o.process_grid = {split.y, split.z};
  o.engine = runner_from(engine);
  return o;
}

}  // namespace sc::python
