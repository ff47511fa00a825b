// SPDX-License-Identifier: Apache-2.0
// The options of a dendrite: from the dict that the Python case makes of a case file, once, to the typed
// struct.
#include "python/bindings/options.hpp"
#include "python/bindings/reading.hpp"

namespace nb = nanobind;

namespace sc::python {

namespace {

dendrite::Material material_from(const nb::dict& options) {
  return {.surface_energy = get<double>(options, "surface_energy"),
          .kinetic = get<double>(options, "kinetic"),
          .melting = get<double>(options, "melting"),
          .latent_heat = get<double>(options, "latent_heat"),
          .heat_capacity = get<double>(options, "heat_capacity"),
          .diffusivity = get<double>(options, "diffusivity"),
          .anisotropy = get<double>(options, "anisotropy"),
          .interface_width = get<double>(options, "interface_width"),
          .lambda = get<double>(options, "lambda"),
          .noise = get<double>(options, "noise")};
}

dendrite::KarmaRappel karma_rappel_from(const nb::dict& options) {
  return {.interface_width = get<double>(options, "interface_width"),
          .relaxation_time = get<double>(options, "relaxation_time"),
          .anisotropy = get<double>(options, "anisotropy"),
          .diffusivity = get<double>(options, "diffusivity"),
          .coupling = get<double>(options, "coupling")};
}

std::vector<dendrite::Seed> seeds_from(const nb::dict& options) {
  std::vector<dendrite::Seed> seeds;
  for (const nb::handle entry : get<nb::list>(options, "seeds")) {
    const auto seed = nb::cast<nb::dict>(entry);
    seeds.push_back({.centre = get<dendrite::Vec3>(seed, "centre"),
                     .radius = get<double>(seed, "radius"),
                     .axis = get<dendrite::Vec3>(seed, "axis"),
                     .angle = get<double>(seed, "angle")});
  }
  return seeds;
}

}  // namespace

dendrite::DendriteOptions dendrite_options(const nb::dict& options) {
  using dendrite::FaceKind;
  dendrite::DendriteOptions o;
  o.cells = int3(options, "cells");
  o.spacing = get<double>(options, "spacing");
  if (options.contains("karma_rappel"))
    o.karma_rappel = karma_rappel_from(get<nb::dict>(options, "karma_rappel"));
  else
    o.material = material_from(get<nb::dict>(options, "material"));
  o.temperature = get<double>(options, "temperature");
  o.seeds = seeds_from(options);
  const auto faces = get<nb::dict>(options, "boundaries");
  constexpr std::array names = {"x-", "x+", "y-", "y+", "z-", "z+"};
  for (std::size_t f = 0; f < names.size(); ++f)
    o.faces[f] = choice_of<FaceKind>(get<std::string>(faces, names[f]), names[f],
                                     {{"periodic", FaceKind::periodic},
                                      {"insulated", FaceKind::insulated},
                                      {"symmetry", FaceKind::symmetry}});
  o.noise_seed = static_cast<std::uint64_t>(get<std::int64_t>(options, "noise_seed"));
  o.single = choice<bool>(options, "precision", {{"double", false}, {"single", true}});
  o.safety = get<double>(options, "safety");
  o.dt = get<double>(options, "dt");
  o.storage = storage_from(get<nb::dict>(options, "storage"));
  const auto engine = get<nb::dict>(options, "engine");
  o.split = int3(engine, "split");
  o.engine = runner_from(engine);
  return o;
}

}  // namespace sc::python
