// SPDX-License-Identifier: Apache-2.0
// Snapshots read back: every rank reads the block of points that it owns.
#include "io/snapshot_file.hpp"

#include <algorithm>
#include <vector>

#include "engine/base/error.hpp"
#include "io/file.hpp"
#include "io/h5.hpp"

namespace sc::io {

namespace {

/// One field of an open snapshot, its components side by side at each point.
class Source {
 public:
  Source(const std::string& path, const std::string& name) : path_(path) {
    const File readable(path, File::Mode::read);  // says why when it is not
    if (H5Fis_hdf5(path.c_str()) <= 0) refuse(path + " is no snapshot: it is not an HDF5 file");
    file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file_.valid()) refuse("the snapshot " + path + " cannot be opened: " + h5_cause());
    const std::string full = "fields/" + name;
    if (H5Lexists(file_, "fields", H5P_DEFAULT) <= 0 || H5Lexists(file_, full.c_str(), H5P_DEFAULT) <= 0)
      refuse(path + " is no snapshot with a field \"" + name + "\"");
    data_ = Handle(H5Dopen2(file_, full.c_str(), H5P_DEFAULT), H5Dclose);
    space_ = Handle(H5Dget_space(data_), H5Sclose);
  }

  void check(const Storage& storage) const {
    const Int3 n = storage.grid().cells();
    std::vector<hsize_t> wanted{hsize_t(n.z), hsize_t(n.y), hsize_t(n.x)};
    if (storage.components() > 1) wanted.push_back(hsize_t(storage.components()));
    std::vector<hsize_t> held(std::size_t(std::max(0, H5Sget_simple_extent_ndims(space_))));
    H5Sget_simple_extent_dims(space_, held.data(), nullptr);
    if (held == wanted) return;
    std::string shape;
    for (const hsize_t count : held) shape += (shape.empty() ? "" : ", ") + std::to_string(count);
    refuse("the snapshot " + path_ + " holds an array of shape (" + shape + "), not the run's " +
           to_string(n) + " points");
  }

  std::vector<double> values(const Box& box, int components) const {
    const Int3 n = box.extent();
    const auto size = [](int v) { return static_cast<hsize_t>(v); };
    std::vector<hsize_t> start{size(box.lo.z), size(box.lo.y), size(box.lo.x)};
    std::vector<hsize_t> count{size(n.z), size(n.y), size(n.x)};
    if (components > 1) {
      start.push_back(0);
      count.push_back(size(components));
    }
    const Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
    std::vector<double> result(static_cast<std::size_t>(box.cells() * components));
    if (H5Sselect_hyperslab(space_, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Dread(data_, H5T_NATIVE_DOUBLE, memory, space_, H5P_DEFAULT, result.data()) < 0)
      throw Error(Exit::storage, "cannot read the snapshot " + path_ + ": " + h5_cause());
    return result;
  }

 private:
  QuietH5 quiet_;
  std::string path_;
  Handle file_, data_, space_;
};

template <class T>
void put(const std::vector<double>& values, Storage& storage) {
  const Int3 n = storage.grid().own().extent();
  const int components = storage.components();
  T* const base = reinterpret_cast<T*>(storage.host_base());
  std::size_t i = 0;
  for (int z = 0; z < n.z; ++z)
    for (int y = 0; y < n.y; ++y)
      for (int x = 0; x < n.x; ++x)
        for (int k = 0; k < components; ++k)
          base[k * storage.component_stride() + storage.grid().layout().offset({x, y, z})] =
              static_cast<T>(values[i++]);
}

}  // namespace

void read_snapshot_field(const std::string& path, const std::string& name, Storage& storage) {
  storage.begin_host_write();
  storage.grid().context().together([&] {
    const Source source(path, name);
    source.check(storage);
    if (storage.grid().own().empty()) return;
    const std::vector<double> values = source.values(storage.grid().global_box(), storage.components());
    if (storage.type() == ElementType::f64)
      put<double>(values, storage);
    else if (storage.type() == ElementType::f32)
      put<float>(values, storage);
    else
      refuse("the field \"" + name + "\" of a snapshot can be read into real numbers only");
  });
}

}  // namespace sc::io
