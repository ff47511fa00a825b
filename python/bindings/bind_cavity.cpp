// SPDX-License-Identifier: Apache-2.0
// _core.Cavity: what its files hold, its grid from a file, its results as dicts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "io/grid_file.hpp"
#include "io/snapshot_file.hpp"
#include "python/bindings/options.hpp"
#include "python/bindings/solver_face.hpp"
#include "solvers/cavity/centreline.hpp"
#include "solvers/cavity/solver.hpp"
#include "solvers/common/check.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

// The layer beyond a wall continues the grid from five points inwards, wherever the rank's own cells end.
constexpr int layers_to_read = 7;

/// Of a periodic axis with n points the file has n + 1: where the image of the first lies says how the grid
/// goes on, in the same place (an annulus closes on itself) or shifted by a period.
Int3 points_in_file(const Grid& grid, const cavity::CavityOptions& options) {
  Int3 n = options.points;
  for (int a = 0; a < 3; ++a) n[a] += grid.periodic()[a] ? 1 : 0;
  return n;
}

/// A part of a grid file with what a period shifts it by.
class FilePoints {
 public:
  FilePoints(const io::GridFile& file, const Box& part, const Grid& grid)
      : xyz_(file.read(part)), part_(part), cells_(grid.cells()), periodic_(grid.periodic()) {
    grid.context().together([&] {
      for (int a = 0; a < 3; ++a)
        if (periodic_[a]) shift_[std::size_t(a)] = shift_along(a, file.path());
    });
  }
  /// As the mesh asks: walls are the points -1 and n, beyond a period the grid goes on.
  cavity::Vec3 at(Int3 c) const {
    cavity::Vec3 beyond{};
    for (int a = 0; a < 3; ++a) {
      if (!periodic_[a]) {
        c[a] += 1;
        continue;
      }
      const int periods = c[a] < 0 ? -1 : c[a] >= cells_[a] ? 1 : 0;
      c[a] -= periods * cells_[a];
      for (std::size_t e = 0; e < 3; ++e) beyond[e] += periods * shift_[std::size_t(a)][e];
    }
    const cavity::Vec3 x = point(c);
    return {x[0] + beyond[0], x[1] + beyond[1], x[2] + beyond[2]};
  }

 private:
  cavity::Vec3 point(Int3 file_point) const {
    const Int3 at = file_point - part_.lo, n = part_.extent();
    const auto k =
        std::size_t(at.x) + std::size_t(n.x) * (std::size_t(at.y) + std::size_t(n.y) * std::size_t(at.z));
    return {xyz_[0][k], xyz_[1][k], xyz_[2][k]};
  }
  /// The same for all points of the plane, up to the rounding of the file.
  cavity::Vec3 shift_along(int axis, const std::string& path) const {
    constexpr double rounding = 1e-9;
    cavity::Vec3 shift{};
    double size = 0;
    bool first = true;
    Box plane = part_;
    plane.hi[axis] = plane.lo[axis] + 1;
    for (int k = plane.lo.z; k < plane.hi.z; ++k)
      for (int j = plane.lo.y; j < plane.hi.y; ++j)
        for (int i = plane.lo.x; i < plane.hi.x; ++i) {
          Int3 image{i, j, k};
          image[axis] += cells_[axis];
          const cavity::Vec3 a = point({i, j, k}), b = point(image);
          for (std::size_t e = 0; e < 3; ++e) {
            size = std::max({size, std::abs(a[e]), std::abs(b[e])});
            const double step = b[e] - a[e];
            if (first) shift[e] = std::abs(step) < rounding * size ? 0 : step;
            if (std::abs(step - shift[e]) > rounding * size)
              refuse("grid file " + path +
                     " does not repeat along its periodic axis: from the first plane to " +
                     "the last, all points must move by the same vector, or not at all");
          }
          first = false;
        }
    return shift;
  }

  std::array<std::vector<double>, 3> xyz_;
  Box part_;
  Int3 cells_;
  Bool3 periodic_;
  std::array<cavity::Vec3, 3> shift_{};
};

