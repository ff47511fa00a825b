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
  turbulence::ForcingOptions forcing;
  forcing.kind = choice<ForcingKind>(options, "kind",
                                     {{"none", ForcingKind::none},
                                      {"negative_viscosity", ForcingKind::negative_viscosity},
                                      {"constant_power", ForcingKind::constant_power}});
  read(options, "kmax", forcing.largest, "power", forcing.power);
  return forcing;
}

/// An empty dict: no scalar.
std::optional<turbulence::ScalarOptions> scalar_from(const nb::dict& options) {
  if (options.size() == 0) return std::nullopt;
  turbulence::ScalarOptions scalar;
  read(options, "diffusivity", scalar.diffusivity, "gradient", scalar.gradient);
  return scalar;
}

}  // namespace

turbulence::TurbulenceOptions turbulence_options(const nb::dict& options) {
  using turbulence::Dealiasing;
  using turbulence::Form;
  using turbulence::Scheme;
  turbulence::TurbulenceOptions o;
  read(options, "points", o.points, "viscosity", o.viscosity);
  o.library = spectral::library_of(get<std::string>(options, "transforms"));
  o.scheme = choice<Scheme>(options, "integrator", {{"rk4", Scheme::rk4}, {"rk3", Scheme::rk3}});
  o.form =
      choice<Form>(options, "form", {{"rotational", Form::rotational}, {"divergence", Form::divergence}});
  o.dealiasing =
      choice<Dealiasing>(options, "dealiasing",
                         {{"two_thirds", Dealiasing::two_thirds}, {"phase_shift", Dealiasing::phase_shift}});
  o.forcing = forcing_from(get<nb::dict>(options, "forcing"));
  o.scalar = scalar_from(get<nb::dict>(options, "scalar"));
  read_common(options, o);
  const Int3 split =
      int3(get<nb::dict>(options, "engine"), "split");  // of the points: lines along x stay whole
  o.process_grid = {split.y, split.z};
  return o;
}

}  // namespace sc::python
