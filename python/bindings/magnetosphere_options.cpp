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
  p.inner = get<double>(options, "inner");
  p.outer = get<double>(options, "outer");
  p.strength = get<double>(options, "strength");
  p.tilt = get<double>(options, "tilt");
  p.gravity = get<double>(options, "gravity");
  p.pressure = get<double>(options, "pressure");
  p.rotation = get<double>(options, "rotation");
  p.mirror = get<double>(options, "mirror");
  return p;
}

magnetosphere::PointState wind_from(const nb::dict& options) {
  return {.rho = get<double>(options, "density"),
          .v = get<std::array<double, 3>>(options, "velocity"),
          .p = get<double>(options, "pressure"),
          .B = get<std::array<double, 3>>(options, "field")};
}

/// Columns with a value for each row.
magnetosphere::WindTable winds_from(const nb::dict& options) {
  magnetosphere::WindTable table{.name = get<std::string>(options, "name"),
                                 .times = get<std::vector<double>>(options, "time"),
                                 .states = {}};
  const auto density = get<std::vector<double>>(options, "density");
  const auto velocity = get<std::vector<std::array<double, 3>>>(options, "velocity");
  const auto pressure = get<std::vector<double>>(options, "pressure");
  const auto field = get<std::vector<std::array<double, 3>>>(options, "field");
  for (std::size_t n = 0; n < table.times.size(); ++n)
    table.states.push_back(
        {.rho = density.at(n), .v = velocity.at(n), .p = pressure.at(n), .B = field.at(n)});
  return table;
}

magnetosphere::DiffusionOptions diffusion_from(const nb::dict& options) {
  return {.density = get<double>(options, "density"),
          .pressure = get<double>(options, "pressure"),
          .viscosity = get<double>(options, "viscosity"),
          .resistivity = get<double>(options, "resistivity"),
          .smoothing = get<double>(options, "smoothing"),
          .heating = get<bool>(options, "heating")};
}

}  // namespace

magnetosphere::MagnetosphereOptions magnetosphere_options(const nb::dict& options) {
  using magnetosphere::FaceKind;
  using magnetosphere::Initial;
  using magnetosphere::Wave;
  magnetosphere::MagnetosphereOptions o;
  o.cells = int3(options, "points");
  o.low = get<std::array<double, 3>>(options, "low");
  o.spacing = get<double>(options, "spacing");
  const auto faces = get<nb::dict>(options, "boundaries");
  constexpr std::array names = {"x-", "x+", "y-", "y+", "z-", "z+"};
  for (std::size_t f = 0; f < names.size(); ++f)
    o.faces[f] = choice_of<FaceKind>(get<std::string>(faces, names[f]), names[f],
                                     {{"periodic", FaceKind::periodic},
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
  o.gamma = get<double>(options, "gamma");
  if (options.contains("planet")) o.planet = planet_from(get<nb::dict>(options, "planet"));
  o.wind = wind_from(get<nb::dict>(options, "wind"));
  if (options.contains("winds")) o.winds = winds_from(get<nb::dict>(options, "winds"));
  o.diffusion = diffusion_from(get<nb::dict>(options, "diffusion"));
  o.density_floor = get<double>(options, "density_floor");
  o.pressure_floor = get<double>(options, "pressure_floor");
  o.cycle = get<int>(options, "cycle");
  o.courant = get<double>(options, "courant");
  o.dt = get<double>(options, "dt");
  o.end = get<double>(options, "end");
  o.wave = choice<Wave>(
      options, "wave",
      {{"fast", Wave::fast}, {"alfven", Wave::alfven}, {"slow", Wave::slow}, {"entropy", Wave::entropy}});
  o.amplitude = get<double>(options, "amplitude");
  const auto engine = get<nb::dict>(options, "engine");
  o.split = int3(engine, "split");
  o.engine = runner_from(engine);
  return o;
}

}  // namespace sc::python
