// SPDX-License-Identifier: Apache-2.0
// Reading of snapshots: after the checksums have been verified, each rank reads its own block of points.
#include "io/snapshot_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "engine/base/error.hpp"
#include "io/checksum.hpp"
#include "io/file.hpp"
#include "io/h5.hpp"
#include "io/part.hpp"

namespace sc::io {

namespace {

/// An array of a snapshot, from its metadata: offset, size and checksum.
struct Array {
  std::int64_t offset = 0, elements = 0;
  std::int64_t bytes = 8;  ///< of an element: 4 or 8
  std::uint64_t checksum = 0;
};

/// An open snapshot. HDF5 verifies the checksums of its own metadata.
class Source : private H5Source {
 public:
  explicit Source(const std::string& path) : H5Source(path, "snapshot", Exit::bad_input) { open(); }

  bool is_snapshot() const { return H5Aexists(file_, "format") > 0 && has("VTKHDF"); }

  /// Throws Error (storage) if the file ends before the array does.
  Array array(const std::string& name) const {
    if (!has("VTKHDF") || !has("VTKHDF/PointData") || !has(name))
      refuse(path_ + " is no snapshot with an array \"" + name + "\"");
    const Handle data(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(H5Dget_space(data), H5Sclose), type(H5Dget_type(data), H5Tclose);
    const bool single = H5Tequal(type, H5T_IEEE_F32LE) > 0;
    const haddr_t offset = data.valid() ? H5Dget_offset(data) : HADDR_UNDEF;
    if (offset == HADDR_UNDEF || (!single && H5Tequal(type, H5T_IEEE_F64LE) <= 0)) damaged(name);
    Array found{.offset = static_cast<std::int64_t>(offset),
                .elements = static_cast<std::int64_t>(H5Sget_simple_extent_npoints(space)),
                .bytes = single ? 4 : 8};
    if (H5Aexists(data, "checksum") <= 0)
      refuse("the snapshot " + path_ + " carries no checksum of \"" + name +
             "\": an older version wrote it, or another program; write it anew");
    const Handle sum(H5Aopen(data, "checksum", H5P_DEFAULT), H5Aclose);
    if (H5Aread(sum, H5T_NATIVE_UINT64, &found.checksum) < 0) damaged(name);
    return found;
  }

  /// Throws unless a field has these points and components.
  void check_shape(const std::string& name, Int3 n, int components) const {
    Shape wanted{hsize_t(n.z), hsize_t(n.y), hsize_t(n.x)};
    if (components > 1) wanted.push_back(hsize_t(components));
    const Shape held = shape(name);
    if (held == wanted) return;
    std::string shape;
    for (const hsize_t count : held) shape += (shape.empty() ? "" : ", ") + std::to_string(count);
    refuse("the snapshot " + path_ + " holds an array of shape (" + shape + "), not the run's " +
           to_string(n) + " points");
  }

  /// Points along z, y, x, and perhaps components.
  Shape shape(const std::string& name) const {
    if (!has("fields") || !has("fields/" + name))
      refuse(path_ + " is no snapshot with a field \"" + name + "\"");
    const Handle data(H5Dopen2(file_, ("fields/" + name).c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(H5Dget_space(data), H5Sclose);
    Shape held(std::size_t(std::max(0, H5Sget_simple_extent_ndims(space))));
    H5Sget_simple_extent_dims(space, held.data(), nullptr);
    return held;
  }

  UniformField uniform(const std::string& name) const {
    const Shape held = shape(name);
    if (held.size() < 3 || !has("grid") || H5Aexists_by_name(file_, "grid", "Spacing", H5P_DEFAULT) <= 0)
      refuse("the points of the snapshot " + path_ + " have no uniform spacing");
    const auto three = [&](const char* attribute) {
      const Handle stored(H5Aopen_by_name(file_, "grid", attribute, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
      std::array<double, 3> values{};
      const Handle space(H5Aget_space(stored), H5Sclose);
      if (H5Sget_simple_extent_npoints(space) != 3 || H5Aread(stored, H5T_NATIVE_DOUBLE, values.data()) < 0)
        damaged(std::string("grid/") + attribute);
      return values;
    };
    return {{int(held[2]), int(held[1]), int(held[0])}, {three("Origin"), three("Spacing")}};
  }

  [[noreturn]] void damaged(const std::string& name) const {
    throw Error(Exit::storage,
                "the snapshot " + path_ + " is damaged: its array \"" + name + "\" cannot be read");
  }
};

/// Collective: verifies a checksum; every rank reads an equal share of the bytes.
void check_sum(const Context& context, const std::string& path, const std::string& name, const Array& array) {
  std::uint64_t sum = 0;
  context.together([&] {
    const File file(path, File::Mode::read);
    constexpr std::int64_t batch = 1 << 18;
    std::vector<std::byte> bytes;
    const std::int64_t first = array.elements * context.rank() / context.size();
    const std::int64_t last = array.elements * (context.rank() + 1) / context.size();
    for (std::int64_t at = first; at < last; at += batch) {
      const auto count = static_cast<std::size_t>(std::min(batch, last - at));
      bytes.resize(count * static_cast<std::size_t>(array.bytes));
      file.read(array.offset + at * array.bytes, bytes.data(), bytes.size());
      sum += checksum(bytes.data(), count, static_cast<std::size_t>(array.bytes),
                      static_cast<std::uint64_t>(at));
    }
  });
  if (context.sum(sum) != array.checksum)
    throw Error(Exit::storage,
                "the snapshot " + path + " is damaged: the checksum of \"" + name + "\" does not match");
}

/// Reads the cells of a part from a file with interleaved components: put(component, first cell of a row, x
/// offset in it, value).
template <class Stored, class Put>
void read_rows(const std::string& path, const Array& array, const Part& part, std::size_t components,
               const Put& put) {
  const File file(path, File::Mode::read);
  const auto nx = static_cast<std::size_t>(part.box.extent().x);
  read_part(file, array.offset, part, components * sizeof(Stored), [&](Int3 first, const std::byte* row) {
    for (std::size_t k = 0; k < components; ++k)
      for (std::size_t x = 0; x < nx; ++x) {
        Stored value{};
        std::memcpy(&value, row + (x * components + k) * sizeof(Stored), sizeof(Stored));
        put(static_cast<int>(k), first, x, value);
      }
  });
}

template <class Put>
void read_points(const std::string& path, const Array& array, const Part& part, int components,
                 const Put& put) {
  const auto count = static_cast<std::size_t>(components);
  if (array.bytes == 4)
    read_rows<float>(path, array, part, count, put);
  else
    read_rows<double>(path, array, part, count, put);
}

template <class T>
void read_own(const std::string& path, const Array& array, Storage& storage) {
  const Part part = part_of(storage.grid(), 0);
  read_points(path, array, part, storage.components(), [&](int k, Int3 first, std::size_t x, auto value) {
    reinterpret_cast<T*>(cell_address(storage, part, k, first))[x] = static_cast<T>(value);
  });
}

/// Collective: the position of a field in the file, after verification of its shape and checksum.
Array checked_field(const Context& context, const std::string& path, const std::string& name, Int3 points,
                    int components) {
  const std::string array_name = "VTKHDF/PointData/" + name;
  Array array;
  context.together([&] {
    const Source source(path);
    source.check_shape(name, points, components);
    array = source.array(array_name);
    if (array.elements != std::int64_t{points.x} * points.y * points.z * components)
      source.damaged(array_name);
  });
  check_sum(context, path, array_name, array);
  return array;
}

}  // namespace

UniformField find_uniform_field(const Context& context, const std::string& path, const std::string& name) {
  UniformField found;
  context.together([&] { found = Source(path).uniform(name); });
  return found;
}

void read_snapshot_field(const std::string& path, const std::string& name, Storage& storage) {
  const Context& context = storage.grid().context();
  const Array array = checked_field(context, path, name, storage.grid().cells(), storage.components());
  storage.begin_host_write();
  context.together([&] {
    if (storage.type() == ElementType::f64)
      read_own<double>(path, array, storage);
    else if (storage.type() == ElementType::f32)
      read_own<float>(path, array, storage);
    else
      refuse("the field \"" + name + "\" of a snapshot can be read into real numbers only");
  });
}

std::vector<double> read_snapshot_box(const Context& context, const std::string& path,
                                      const std::string& name, Int3 points, int components, const Box& box) {
  const Array array = checked_field(context, path, name, points, components);
  std::vector<double> values(static_cast<std::size_t>(components) * static_cast<std::size_t>(box.cells()));
  context.together([&] {
    if (box.empty()) return;
    const Part part{.extent = points, .box = box, .shift = {}};
    const Int3 n = box.extent();
    read_points(path, array, part, components, [&](int k, Int3 first, std::size_t x, auto value) {
      const Int3 at = first - box.lo;
      const std::int64_t row = (std::int64_t{k} * n.z + at.z) * n.y + at.y;
      values[static_cast<std::size_t>(row * n.x + at.x) + x] = static_cast<double>(value);
    });
  });
  return values;
}

void check_snapshot_points(const Context& context, const std::string& path) {
  bool ours = false;
  Array array;
  context.together([&] {
    const Source source(path);
    ours = source.is_snapshot();
    if (ours) array = source.array("VTKHDF/Points");
  });
  if (ours) check_sum(context, path, "VTKHDF/Points", array);
}

}  // namespace sc::io
