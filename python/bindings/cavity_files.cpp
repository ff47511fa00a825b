// SPDX-License-Identifier: Apache-2.0
// Points of grid files beyond walls and periodic faces, and snapshots read in boxes.
#include "python/bindings/cavity_files.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "engine/base/error.hpp"
#include "engine/grid/cells.hpp"
#include "io/grid_file.hpp"
#include "io/snapshot_file.hpp"

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
    each_cell(plane, [&](Int3 c) {
      Int3 image = c;
      image[axis] += cells_[axis];
      const cavity::Vec3 a = point(c), b = point(image);
      for (std::size_t e = 0; e < 3; ++e) {
        size = std::max({size, std::abs(a[e]), std::abs(b[e])});
        const double step = b[e] - a[e];
        if (first) shift[e] = std::abs(step) < rounding * size ? 0 : step;
        if (std::abs(step - shift[e]) > rounding * size)
          refuse("grid file " + path + " does not repeat along its periodic axis: from the first plane to " +
                 "the last, all points must move by the same vector, or not at all");
      }
      first = false;
    });
    return shift;
  }

  std::array<std::vector<double>, 3> xyz_;
  Box part_;
  Int3 cells_;
  Bool3 periodic_;
  std::array<cavity::Vec3, 3> shift_{};
};

}  // namespace

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

}  // namespace sc::python
