// SPDX-License-Identifier: Apache-2.0
// MagnetosphereFace: files and accounts around the solver, and its options out of a dict.
#include "python/bindings/magnetosphere_face.hpp"

#include "engine/move/gather.hpp"
#include "io/snapshot.hpp"
#include "io/timeline_file.hpp"
#include "python/bindings/reading.hpp"

namespace nb = nanobind;

namespace sc::python {

using magnetosphere::FaceKind;
using magnetosphere::Magnetosphere;
using magnetosphere::MagnetosphereOptions;

namespace {

MagnetosphereOptions sampled(MagnetosphereOptions options) {
  options.engine.samples = MagnetosphereFace::samples;
  return options;
}

}  // namespace

MagnetosphereFace::MagnetosphereFace(std::shared_ptr<Ranks> ranks, const MagnetosphereOptions& options)
    : ranks_(std::move(ranks)),
      solver_(magnetosphere::make_magnetosphere(ranks_->open(), sampled(options))),
      ledger_(solver_->runner()) {
  ranks_->add(solver_);
}

Magnetosphere& MagnetosphereFace::solver() {
  ranks_->open();
  return *solver_;
}

magnetosphere::StepReport MagnetosphereFace::step() {
  Magnetosphere& plasma = solver();
  ledger_.open();
  const magnetosphere::StepReport report = plasma.step();
  ledger_.close();
  return report;
}

std::vector<std::byte> MagnetosphereFace::gather(AnyField& field) {
  ranks_->open();
  return sc::gather(field.storage(0));
}

void MagnetosphereFace::write_snapshot(const std::string& path) {
  Magnetosphere& plasma = solver();
  magnetosphere::Plasma& q = plasma.nodes();
  io::write_snapshot(path, {.coordinates = &plasma.coordinates().storage(0),
                            .fields = {{"density", &q.rho.storage(0)},
                                       {"velocity", &q.v.storage(0)},
                                       {"pressure", &q.p.storage(0)},
                                       {"magnetic", &q.B.storage(0)}},
                            .layers = 0,
                            .step = plasma.clock().steps,
                            .time = plasma.clock().time});
}

// Both sets of points and the place in the cycle: the next step takes nothing else from the one before.
io::CheckpointContents MagnetosphereFace::contents() {
  Magnetosphere& plasma = solver();
  magnetosphere::Plasma &n = plasma.nodes(), &c = plasma.centres();
  Magnetosphere::Clock& clock = plasma.clock();
  return {.solver = "magnetosphere",
          .grid = plasma.grid(),
          .fields = {{"density", &n.rho.storage(0)},
                     {"velocity", &n.v.storage(0)},
                     {"pressure", &n.p.storage(0)},
                     {"magnetic", &n.B.storage(0)},
                     {"centres_density", &c.rho.storage(0)},
                     {"centres_velocity", &c.v.storage(0)},
                     {"centres_pressure", &c.p.storage(0)},
                     {"centres_magnetic", &c.B.storage(0)}},
          .scalars = {{"time", &clock.time},
                      {"dt", &clock.dt},
                      {"signal", &clock.signal},
                      {"steps", &clock.steps},
                      {"place", &clock.place},
                      {"floors", &clock.floors}}};
}

void MagnetosphereFace::write_timeline(const std::string& path) { io::write_timeline(ranks_->open(), path); }

MagnetosphereFace::Account MagnetosphereFace::account() {
  const Context& context = ranks_->open();
  const Account mine{.terms = ledger_.terms()};
  Account account = of_largest(context, mine.terms.total(), mine);
  account.bytes_moved = static_cast<double>(context.sum(static_cast<std::uint64_t>(mine.terms.bytes_moved)));
  account.bytes_declared =
      static_cast<double>(context.sum(static_cast<std::uint64_t>(mine.terms.bytes_declared)));
  return account;
}

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

magnetosphere::DiffusionOptions diffusion_from(const nb::dict& options) {
  return {.density = get<double>(options, "density"),
          .pressure = get<double>(options, "pressure"),
          .viscosity = get<double>(options, "viscosity"),
          .resistivity = get<double>(options, "resistivity"),
          .smoothing = get<double>(options, "smoothing"),
          .heating = get<bool>(options, "heating")};
}

}  // namespace

MagnetosphereOptions magnetosphere_options(const nb::dict& options) {
  using magnetosphere::Initial;
  using magnetosphere::Wave;
  MagnetosphereOptions o;
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
                               {"linear_wave", Initial::linear_wave},
                               {"uniform", Initial::uniform}});
  o.gamma = get<double>(options, "gamma");
  if (options.contains("planet")) o.planet = planet_from(get<nb::dict>(options, "planet"));
  o.wind = wind_from(get<nb::dict>(options, "wind"));
  o.diffusion = diffusion_from(get<nb::dict>(options, "diffusion"));
  o.density_floor = get<double>(options, "density_floor");
  o.pressure_floor = get<double>(options, "pressure_floor");
  o.cycle = get<int>(options, "cycle");
  o.courant = get<double>(options, "courant");
  o.dt = get<double>(options, "dt");
  o.end = get<double>(options, "end");
  o.wave =
      choice<Wave>(options, "wave", {{"fast", Wave::fast}, {"alfven", Wave::alfven}, {"slow", Wave::slow}});
  o.amplitude = get<double>(options, "amplitude");
  const auto engine = get<nb::dict>(options, "engine");
  o.split = int3(engine, "split");
  o.engine = runner_from(engine);
  return o;
}

}  // namespace sc::python
