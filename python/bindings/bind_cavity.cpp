// SPDX-License-Identifier: Apache-2.0
// _core.Cavity: what its files hold, its grid from a file, its results as dicts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>

#include "io/grid_file.hpp"
#include "python/bindings/options.hpp"
#include "python/bindings/solver_face.hpp"
#include "solvers/cavity/centreline.hpp"
#include "solvers/cavity/solver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

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

class CavityFace : public SolverFace<cavity::Cavity> {
 public:
  CavityFace(std::shared_ptr<Ranks> ranks, const cavity::CavityOptions& options)
      : SolverFace(ranks,
                   cavity::make_cavity(ranks->open(), on_device_of(ranks->open(), options),
                                       [&](const Grid& grid) { return points_of_file(grid, options); })) {}

  /// On rank 0 coordinates and velocity in double precision; nothing elsewhere.
  cavity::Gathered gather_flow() {
    cavity::Cavity& c = solver();
    return {gathered_extent(c.grid(), layers()),
            as_doubles(gather(c.coordinates()), c.coordinates().storage(0).type()),
            as_doubles(gather(c.velocity()), c.velocity().storage(0).type())};
  }

 private:
  std::vector<NamedField> fields() override {
    return {{"velocity", &solver().velocity()},
            {"pressure", &solver().pressure()},
            {"coordinates", &solver().coordinates(), true}};
  }
  void before_output() override { solver().refresh_for_output(); }
  void restored() override { solver().restored(); }
  int layers() const override { return 1; }
  io::Snapshot snapshot() override;
  io::CheckpointContents contents() override;
  void add_terms(nb::dict& terms) override;
};

io::Snapshot CavityFace::snapshot() {
  cavity::Cavity& cavity = solver();
  return {
      .coordinates = &cavity.coordinates().storage(0),
      .fields = {{"velocity", &cavity.velocity().storage(0)}, {"pressure", &cavity.pressure().storage(0)}},
      .layers = 1,
      .step = cavity.steps(),
      .time = cavity.time()};
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

/// Seconds of the slowest rank in stages of the pressure equation and in the others, and in reductions.
struct Shares {
  double pressure = 0, velocity = 0;
  double max_reduction = 0, sum_reduction = 0;
};

void CavityFace::add_terms(nb::dict& terms) {
  Shares mine;
  for (const Ledger::Line& line : ledger().lines()) {
    double seconds = 0;
    for (const double part : line.seconds) seconds += part;
    const double reduce = line.seconds[static_cast<std::size_t>(Phase::reduce)];
    if (line.resource == Resource::reductions)
      (line.name.starts_with("max") ? mine.max_reduction : mine.sum_reduction) += reduce;
    else
      (cavity::belongs_to_pressure(line.name) ? mine.pressure : mine.velocity) += seconds;
  }
  const Shares a = unlocked([&] { return of_largest(context(), ledger().terms().total(), mine); });
  const double stages = a.pressure + a.velocity;
  terms["R_max"] = a.max_reduction;
  terms["R_sum"] = a.sum_reduction;
  terms["pressure_share"] = stages > 0 ? a.pressure / stages : 0.0;
  terms["velocity_share"] = stages > 0 ? a.velocity / stages : 0.0;
}

nb::object centreline(CavityFace& face) {
  const cavity::Gathered flow = unlocked([&] { return face.gather_flow(); });
  if (!face.first_rank()) return nb::none();
  cavity::Profile vertical = cavity::centreline(flow, 2, 0), horizontal = cavity::centreline(flow, 0, 2);
  nb::dict lines;
  lines["z"] = owned(std::move(vertical.position));
  lines["u"] = owned(std::move(vertical.velocity));
  lines["x"] = owned(std::move(horizontal.position));
  lines["w"] = owned(std::move(horizontal.velocity));
  return lines;
}

nb::dict step(CavityFace& face, bool diagnostics) {
  const auto [report, divergence] = unlocked([&] {
    const cavity::StepReport done = face.step();
    return std::pair(done, diagnostics ? face.solver().divergence_rms() : 0.0);
  });
  nb::dict result;
  result["step"] = report.step;
  result["time"] = report.time;
  result["dt"] = report.dt;
  result["courant"] = report.courant;
  result["iterations"] = report.iterations;
  result["residual"] = report.residual;
  result["max_change"] = report.max_change;
  result["source_balance"] = report.source_balance;
  result["capped"] = report.capped;
  if (diagnostics) result["divergence_rms"] = divergence;
  return result;
}

}  // namespace

void bind_cavity(nb::module_& module) {
  bind_solver<CavityFace>(module, "Cavity", "The cavity solver on all ranks of a context; collective.",
                          &cavity_options)
      .def("step", &step, "diagnostics"_a = true,
           "One time step, described by a dict; divergence_rms, which takes a sweep, only with diagnostics.")
      .def("centreline", &centreline);
}

}  // namespace sc::python
