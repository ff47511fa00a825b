// SPDX-License-Identifier: Apache-2.0
// Writes a snapshot's `fields` as a netCDF-4 group. If each coordinate depends on its own index only, the
// dimensions z, y, x are coordinates. Otherwise the dimensions k, j, i count points, and x, y, z are
// three-dimensional coordinates.
#include "io/axes.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "engine/grid/cells.hpp"

namespace sc::io {

namespace {

const std::string group = "fields/";

class Axes {
 public:
  Axes(H5Layout& file, const Snapshot& snapshot, Int3 extent, const std::optional<Lines>& lines)
      : file_(file), snapshot_(snapshot), extent_(extent), lines_(lines) {}

  void put() {
    const std::string time = unused("time");
    file_.value(group + time, snapshot_.time);
    units(group + time, "time");
    std::string coordinates = time;
    if (lines_)
      put_lines();
    else
      coordinates += put_curved();
    for (const SnapshotField& field : snapshot_.fields) {
      file_.along(group + field.name, dimensions_of(*field.storage));
      file_.attribute(group + field.name, "coordinates", coordinates);
      units(group + field.name, field.name);
    }
  }

 private:
  /// The first name, extended by underscores, that no field has.
  std::string unused(std::string name) const {
    while (std::ranges::any_of(snapshot_.fields, [&](const SnapshotField& f) { return f.name == name; }))
      name += '_';
    return name;
  }

  void units(const std::string& of, const std::string& quantity) {
    const auto found = snapshot_.units.find(quantity);
    if (found != snapshot_.units.end()) file_.attribute(of, "units", found->second);
  }

  void put_lines() {
    for (int a = 2; a >= 0; --a) {
      axes_.push_back(group + unused({"xyz"[a]}));
      file_.values(axes_.back(), std::span<const double>((*lines_)[static_cast<std::size_t>(a)]));
      file_.dimension(axes_.back());
      units(axes_.back(), "length");
    }
  }

  /// Writes x, y and z as three-dimensional coordinates. Returns their names, each after a blank.
  std::string put_curved() {
    for (int a = 2; a >= 0; --a) {
      axes_.push_back(group + unused({"ijk"[a]}));
      file_.dimension(axes_.back(), static_cast<hsize_t>(extent_[a]));
    }
    std::string names;
    for (hsize_t a = 0; a < 3; ++a) {
      const std::string name = unused({"xyz"[a]});
      Shape shape;
      for (int b = 2; b >= 0; --b) shape.push_back(static_cast<hsize_t>(extent_[b]));
      file_.view(group + name, "/grid/points", shape, a);
      file_.along(group + name, axes_);
      units(group + name, "length");
      names += ' ' + name;
    }
    return names;
  }

  /// (z, y, x), and a dimension of components if a point has several numbers.
  std::vector<std::string> dimensions_of(const Storage& storage) {
    std::vector<std::string> names = axes_;
    const int count = numbers_of(storage);
    if (count == 1) return names;
    names.push_back(group + unused(count == 3 ? "component" : "component_" + std::to_string(count)));
    if (std::ranges::find(components_, names.back()) == components_.end()) {
      file_.dimension(names.back(), static_cast<hsize_t>(count));
      components_.push_back(names.back());
    }
    return names;
  }

  H5Layout& file_;
  const Snapshot& snapshot_;
  Int3 extent_;
  const std::optional<Lines>& lines_;
  std::vector<std::string> axes_, components_;
};

Lines uniform_lines(const UniformPoints& points, Int3 extent) {
  Lines lines;
  for (std::size_t a = 0; a < 3; ++a)
    for (int i = 0; i < extent[static_cast<int>(a)]; ++i)
      lines[a].push_back(points.origin[a] + i * points.spacing[a]);
  return lines;
}

double coordinate(const Storage& coordinates, const Part& points, int axis, Int3 point) {
  const std::byte* at = cell_address(coordinates, points, axis, point);
  if (coordinates.type() == ElementType::f32) return *reinterpret_cast<const float*>(at);
  return *reinterpret_cast<const double*>(at);
}

using UsePoint = std::function<void(const Part& slab, Int3 point)>;

void for_each_own_point(Storage& coordinates, const Part& points, const UsePoint& use) {
  each_slab(coordinates, points, true, false,
            [&](const Part& slab) { each_cell(slab.box, [&](Int3 point) { use(slab, point); }); });
}

/// Collective: the coordinate along an axis, on the line through point (0, 0, 0), on all ranks.
std::vector<double> line_along(Storage& coordinates, const Part& points, int axis) {
  std::string own;  // for each own point of the line: its index and its coordinate
  for_each_own_point(coordinates, points, [&](const Part& slab, Int3 point) {
    const std::array<double, 2> pair = {static_cast<double>(point[axis]),
                                        coordinate(coordinates, slab, axis, point)};
    point[axis] = 0;
    if (point == Int3{}) own.append(reinterpret_cast<const char*>(pair.data()), sizeof pair);
  });
  const Context& context = coordinates.grid().context();
  std::vector<double> line(static_cast<std::size_t>(points.extent[axis]));
  for (const std::string& pairs : context.gather(own))
    for (std::size_t at = 0; at < pairs.size(); at += 16) {
      std::array<double, 2> pair;
      std::memcpy(pair.data(), pairs.data() + at, sizeof pair);
      line[static_cast<std::size_t>(pair[0])] = pair[1];
    }
  std::string bytes(reinterpret_cast<const char*>(line.data()), 8 * line.size());
  context.broadcast(bytes);
  std::memcpy(line.data(), bytes.data(), bytes.size());
  return line;
}

}  // namespace

std::optional<Lines> lines_of(const Snapshot& snapshot, const Part& points) {
  if (snapshot.uniform) return uniform_lines(*snapshot.uniform, points.extent);
  Storage& coordinates = *snapshot.coordinates;
  Lines lines;
  for (int a = 0; a < 3; ++a) lines[static_cast<std::size_t>(a)] = line_along(coordinates, points, a);
  bool curved = false;
  for_each_own_point(coordinates, points, [&](const Part& slab, Int3 point) {
    for (int a = 0; a < 3; ++a)
      curved |= coordinate(coordinates, slab, a, point) !=
                lines[static_cast<std::size_t>(a)][static_cast<std::size_t>(point[a])];
  });
  if (coordinates.grid().context().any(curved)) return std::nullopt;
  return lines;
}

void put_axes(H5Layout& file, const Snapshot& snapshot, Int3 extent, const std::optional<Lines>& lines) {
  Axes(file, snapshot, extent, lines).put();
}

}  // namespace sc::io