/// This rank's part of a grid file; of a periodic axis all of it, as its ends meet.
cavity::Points points_of_file(const Grid& grid, const cavity::CavityOptions& options) {
  const io::GridFile file(grid.context(), options.grid_file);
  const Int3 wanted = points_in_file(grid, options);
  if (!(file.points() == wanted))
    refuse("grid.points is " + to_string(options.points) + ", but the file \"" + options.grid_file +
           "\" has " + to_string(file.points()) + " points" +
           (wanted == options.points
                ? ""
                : "; it must have " + to_string(wanted) + ", the image of the first one on periodic axes"));
  const Box all{{0, 0, 0}, file.points()};
  const Int3 grow{layers_to_read, layers_to_read, layers_to_read};
  Box part = intersect(grid.global_box().shifted({1, 1, 1}).grown(grow), all);
  for (int a = 0; a < 3; ++a)
    if (grid.periodic()[a]) part.lo[a] = 0, part.hi[a] = all.hi[a];
  return [points = FilePoints(file, part, grid)](Int3 c) { return points.at(c); };
}

/// A snapshot as a flow on another grid; its points are a grid file's.
cavity::OtherFlow flow_of_snapshot(Context& context, const std::string& path) {
  const auto file = std::make_shared<io::GridFile>(context, path);
  const auto field = [&context, path, points = file->points()](const char* name, int components) {
    return [&context, path, points, name, components](const Box& box) {
      return io::read_snapshot_box(context, path, name, points, components, box);
    };
  };
  const auto coordinates = [file](const Box& box) {
    const auto [x, y, z] = file->read(box);
    cavity::BoxValues all = x;
    all.insert(all.end(), y.begin(), y.end());
    all.insert(all.end(), z.begin(), z.end());
    return all;
  };
  return {"the snapshot " + path, file->points(), coordinates, field("velocity", 3), field("pressure", 1)};
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
      : SolverFace(ranks, std::make_shared<cavity::Cavity>(
                              ranks->open(), on_device_of(ranks->open(), options),
                              [&](const Grid& grid) { return points_of_file(grid, options); })),
        size_(options.size) {}

  /// At time 0, from the velocity and pressure of a run on any grid of the same box.
  void start_from_snapshot(const std::string& path) {
    if (!context().rehearses()) solver().start_from(flow_of_snapshot(context(), path));
  }

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
                                {"coordinates", &solver().coordinates(), true}};
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
  cavity::Cavity& cavity = solver();
  io::Snapshot shown{
      .coordinates = &cavity.coordinates().storage(0),
      .fields = {{"velocity", &cavity.velocity().storage(0)}, {"pressure", &cavity.pressure().storage(0)}},
      .layers = 1,
      .step = cavity.steps(),
      .time = cavity.time()};
  for (const auto& [name, field] : averages()) shown.fields.push_back({name, &field->storage(0)});
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
      .scalars = {{"time", &cavity.clock().time},
                  {"stiffness", &cavity.clock().stiffness},
                  {"steps", &cavity.clock().steps}}};
  if (AnyField* outflow = cavity.outflow()) contents.fields.push_back({"outflow", &outflow->storage(0)});
  for (const auto& [name, field] : averages()) contents.fields.push_back({name, &field->storage(0)});
  if (cavity.averages()) contents.scalars.push_back({"averaged", &cavity.averaged()});
  return contents;
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

/// By the names of faces; the same on all ranks.
nb::dict forces(CavityFace& face, const cavity::Vec3& about) {
  nb::dict all;
  for (const cavity::FaceForce& on : unlocked([&] { return face.solver().forces(about); })) {
    nb::dict force;
    force["pressure"] = on.pressure;
    force["viscous"] = on.viscous;
    force["moment"] = on.moment;
    all[face_names[on.face]] = force;
  }
  return all;
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
      .def("start_from_snapshot", &CavityFace::start_from_snapshot, "path"_a, Unlocked())
      .def("centreline", &centreline)
      .def_prop_ro("averaged", [](CavityFace& face) { return face.solver().averaged(); })
      .def("forces", &forces, "about"_a,
           "The force of the fluid on each face that is a wall, partly one, or has slip; collective.");
}

}  // namespace sc::python
