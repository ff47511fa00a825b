// SPDX-License-Identifier: Apache-2.0
// The options of a magnetosphere: from the dict that the Python case makes of a case file, once, to the typed
// struct.
#include <nanobind/stl/vector.h>

#include "python/bindings/options.hpp"
#include "python/bindings/reading.hpp"

namespace nb = nanobind;

namespace sc::python {

namespace {

magnetosphere::PlanetOptions planet_from(const nb::dict& options) {
  magnetosphere::PlanetOptions p;
  read(options, "inner", p.inner, "outer", p.outer, "strength", p.strength, "tilt", p.tilt);
  read(options, "gravity", p.gravity, "pressure", p.pressure, "rotation", p.rotation, "mirror", p.mirror);
  return p;
}

magnetosphere::PointState wind_from(const nb::dict& options) {
  magnetosphere::PointState q;
  read(options, "density", q.rho, "velocity", q.v, "pressure", q.p, "field", q.B);
  return q;
}

/// Columns with a value for each row.
magnetosphere::WindTable winds_from(const nb::dict& options) {
  magnetosphere::WindTable table;
  std::vector<double> density, pressure;
  std::vector<std::array<double, 3>> velocity, field;
  read(options, "name", table.name, "time", table.times);
  read(options, "density", density, "velocity", velocity, "pressure", pressure, "field", field);
  for (std::size_t n = 0; n < table.times.size(); ++n)
    table.states.push_back(
        {.rho = density.at(n), .v = velocity.at(n), .p = pressure.at(n), .B = field.at(n)});
  return table;
}

magnetosphere::DiffusionOptions diffusion_from(const nb::dict& options) {
  magnetosphere::DiffusionOptions d;
  read(options, "density", d.density, "pressure", d.pressure, "viscosity", d.viscosity);
  read(options, "resistivity", d.resistivity, "smoothing", d.smoothing, "heating", d.heating);
  return d;
}

}  // namespace

magnetosphere::MagnetosphereOptions magnetosphere_options(const nb::dict& options) {
  using magnetosphere::FaceKind;
  using magnetosphere::Initial;
  using magnetosphere::Wave;
  magnetosphere::MagnetosphereOptions o;
  read(options, "points", o.cells, "low", o.low, "spacing", o.spacing, "gamma", o.gamma);
  o.faces = faces_from<FaceKind>(options, {{"periodic", FaceKind::periodic},
                                           {"wind", FaceKind::wind},
                                           {"free", FaceKind::free},
                                           {"oblique", FaceKind::oblique},
                                           {"mirror", FaceKind::mirror},
                                           {"equator", FaceKind::equator}});
  o.initial = choice<Initial>(options, "initial",
                              {{"planet", Initial::planet},
                               {"orszag_tang", Initial::orszag_tang},
                               {"brio_wu", Initial::brio_wu},
                               {"blast", Initial::blast},
                               {"field_loop", Initial::field_loop},
                               {"linear_wave", Initial::linear_wave},
                               {"uniform", Initial::uniform}});
  if (options.contains("planet")) o.planet = planet_from(get<nb::dict>(options, "planet"));
  o.wind = wind_from(get<nb::dict>(options, "wind"));
  if (options.contains("winds")) o.winds = winds_from(get<nb::dict>(options, "winds"));
  o.diffusion = diffusion_from(get<nb::dict>(options, "diffusion"));
  read(options, "density_floor", o.density_floor, "pressure_floor", o.pressure_floor, "cycle", o.cycle);
  read(options, "amplitude", o.amplitude);
  o.wave = choice<Wave>(
      options, "wave",
      {{"fast", Wave::fast}, {"alfven", Wave::alfven}, {"slow", Wave::slow}, {"entropy", Wave::entropy}});
  read_common(options, o);
  return o;
}

}  // namespace sc::python
