// SPDX-License-Identifier: Apache-2.0
// The options of turbulence: from the dict that the Python case makes of a case file, once, to the typed
// struct.
#include "python/bindings/options.hpp"
#include "python/bindings/reading.hpp"

namespace nb = nanobind;

namespace sc::python {

turbulence::TurbulenceOptions turbulence_options(const nb::dict& options) {
  using turbulence::ForcingKind;
  turbulence::TurbulenceOptions o;
  o.points = int3(options, "points");
  o.viscosity = get<double>(options, "viscosity");
  o.dt = get<double>(options, "dt");
  o.library = spectral::library_of(get<std::string>(options, "transforms"));
  const auto forcing = get<nb::dict>(options, "forcing");
  o.forcing.kind = choice<ForcingKind>(forcing, "kind",
                                       {{"none", ForcingKind::none},
                                        {"negative_viscosity", ForcingKind::negative_viscosity},
                                        {"constant_power", ForcingKind::constant_power}});
  o.forcing.largest = get<double>(forcing, "kmax");
  o.forcing.power = get<double>(forcing, "power");
  const auto engine = get<nb::dict>(options, "engine");
  const Int3 split = int3(engine, "split");  // of the points: lines along x stay whole
  o.process_grid = {split.y, split.z};
  o.engine = runner_from(engine);
  return o;
}

}  // namespace sc::python
