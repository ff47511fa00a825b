// SPDX-License-Identifier: Apache-2.0
// A snapshot's `fields` as a netCDF-4 group. On uniform points the dimensions z, y, x are coordinates; on
// others the dimensions k, j, i count points, and x, y, z are coordinates of three dimensions.
#include "io/axes.hpp"

#include <algorithm>

namespace sc::io {

namespace {

const std::string group = "fields/";

class Axes {
 public:
  Axes(H5Layout& file, const Snapshot& snapshot, Int3 extent)
      : file_(file), snapshot_(snapshot), extent_(extent) {}

  void put() {
    const std::string time = unused("time");
    file_.value(group + time, snapshot_.time);
    units(group + time, "time");
    std::string coordinates = time;
    if (snapshot_.uniform)
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
  /// A name that no field has.
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
      std::vector<double> places;
      const auto k = static_cast<std::size_t>(a);
      for (int i = 0; i < extent_[a]; ++i)
        places.push_back(snapshot_.uniform->origin[k] + i * snapshot_.uniform->spacing[k]);
      axes_.push_back(group + unused({"xyz"[a]}));
      file_.values(axes_.back(), std::span<const double>(places));
      file_.dimension(axes_.back());
      units(axes_.back(), "length");
    }
  }

  /// The names of the coordinates, each after a blank.
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

  /// (z, y, x) and, where a point has several numbers, the dimension of so many components.
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
  std::vector<std::string> axes_, components_;
};

}  // namespace

void put_axes(H5Layout& file, const Snapshot& snapshot, Int3 extent) { Axes(file, snapshot, extent).put(); }

std::int64_t axes_bytes(const Snapshot& snapshot, Int3 extent) {
  return snapshot.uniform ? 8 * (std::int64_t{extent.x} + extent.y + extent.z) : 0;
}

}  // namespace sc::io
