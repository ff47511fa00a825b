// SPDX-License-Identifier: Apache-2.0
// CavityFace: a solver with what surrounds it in a run: grid file, snapshots, checkpoints, accounts.
#include <algorithm>
#include <cstring>

#include "engine/move/gather.hpp"
#include "io/grid_file.hpp"
#include "io/snapshot.hpp"
#include "io/timeline_file.hpp"
#include "python/bindings/faces.hpp"

namespace sc::python {

namespace {

// Runs of every stage that a hidden strategy gives up to measure M in place.
constexpr int samples = 10;
// The layer beyond a wall continues the grid from five points inwards, wherever the rank's own cells end.
constexpr int layers_to_read = 7;

/// This rank's part of a grid file, as the mesh asks for it: walls are the points -1 and n.
cavity::Points points_of_file(const Grid& grid, const cavity::CavityOptions& options) {
  const io::GridFile file(grid.context(), options.grid_file);
  if (!(file.points() == options.points))
    refuse("grid.points is " + to_string(options.points) + ", but the file \"" + options.grid_file +
           "\" has " + to_string(file.points()) + " points");
  const Box all{{0, 0, 0}, file.points()};
  const Int3 grow{layers_to_read, layers_to_read, layers_to_read};
  const Box part = intersect(grid.global_box().shifted({1, 1, 1}).grown(grow), all);
  const Int3 n = part.extent();
  return [xyz = file.read(part), part, n](Int3 c) {
    const Int3 at = c + Int3{1, 1, 1} - part.lo;
    const auto k =
        std::size_t(at.x) + std::size_t(n.x) * (std::size_t(at.y) + std::size_t(n.y) * std::size_t(at.z));
    return cavity::Vec3{xyz[0][k], xyz[1][k], xyz[2][k]};
  };
}

std::vector<double> as_doubles(const std::vector<std::byte>& bytes, ElementType type) {
  std::vector<double> values(bytes.size() / size_of(type));
  if (type == ElementType::f64) {
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  const auto* singles = reinterpret_cast<const float*>(bytes.data());
  std::copy(singles, singles + values.size(), values.begin());
  return values;
}

}  // namespace

CavityFace::CavityFace(std::shared_ptr<Ranks> ranks, const cavity::CavityOptions& options)
    : ranks_(std::move(ranks)),
      options_([&] {
        cavity::CavityOptions complete = options;
        complete.engine.samples = samples;
        return complete;
      }()),
      solver_(cavity::make_cavity(ranks_->open(), options_,
                                  [&](const Grid& grid) { return points_of_file(grid, options_); })),
      ledger_(solver_->runner()) {
  ranks_->add(solver_);
}

cavity::Cavity& CavityFace::solver() {
  ranks_->open();
  return *solver_;
}

Step CavityFace::step(bool diagnostics) {
  cavity::Cavity& cavity = solver();
  // A rank that looked at its velocity may have changed it; all ranks must then refresh together.
  if (ranks_->context().any(viewed_)) {
    Storage& velocity = cavity.velocity().storage(0);
    velocity.settle();
    velocity.set_fresh(point);
    viewed_ = false;
  }
  Step step;
  ledger_.open();
  step.report = cavity.step();
  ledger_.close();
  if (diagnostics) step.divergence_rms = cavity.divergence_rms();
  return step;
}

Storage& CavityFace::viewed(AnyField& field) {
  Storage& storage = field.storage(0);
  storage.settle();
  viewed_ = true;
  return storage;
}

std::vector<std::byte> CavityFace::gather(AnyField& field) {
  solver().refresh_for_output();
  return sc::gather(field.storage(0), 1);
}

Int3 CavityFace::gathered_extent() { return sc::gathered_extent(solver().grid(), 1); }

cavity::Gathered CavityFace::gather_flow() {
  cavity::Cavity& cavity = solver();
  return {gathered_extent(), as_doubles(gather(cavity.coordinates()), cavity.coordinates().storage(0).type()),
          as_doubles(gather(cavity.velocity()), cavity.velocity().storage(0).type())};
}

void CavityFace::write_snapshot(const std::string& path) {
  cavity::Cavity& cavity = solver();
  cavity.refresh_for_output();
  io::write_snapshot(path, {.coordinates = &cavity.coordinates().storage(0),
                            .fields = {{"velocity", &cavity.velocity().storage(0)},
                                       {"pressure", &cavity.pressure().storage(0)}},
                            .layers = 1,
                            .step = cavity.steps(),
                            .time = cavity.time()});
}

// The velocity, the pressure solver's first guess for the next step, and the clock: the next step takes
// nothing else from the one before.
io::CheckpointContents CavityFace::contents() {
  cavity::Cavity& cavity = solver();
  return {.solver = "cavity",
          .grid = cavity.grid(),
          .fields = {{"velocity", &cavity.velocity().storage(0)}, {"iterate", &cavity.iterate().storage(0)}},
          .scalars = {{"time", &cavity.clock().time},
                      {"stiffness", &cavity.clock().stiffness},
                      {"steps", &cavity.clock().steps}}};
}

void CavityFace::write_checkpoint(const std::string& path) { io::write_checkpoint(path, contents()); }

void CavityFace::read_checkpoint(const std::string& path) {
  io::read_checkpoint(path, contents());
  solver_->restored();
}

void CavityFace::write_timeline(const std::string& path) { io::write_timeline(ranks_->open(), path); }

Account CavityFace::account() {
  const Context& context = ranks_->open();
  Account mine{.terms = ledger_.terms()};
  for (const Ledger::Line& line : ledger_.lines()) {
    double seconds = 0;
    for (const double part : line.seconds) seconds += part;
    const double reduce = line.seconds[static_cast<std::size_t>(Phase::reduce)];
    if (line.name == "max reduction")
      mine.max_reduction += reduce;
    else if (line.name == "sum reduction")
      mine.sum_reduction += reduce;
    else
      (cavity::belongs_to_pressure(line.name) ? mine.pressure : mine.velocity) += seconds;
  }
  Account account = of_largest(context, mine.terms.total(), mine);
  account.bytes_moved = static_cast<double>(context.sum(static_cast<std::uint64_t>(mine.terms.bytes_moved)));
  account.bytes_declared =
      static_cast<double>(context.sum(static_cast<std::uint64_t>(mine.terms.bytes_declared)));
  return account;
}

}  // namespace sc::python
