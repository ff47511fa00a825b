// SPDX-License-Identifier: Apache-2.0
// The options of a compressible flow: from the dict that the Python case makes of a case file, once, to the
// typed struct.
#include "python/bindings/options.hpp"
#include "python/bindings/reading.hpp"

namespace nb = nanobind;

namespace sc::python {

namespace {

compressible::FlowOptions flow_from(const nb::dict& options) {
  using compressible::Initial;
  return {.initial = choice<Initial>(options, "initial",
                                     {{"uniform", Initial::uniform},
                                      {"taylor_green", Initial::taylor_green},
                                      {"random", Initial::random},
                                      {"vortex", Initial::vortex},
                                      {"acoustic", Initial::acoustic},
                                      {"entropy", Initial::entropy},
                                      {"vorticity", Initial::vorticity}}),
          .mach = get<double>(options, "mach"),
          .amplitude = get<double>(options, "amplitude"),
          .peak = get<double>(options, "peak"),
          .dilatational = get<double>(options, "dilatational"),
          .seed = get<std::int64_t>(options, "seed")};
}

compressible::GasOptions gas_from(const nb::dict& options) {
  using compressible::ViscosityLaw;
  return {.gamma = get<double>(options, "gamma"),
          .prandtl = get<double>(options, "prandtl"),
          .viscosity = get<double>(options, "viscosity"),
          .law = choice<ViscosityLaw>(
              options, "law", {{"power", ViscosityLaw::power}, {"sutherland", ViscosityLaw::sutherland}}),
          .exponent = get<double>(options, "exponent"),
          .sutherland = get<double>(options, "sutherland")};
}

}  // namespace

compressible::CompressibleOptions compressible_options(const nb::dict& options) {
  compressible::CompressibleOptions o;
  o.cells = int3(options, "points");
  o.flow = flow_from(get<nb::dict>(options, "flow"));
  o.gas = gas_from(get<nb::dict>(options, "gas"));
  const auto forcing = get<nb::dict>(options, "forcing");
  o.forcing = {.power = get<double>(forcing, "power"),
               .dilatational = get<double>(forcing, "dilatational"),
               .kmax = get<double>(forcing, "kmax"),
               .cooling = get<bool>(forcing, "cooling")};
  o.single = choice<bool>(options, "precision", {{"double", false}, {"single", true}});
  o.filter = get<double>(options, "filter");
  o.courant = get<double>(options, "courant");
  o.dt = get<double>(options, "dt");
  o.end = get<double>(options, "end");
  o.storage = storage_from(get<nb::dict>(options, "storage"));
  const auto engine = get<nb::dict>(options, "engine");
  o.split = int3(engine, "split");
  o.engine = runner_from(engine);
  return o;
}

}  // namespace sc::python
