// SPDX-License-Identifier: Apache-2.0
// _core.Cavity: what its files hold, its results as dicts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>

#include "python/bindings/bind_solver.hpp"
#include "python/bindings/cavity_files.hpp"
#include "python/bindings/options.hpp"
#include "solvers/cavity/centreline.hpp"
#include "solvers/cavity/solver.hpp"
#include "solvers/common/check.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

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
      : SolverFace(std::move(ranks), options,
                   [&](const Grid& grid) { return points_of_file(grid, options); }),
        size_(options.size) {}

  /// At time 0, from the velocity and pressure of a run on any grid of the same box.
  void start_from_snapshot(const std::string& path) {
    if (!context().rehearses()) solver().start_from(flow_of_snapshot(context(), path));
  }

  /// The root mean square of the divergence, which takes a sweep.
  double measure() { return solver().divergence_rms(); }
  static void add(nb::dict& to, double divergence) { to["divergence_rms"] = divergence; }
  static void add(nb::dict& to, const cavity::StepReport& report);

  /// On rank 0 coordinates and velocity in double precision; nothing elsewhere.
  cavity::Gathered gather_flow() {
    cavity::Cavity& c = solver();
    return {gathered_extent(c.grid(), layers()),
            as_doubles(gather(c.coordinates()), c.coordinates().storage(0).type()),
            as_doubles(gather(c.velocity()), c.velocity().storage(0).type()),
            {0.5 * size_[0], 0.5 * size_[1], 0.5 * size_[2]}};
  }

 private:
  std::vector<NamedField> fields() override {
    std::vector<NamedField> all{{"velocity", &solver().velocity()},
                                {"pressure", &solver().pressure()},
                                {"coordinates", &solver().coordinates(), NamedField::Role::unshown}};
    for (const auto& [name, field] : averages()) all.push_back({name, field});
    return all;
  }
  /// By their names in files; none without averaging.
  std::vector<std::pair<const char*, AnyField*>> averages() {
    cavity::Averages* mean = solver().averages();
    if (!mean) return {};
    return {{"mean_velocity", &mean->V}, {"mean_pressure", &mean->p}, {"reynolds_stress", &mean->stress}};
  }
  void before_output() override { solver().refresh_for_output(); }
  void restored() override { solver().restored(); }
  int layers() const override { return 1; }
  io::Snapshot snapshot() override;
  io::CheckpointContents contents() override;
  void add_terms(nb::dict& terms) override;

  cavity::Vec3 size_;
};

io::Snapshot CavityFace::snapshot() {
  io::Snapshot shown = SolverFace::snapshot();
  shown.coordinates = &solver().coordinates().storage(0);
  shown.layers = layers();
  return shown;
}

// The velocity, that on faces of outflow, the pressure solver's first guess for the next step, and the clock:
// the next step takes nothing else from the one before. And the averages.
io::CheckpointContents CavityFace::contents() {
  cavity::Cavity& cavity = solver();
  io::CheckpointContents contents{
      .solver = "cavity",
      .grid = cavity.grid(),
      .fields = {{"velocity", &cavity.velocity().storage(0)}, {"iterate", &cavity.iterate().storage(0)}},
      .scalars = {{"stiffness", &cavity.clock().stiffness}}};
  if (AnyField* outflow = cavity.outflow()) contents.fields.push_back({"outflow", &outflow->storage(0)});
  for (const auto& [name, field] : averages()) contents.fields.push_back({name, &field->storage(0)});
  if (cavity.averages()) contents.scalars.push_back({"averaged", &cavity.averaged()});
  return contents;
}

void CavityFace::add(nb::dict& to, const cavity::StepReport& report) {
  put(to, "courant", report.courant, "iterations", report.iterations, "residual", report.residual);
  put(to, "max_change", report.max_change, "source_balance", report.source_balance, "capped", report.capped);
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
  put(terms, "R_max", a.max_reduction, "R_sum", a.sum_reduction);
  put(terms, "pressure_share", stages > 0 ? a.pressure / stages : 0.0);
  put(terms, "velocity_share", stages > 0 ? a.velocity / stages : 0.0);
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

/// By the names of faces; the same on all ranks.
nb::dict forces(CavityFace& face, const cavity::Vec3& about) {
  nb::dict all;
  for (const cavity::FaceForce& on : unlocked([&] { return face.solver().forces(about); })) {
    nb::dict force;
    put(force, "pressure", on.pressure, "viscous", on.viscous, "moment", on.moment);
    all[face_names[on.face]] = force;
  }
  return all;
}

}  // namespace

void bind_cavity(nb::module_& module) {
  bind_solver<CavityFace>(module, "Cavity", "The cavity solver on all ranks of a context; collective.",
                          &cavity_options, "divergence_rms, which takes a sweep")
      .def("start_from_snapshot", &CavityFace::start_from_snapshot, "path"_a, Unlocked())
      .def("centreline", &centreline)
      .def_prop_ro("averaged", [](CavityFace& face) { return face.solver().averaged(); })
      .def("forces", &forces, "about"_a,
           "The force of the fluid on each face that is a wall, partly one, or has slip; collective.");
}

}  // namespace sc::python
