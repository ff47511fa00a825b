// SPDX-License-Identifier: Apache-2.0
// Snapshots read back: every rank reads the block of points that it owns, after all have been summed up.
#include "io/snapshot_file.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/base/error.hpp"
#include "io/checksum.hpp"
#include "io/file.hpp"
#include "io/h5.hpp"
#include "io/part.hpp"

namespace sc::io {

namespace {

/// What a snapshot says of an array: where it lies, of what numbers, and their checksum.
struct Array {
  std::int64_t offset = 0, elements = 0;
  std::int64_t bytes = 8;  ///< of an element, 4 or 8
  std::uint64_t checksum = 0;
};

/// An open snapshot. What HDF5 keeps of its structure carries checksums of HDF5's own.
class Source {
 public:
  explicit Source(const std::string& path) : path_(path) {
    const File readable(path, File::Mode::read);  // says why when it is not
    if (H5Fis_hdf5(path.c_str()) <= 0) refuse(path + " is no snapshot: it is not an HDF5 file");
    file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file_.valid()) refuse("the snapshot " + path + " cannot be opened: " + h5_cause());
  }

  bool is_snapshot() const { return H5Aexists(file_, "format") > 0 && has("VTKHDF"); }

  /// Throws Error (storage) where the file ends before the array does.
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

  /// Whether a field has the points and components of `storage`.
  void check_shape(const std::string& name, const Storage& storage) const {
    if (!has("fields") || !has("fields/" + name))
      refuse(path_ + " is no snapshot with a field \"" + name + "\"");
    const Handle data(H5Dopen2(file_, ("fields/" + name).c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(H5Dget_space(data), H5Sclose);
    const Int3 n = storage.grid().cells();
    std::vector<hsize_t> wanted{hsize_t(n.z), hsize_t(n.y), hsize_t(n.x)};
    if (storage.components() > 1) wanted.push_back(hsize_t(storage.components()));
    std::vector<hsize_t> held(std::size_t(std::max(0, H5Sget_simple_extent_ndims(space))));
    H5Sget_simple_extent_dims(space, held.data(), nullptr);
    if (held == wanted) return;
    std::string shape;
    for (const hsize_t count : held) shape += (shape.empty() ? "" : ", ") + std::to_string(count);
    refuse("the snapshot " + path_ + " holds an array of shape (" + shape + "), not the run's " +
           to_string(n) + " points");
  }

  [[noreturn]] void damaged(const std::string& name) const {
    throw Error(Exit::storage,
                "the snapshot " + path_ + " is damaged: its array \"" + name + "\" cannot be read");
  }

 private:
  bool has(const std::string& name) const { return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0; }

  QuietH5 quiet_;
  std::string path_;
  Handle file_;
};

/// Collective: every rank sums up an even share of the bytes.
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

/// Own cells from the file, where the components of a point lie side by side.
template <class Stored, class T>
void read_points(const std::string& path, const Array& array, Storage& storage) {
  const File file(path, File::Mode::read);
  const Part part = part_of(storage.grid(), 0);
  const auto components = static_cast<std::size_t>(storage.components());
  const auto nx = static_cast<std::size_t>(part.box.extent().x);
  read_part(file, array.offset, part, components * sizeof(Stored), [&](Int3 first, const std::byte* row) {
    for (std::size_t k = 0; k < components; ++k) {
      T* const to = reinterpret_cast<T*>(cell_address(storage, part, static_cast<int>(k), first));
      for (std::size_t x = 0; x < nx; ++x) {
        Stored value{};
        std::memcpy(&value, row + (x * components + k) * sizeof(Stored), sizeof(Stored));
        to[x] = static_cast<T>(value);
      }
    }
  });
}

template <class T>
void read_points_of(const std::string& path, const Array& array, Storage& storage) {
  if (array.bytes == 4)
    read_points<float, T>(path, array, storage);
  else
    read_points<double, T>(path, array, storage);
}

}  // namespace

void read_snapshot_field(const std::string& path, const std::string& name, Storage& storage) {
  const Context& context = storage.grid().context();
  const std::string array_name = "VTKHDF/PointData/" + name;
  Array array;
  context.together([&] {
    const Source source(path);
    source.check_shape(name, storage);
    array = source.array(array_name);
    const Int3 n = storage.grid().cells();
    if (array.elements != std::int64_t{n.x} * n.y * n.z * storage.components()) source.damaged(array_name);
  });
  check_sum(context, path, array_name, array);
  storage.begin_host_write();
  context.together([&] {
    if (storage.type() == ElementType::f64)
      read_points_of<double>(path, array, storage);
    else if (storage.type() == ElementType::f32)
      read_points_of<float>(path, array, storage);
    else
      refuse("the field \"" + name + "\" of a snapshot can be read into real numbers only");
  });
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
