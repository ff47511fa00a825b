// SPDX-License-Identifier: Apache-2.0
// Grid files: each rank reads its points through HDF5, so that every number type and every compression is
// allowed.
#include "io/grid_file.hpp"

#include <cmath>

#include "engine/base/error.hpp"
#include "engine/grid/cells.hpp"
#include "io/h5.hpp"
#include "io/snapshot_file.hpp"

namespace sc::io {

namespace {

constexpr std::array<const char*, 3> names = {"x", "y", "z"};

class Source : private H5Source {
 public:
  explicit Source(const std::string& path) : H5Source(path, "grid file", Exit::bad_input) { open(); }

  /// The group that contains x, y and z: the root, or `grid` as in a snapshot.
  std::string folder() const {
    for (const char* candidate : {"/", "/grid/"}) {
      const std::string group = candidate;
      if (!has(group) && group != "/") continue;
      if (has(group + "x")) return group;
    }
    refuse("grid file " + path_ + " has no array \"x\", neither at its root nor in a group \"grid\"");
  }

  /// Number of points of an array along x, y and z.
  Int3 shape(const std::string& name) const {
    const Handle dataset = array_of(name);
    const Handle space(H5Dget_space(dataset), H5Sclose);
    const Handle type(H5Dget_type(dataset), H5Tclose);
    if (H5Tget_class(type) != H5T_FLOAT) refuse(array(name) + " does not hold real numbers");
    std::array<hsize_t, 3> n{};
    if (H5Sget_simple_extent_ndims(space) != 3) refuse(array(name) + " does not have three axes (z, y, x)");
    H5Sget_simple_extent_dims(space, n.data(), nullptr);
    for (const hsize_t count : n)
      if (count < 1 || count > hsize_t{1} << 30)
        refuse(array(name) + " has an axis of " + std::to_string(count) + " points");
    return {static_cast<int>(n[2]), static_cast<int>(n[1]), static_cast<int>(n[0])};
  }

  std::vector<double> values(const std::string& name, const Box& box) const {
    const Handle dataset = array_of(name);
    const Handle space(H5Dget_space(dataset), H5Sclose);
    const Int3 n = box.extent();
    const auto size = [](int v) { return static_cast<hsize_t>(v); };
    const std::array<hsize_t, 3> start = {size(box.lo.z), size(box.lo.y), size(box.lo.x)};
    const std::array<hsize_t, 3> count = {size(n.z), size(n.y), size(n.x)};
    const Handle memory(H5Screate_simple(3, count.data(), nullptr), H5Sclose);
    std::vector<double> result(static_cast<std::size_t>(box.cells()));
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, result.data()) < 0)
      refuse(array(name) + " cannot be read: " + h5_cause());
    return result;
  }

 private:
  Handle array_of(const std::string& name) const {
    if (!has(name)) refuse("grid file " + path_ + " has no array " + name);
    Handle dataset(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset.valid()) refuse(array(name) + " cannot be read: " + h5_cause());
    return dataset;
  }
  std::string array(const std::string& name) const { return "array " + name + " of grid file " + path_; }
};

std::string point_text(const Box& box, std::size_t i) {
  const Int3 n = box.extent();
  const auto at = static_cast<std::int64_t>(i);
  const Int3 local{static_cast<int>(at % n.x), static_cast<int>(at / n.x % n.y),
                   static_cast<int>(at / n.x / n.y)};
  return to_string(box.lo + local);
}

/// Volume spanned by the three edges from a point in the directions of increasing indices.
double corner_volume(const std::array<std::vector<double>, 3>& r, std::size_t i,
                     const std::array<std::size_t, 3>& next) {
  double e[3][3];
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t k = 0; k < 3; ++k) e[a][k] = r[k][i + next[a]] - r[k][i];
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
         e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

void check_points(const std::string& path, const Box& box, const std::array<std::vector<double>, 3>& r) {
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t i = 0; i < r[a].size(); ++i)
      if (!std::isfinite(r[a][i]))
        refuse("grid file " + path + " has no finite " + names[a] + " at point " + point_text(box, i));
  const Int3 n = box.extent();
  const auto nx = static_cast<std::size_t>(n.x);
  const std::array<std::size_t, 3> next = {1, nx, nx * static_cast<std::size_t>(n.y)};
  each_cell({{}, n - Int3{1, 1, 1}}, [&](Int3 c) {
    const std::size_t i = static_cast<std::size_t>(c.x) + next[1] * static_cast<std::size_t>(c.y) +
                          next[2] * static_cast<std::size_t>(c.z);
    if (corner_volume(r, i, next) > 0) return;
    refuse("grid file " + path + " has a cell without positive volume at point " + point_text(box, i) +
           ": x, y, z must be right-handed in the order of the indices");
  });
}

}  // namespace

GridFile::GridFile(Context& context, const std::string& path) : context_(context), path_(path) {
  std::string header;
  context.together([&] {
    if (context.rank() != 0) return;
    const Source source(path);
    folder_ = source.folder();
    points_ = source.shape(folder_ + "x");
    for (const char* name : {"y", "z"})
      if (const Int3 other = source.shape(folder_ + name); other != points_)
        refuse("grid file " + path + " has " + to_string(points_) + " points in x and " + to_string(other) +
               " in " + name);
    header = std::to_string(points_.x) + ' ' + std::to_string(points_.y) + ' ' + std::to_string(points_.z);
  });
  context.broadcast(header);
  context.broadcast(folder_);
  check_snapshot_points(context, path);
  std::sscanf(header.c_str(), "%d %d %d", &points_.x, &points_.y, &points_.z);
}

std::array<std::vector<double>, 3> GridFile::read(const Box& box) const {
  std::array<std::vector<double>, 3> result;
  context_.together([&] {
    if (box.empty()) return;
    if (intersect(box, {{0, 0, 0}, points_}) != box)
      refuse("grid file " + path_ + " has " + to_string(points_) + " points, fewer than are asked of it");
    const Source source(path_);
    for (std::size_t a = 0; a < 3; ++a) result[a] = source.values(folder_ + names[a], box);
    check_points(path_, box, result);
  });
  return result;
}

}  // namespace sc::io
