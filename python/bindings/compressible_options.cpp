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
  compressible::FlowOptions flow;
  flow.initial = choice<Initial>(options, "initial",
                                 {{"uniform", Initial::uniform},
                                  {"taylor_green", Initial::taylor_green},
                                  {"random", Initial::random},
                                  {"vortex", Initial::vortex},
                                  {"acoustic", Initial::acoustic},
                                  {"entropy", Initial::entropy},
                                  {"vorticity", Initial::vorticity}});
  read(options, "mach", flow.mach, "amplitude", flow.amplitude, "peak", flow.peak);
  read(options, "dilatational", flow.dilatational, "seed", flow.seed);
  return flow;
}

compressible::GasOptions gas_from(const nb::dict& options) {
  using compressible::ViscosityLaw;
  compressible::GasOptions gas;
  read(options, "gamma", gas.gamma, "prandtl", gas.prandtl, "viscosity", gas.viscosity);
  gas.law = choice<ViscosityLaw>(options, "law",
                                 {{"power", ViscosityLaw::power}, {"sutherland", ViscosityLaw::sutherland}});
  read(options, "exponent", gas.exponent, "sutherland", gas.sutherland);
  return gas;
}

}  // namespace

compressible::CompressibleOptions compressible_options(const nb::dict& options) {
  compressible::CompressibleOptions o;
  read(options, "points", o.cells, "filter", o.filter);
  o.flow = flow_from(get<nb::dict>(options, "flow"));
  o.gas = gas_from(get<nb::dict>(options, "gas"));
  const auto forcing = get<nb::dict>(options, "forcing");
  read(forcing, "power", o.forcing.power, "dilatational", o.forcing.dilatational);
  read(forcing, "kmax", o.forcing.kmax, "cooling", o.forcing.cooling);
  read_common(options, o);
  return o;
}

}  // namespace sc::python
