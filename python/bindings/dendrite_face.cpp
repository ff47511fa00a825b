// SPDX-License-Identifier: Apache-2.0
// DendriteFace: files and accounts around the solver, and its options out of a dict.
#include "python/bindings/dendrite_face.hpp"

#include "engine/move/gather.hpp"
#include "io/snapshot.hpp"
#include "io/timeline_file.hpp"
#include "python/bindings/reading.hpp"

namespace nb = nanobind;

namespace sc::python {

using dendrite::Dendrite;
using dendrite::DendriteOptions;
using dendrite::FaceKind;

DendriteFace::DendriteFace(std::shared_ptr<Ranks> ranks, const DendriteOptions& options)
    : ranks_(std::move(ranks)),
      solver_(dendrite::make_dendrite(ranks_->open(), options)),
      ledger_(solver_->runner()) {
  ranks_->add(solver_);
}

Dendrite& DendriteFace::solver() {
  ranks_->open();
  return *solver_;
}

dendrite::StepReport DendriteFace::step() {
  Dendrite& crystal = solver();
  ledger_.open();
  const dendrite::StepReport report = crystal.step();
  ledger_.close();
  return report;
}

std::vector<std::byte> DendriteFace::gather(AnyField& field) {
  ranks_->open();
  return sc::gather(field.storage(0));
}

void DendriteFace::write_snapshot(const std::string& path) {
  Dendrite& crystal = solver();
  const double h = 1e6 * crystal.options().spacing;  // um: ParaView does not like points that lie 1e-8 apart
  io::write_snapshot(path, {.uniform = io::UniformPoints{{h / 2, h / 2, h / 2}, {h, h, h}},
                            .fields = {{"phase", &crystal.phase().storage(0)},
                                       {"temperature_above_melting", &crystal.heat().storage(0)}},
                            .step = crystal.clock().steps,
                            .time = crystal.clock().time});
}

// The noise is a function of the step, and the crystals' turns follow from the options.
io::CheckpointContents DendriteFace::contents() {
  Dendrite& crystal = solver();
  Dendrite::Clock& clock = crystal.clock();
  return {.solver = "dendrite",
          .grid = crystal.grid(),
          .fields = {{"phase", &crystal.phase().storage(0)},
                     {"temperature_above_melting", &crystal.heat().storage(0)}},
          .scalars = {{"time", &clock.time},
                      {"tip", &clock.tip},
                      {"tip_time", &clock.tip_time},
                      {"steps", &clock.steps}}};
}

void DendriteFace::write_checkpoint(const std::string& path) {
  solver().check_finite();
  io::write_checkpoint(path, contents());
}

void DendriteFace::write_timeline(const std::string& path) { io::write_timeline(ranks_->open(), path); }

DendriteFace::Account DendriteFace::account() {
  const Context& context = ranks_->open();
  const Account mine{.terms = ledger_.terms()};
  Account account = of_largest(context, mine.terms.total(), mine);
  account.bytes_moved = static_cast<double>(context.sum(static_cast<std::uint64_t>(mine.terms.bytes_moved)));
  account.bytes_declared =
      static_cast<double>(context.sum(static_cast<std::uint64_t>(mine.terms.bytes_declared)));
  return account;
}

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

DendriteOptions dendrite_options(const nb::dict& options) {
  DendriteOptions o;
  o.cells = int3(options, "cells");
  o.spacing = get<double>(options, "spacing");
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
  const auto engine = get<nb::dict>(options, "engine");
  o.split = int3(engine, "split");
  o.engine = runner_from(engine);
  return o;
}

}  // namespace sc::python
