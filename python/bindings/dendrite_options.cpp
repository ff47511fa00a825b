// SPDX-License-Identifier: Apache-2.0
// The options of a dendrite: from the dict that the Python case makes of a case file, once, to the typed
// struct.
#include "python/bindings/options.hpp"
#include "python/bindings/reading.hpp"

namespace nb = nanobind;

namespace sc::python {

namespace {

dendrite::Material material_from(const nb::dict& options) {
  dendrite::Material m;
  read(options, "surface_energy", m.surface_energy, "kinetic", m.kinetic, "melting", m.melting);
  read(options, "latent_heat", m.latent_heat, "heat_capacity", m.heat_capacity);
  read(options, "diffusivity", m.diffusivity, "anisotropy", m.anisotropy);
  read(options, "interface_width", m.interface_width, "lambda", m.lambda, "noise", m.noise);
  return m;
}

dendrite::KarmaRappel karma_rappel_from(const nb::dict& options) {
  dendrite::KarmaRappel m;
  read(options, "interface_width", m.interface_width, "relaxation_time", m.relaxation_time);
  read(options, "anisotropy", m.anisotropy, "diffusivity", m.diffusivity, "coupling", m.coupling);
  return m;
}

std::vector<dendrite::Seed> seeds_from(const nb::dict& options) {
  std::vector<dendrite::Seed> seeds;
  for (const nb::handle entry : get<nb::list>(options, "seeds")) {
    dendrite::Seed& s = seeds.emplace_back();
    read(nb::cast<nb::dict>(entry), "centre", s.centre, "radius", s.radius, "axis", s.axis, "angle", s.angle);
  }
  return seeds;
}

}  // namespace

dendrite::DendriteOptions dendrite_options(const nb::dict& options) {
  using dendrite::Divergence;
  using dendrite::FaceKind;
  dendrite::DendriteOptions o;
  read(options, "cells", o.cells, "spacing", o.spacing);
  if (options.contains("karma_rappel"))
    o.karma_rappel = karma_rappel_from(get<nb::dict>(options, "karma_rappel"));
  else
    o.material = material_from(get<nb::dict>(options, "material"));
  read(options, "temperature", o.temperature);
  o.divergence = choice<Divergence>(options, "divergence",
                                    {{"second", Divergence::second}, {"fourth", Divergence::fourth}});
  o.seeds = seeds_from(options);
  o.faces = faces_from<FaceKind>(options, {{"periodic", FaceKind::periodic},
                                           {"insulated", FaceKind::insulated},
                                           {"symmetry", FaceKind::symmetry}});
  o.noise_seed = static_cast<std::uint64_t>(get<std::int64_t>(options, "noise_seed"));
  read_common(options, o);
  return o;
}

}  // namespace sc::python
