// SPDX-License-Identifier: Apache-2.0
// Snapshots: VTKHDF arrays, into which each rank writes its points, and views of them as (z, y, x) arrays.
#include "io/snapshot.hpp"

#include <array>
#include <cstring>

#include "engine/base/error.hpp"
#include "io/axes.hpp"
#include "io/checksum.hpp"
#include "io/h5.hpp"
#include "io/part.hpp"

namespace sc::io {

namespace {

// VTK's cell types for 0, 1, 2 and 3 axes: vertex, line, quad, hexahedron.
constexpr std::array<std::uint8_t, 4> vtk_cell_types = {1, 3, 9, 12};
// Corners of a hexahedron in VTK's order; the first 1, 2 and 4 are those of cells with fewer axes.
constexpr std::array<Int3, 8> hexahedron = {
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

/// The VTK cells between the points: one for each point that has a successor along every axis with more than
/// one point.
struct Cells {
  explicit Cells(const Part& points) : part(points) {
    std::array<int, 3> axes{};
    for (int a = 0; a < 3; ++a) {
      if (points.extent[a] == 1) continue;
      axes[static_cast<std::size_t>(spanned++)] = a;
      part.extent[a] = points.extent[a] - 1;
      part.box.hi[a] = std::min(part.box.hi[a], part.extent[a]);
    }
    for (std::size_t k = 0; k < std::size_t{1} << spanned; ++k) {
      Int3 corner;
      for (int s = 0; s < spanned; ++s) corner[axes[static_cast<std::size_t>(s)]] = hexahedron[k][s];
      corners.push_back(points.number(corner));
    }
  }
  Part part;
  int spanned = 0;
  std::vector<std::int64_t> corners;  ///< index of each corner relative to the first one
};

struct Array {
  std::string name;  ///< its path in VTKHDF
  std::string view;  ///< its path for users of h5py
  Storage* storage;
  std::uint64_t checksum = 0;
};

ElementType real_of(ElementType type) {
  return type == ElementType::c32 ? ElementType::f32 : type == ElementType::c64 ? ElementType::f64 : type;
}

std::size_t point_bytes(const Storage& storage) {
  return static_cast<std::size_t>(storage.components()) * size_of(storage.type());
}

std::vector<Array> arrays_of(const Snapshot& snapshot) {
  std::vector<Array> arrays;
  if (!snapshot.uniform) arrays.push_back({"Points", "grid/points", snapshot.coordinates});
  for (const SnapshotField& field : snapshot.fields)
    arrays.push_back({"PointData/" + field.name, "fields/" + field.name, field.storage});
  return arrays;
}

const Grid& grid_of(const Snapshot& snapshot) {
  return (snapshot.uniform ? snapshot.fields.front().storage : snapshot.coordinates)->grid();
}

void check_snapshot(const Snapshot& snapshot) {
  const Storage* coordinates = snapshot.coordinates;
  if (snapshot.uniform) {
    if (coordinates || snapshot.fields.empty())
      throw Error(Exit::failure, "a snapshot on uniform points takes fields and no coordinates");
    for (const SnapshotField& field : snapshot.fields)
      if (!(field.storage->grid() == grid_of(snapshot)))
        throw Error(Exit::failure, "field \"" + field.name + "\" of a snapshot is on another grid");
    return;
  }
  const bool real =
      coordinates && (coordinates->type() == ElementType::f32 || coordinates->type() == ElementType::f64);
  if (!real || coordinates->components() != 3)
    throw Error(Exit::failure, "a snapshot needs coordinates of three real components");
  for (const SnapshotField& field : snapshot.fields)
    if (!(field.storage->grid() == coordinates->grid()))
      throw Error(Exit::failure,
                  "field \"" + field.name + "\" of a snapshot is not on the grid of its coordinates");
}

Shape shape_of(Int3 extent, int components) {
  Shape shape;
  for (int a = 2; a >= 0; --a) shape.push_back(static_cast<hsize_t>(extent[a]));
  if (components > 1) shape.push_back(static_cast<hsize_t>(components));
  return shape;
}

/// The content of a file.
struct Content {
  const Snapshot& snapshot;
  const Part points = part_of(grid_of(snapshot), snapshot.layers);
  const Cells cells{points};
  const std::optional<Lines> lines = lines_of(snapshot, points);
  std::vector<Array> arrays = arrays_of(snapshot);

  /// Whether the file lists the cells between the points.
  bool lists_cells() const { return !snapshot.uniform && snapshot.kind == SnapshotKind::unstructured; }

  std::int64_t bytes() const {
    std::size_t sum = 0;
    for (const Array& array : arrays)
      sum += static_cast<std::size_t>(points.cells()) * point_bytes(*array.storage);
    if (lines)
      for (const std::vector<double>& line : *lines) sum += 8 * line.size();
    if (lists_cells())
      sum += static_cast<std::size_t>(cells.part.cells()) * 8 * (cells.corners.size() + 1) + 8;
    return static_cast<std::int64_t>(sum);
  }
};

/// Writes the description of uniformly spaced points, for VTK and for readers of `grid`.
void put_uniform(H5Layout& file, const UniformPoints& uniform, Int3 extent) {
  const std::array<std::int64_t, 6> whole = {0, extent.x - 1, 0, extent.y - 1, 0, extent.z - 1};
  file.attribute("VTKHDF", "WholeExtent", whole);
  file.attribute("VTKHDF", "Direction", std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  for (const char* group : {"VTKHDF", "grid"}) {
    file.attribute(group, "Origin", uniform.origin);
    file.attribute(group, "Spacing", uniform.spacing);
  }
}

Offsets lay_out(const std::string& path, const Content& content) {
  const auto& [snapshot, points, cells, lines, arrays] = content;
  const bool listed = content.lists_cells(), structured = !listed && !snapshot.uniform;
  H5Layout file(path, content.bytes());
  file.attribute("/", "format", std::string("subcurrent snapshot"));
  file.attribute("/", "step", snapshot.step);
  file.attribute("/", "time", snapshot.time);
  for (const char* group : {"VTKHDF", "VTKHDF/PointData", "VTKHDF/FieldData", "grid", "fields"})
    file.group(group);
  const std::array<std::int64_t, 2> version =
      structured ? std::array<std::int64_t, 2>{2, 7} : std::array<std::int64_t, 2>{1, 0};
  file.attribute("VTKHDF", "Version", version);
  file.attribute("VTKHDF", "Type",
                 std::string(listed             ? "UnstructuredGrid"
                             : snapshot.uniform ? "ImageData"
                                                : "StructuredGrid"));
  file.values("VTKHDF/FieldData/TimeValue", std::span<const double>(&snapshot.time, 1));
  file.values("VTKHDF/FieldData/step", std::span<const std::int64_t>(&snapshot.step, 1));

  Offsets offsets;
  for (const Array& array : arrays) {
    const Handle type = h5_type(real_of(array.storage->type()));
    const Shape points_first = shape_of(points.extent, numbers_of(*array.storage));
    Shape flat = {static_cast<hsize_t>(points.cells())};
    if (numbers_of(*array.storage) > 1) flat.push_back(static_cast<hsize_t>(numbers_of(*array.storage)));
    offsets.push_back(file.array("VTKHDF/" + array.name, type, listed ? flat : points_first));
    file.attribute("VTKHDF/" + array.name, "checksum", array.checksum);
    file.view(array.view, "/VTKHDF/" + array.name, points_first);
  }
  for (hsize_t a = 0; a < 3 && !snapshot.uniform; ++a)
    file.view(std::string("grid/") + "xyz"[a], "/grid/points", shape_of(points.extent, 1), a);
  put_axes(file, snapshot, points.extent, lines);

  if (snapshot.uniform) {
    put_uniform(file, *snapshot.uniform, points.extent);
  } else if (structured) {
    const std::array<std::int64_t, 3> dimensions = {points.extent.x, points.extent.y, points.extent.z};
    file.attribute("VTKHDF", "Dimensions", dimensions);
  } else {
    const std::int64_t count = cells.part.cells();
    const std::int64_t ids = count * static_cast<std::int64_t>(cells.corners.size());
    const std::int64_t point_count = points.cells();
    file.values("VTKHDF/NumberOfPoints", std::span<const std::int64_t>(&point_count, 1));
    file.values("VTKHDF/NumberOfCells", std::span<const std::int64_t>(&count, 1));
    file.values("VTKHDF/NumberOfConnectivityIds", std::span<const std::int64_t>(&ids, 1));
    file.constant("VTKHDF/Types", static_cast<hsize_t>(count),
                  vtk_cell_types[static_cast<std::size_t>(cells.spanned)]);
    offsets.push_back(file.array("VTKHDF/Connectivity", H5T_STD_I64LE, {static_cast<hsize_t>(ids)}));
    offsets.push_back(file.array("VTKHDF/Offsets", H5T_STD_I64LE, {static_cast<hsize_t>(count + 1)}));
  }
  file.finish();
  return offsets;
}

/// Packs points with interleaved components, as VTK requires.
void pack_points(const Part& points, const Storage& storage, Int3 first, std::byte* row) {
  const std::size_t element = size_of(storage.type());
  const std::size_t item = point_bytes(storage);
  const auto nx = static_cast<std::size_t>(points.box.extent().x);
  for (int k = 0; k < storage.components(); ++k) {
    const std::byte* from = cell_address(storage, points, k, first);
    std::byte* to = row + static_cast<std::size_t>(k) * element;
    for (std::size_t x = 0; x < nx; ++x) std::memcpy(to + x * item, from + x * element, element);
  }
}

void write_points(File& file, std::int64_t offset, const Part& points, Storage& storage) {
  each_slab(storage, points, true, false, [&](const Part& slab) {
    write_part(file, offset, slab, point_bytes(storage),
               [&](Int3 first, std::byte* row) { pack_points(slab, storage, first, row); });
  });
}

/// This rank's contribution to the checksum of an array, computed from memory.
std::uint64_t own_checksum(const Part& points, Storage& storage) {
  if (points.box.empty()) return 0;
  const auto elements = static_cast<std::size_t>(numbers_of(storage));
  const auto nx = static_cast<std::size_t>(points.box.extent().x);
  std::vector<std::byte> row(nx * point_bytes(storage));
  std::uint64_t sum = 0;
  each_slab(storage, points, true, false, [&](const Part& slab) {
    const Box& box = slab.box;
    for (int z = box.lo.z; z < box.hi.z; ++z)
      for (int y = box.lo.y; y < box.hi.y; ++y) {
        const Int3 first{box.lo.x, y, z};
        pack_points(slab, storage, first, row.data());
        sum += checksum(row.data(), nx * elements, size_of(real_of(storage.type())),
                        static_cast<std::uint64_t>(points.number(first)) * elements);
      }
  });
  return sum;
}

void write_connectivity(File& file, std::int64_t offset, const Part& points, const Cells& cells) {
  const std::size_t corners = cells.corners.size();
  const int nx = cells.part.box.extent().x;
  std::vector<std::int64_t> ids(corners * static_cast<std::size_t>(std::max(0, nx)));
  write_part(file, offset, cells.part, corners * 8, [&](Int3 first, std::byte* row) {
    const std::int64_t number = points.number(first);
    for (std::size_t i = 0; i < ids.size(); ++i)
      ids[i] = number + static_cast<std::int64_t>(i / corners) + cells.corners[i % corners];
    std::memcpy(row, ids.data(), ids.size() * 8);
  });
}

/// Writes the offsets of the cells in the connectivity array; the cells are divided evenly, since no rank
/// owns them.
void write_cell_offsets(File& file, std::int64_t offset, const Context& context, const Cells& cells) {
  const std::int64_t count = cells.part.cells() + 1;
  const std::int64_t begin = count * context.rank() / context.size();
  const std::int64_t end = count * (context.rank() + 1) / context.size();
  constexpr std::int64_t batch = 1 << 16;
  std::vector<std::int64_t> values;
  for (std::int64_t lo = begin; lo < end; lo += batch) {
    values.clear();
    for (std::int64_t i = lo; i < std::min(end, lo + batch); ++i)
      values.push_back(i * static_cast<std::int64_t>(cells.corners.size()));
    file.write(offset + lo * 8, reinterpret_cast<const std::byte*>(values.data()), values.size() * 8);
  }
}

}  // namespace

int numbers_of(const Storage& storage) {
  return storage.components() * (real_of(storage.type()) == storage.type() ? 1 : 2);
}

void write_snapshot(const std::string& path, const Snapshot& snapshot) {
  check_snapshot(snapshot);
  for (const Array& array : arrays_of(snapshot))
    if (Pending* refresh = array.storage->in_flight()) refresh->finish();
  Content content{snapshot};
  const Context& context = grid_of(snapshot).context();
  for (Array& array : content.arrays)
    array.checksum = context.sum(own_checksum(content.points, *array.storage));
  replace_file(
      context, path, [&](const std::string& temporary) { return lay_out(temporary, content); },
      [&](File& file, const Offsets& offsets) {
        for (std::size_t i = 0; i < content.arrays.size(); ++i)
          write_points(file, offsets[i], content.points, *content.arrays[i].storage);
        if (!content.lists_cells()) return;
        write_connectivity(file, offsets[content.arrays.size()], content.points, content.cells);
        write_cell_offsets(file, offsets[content.arrays.size() + 1], context, content.cells);
      });
}

}  // namespace sc::io
