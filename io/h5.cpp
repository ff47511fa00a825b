// SPDX-License-Identifier: Apache-2.0
// HDF5: error stacks as sentences, and the layout of a file.
#include "io/h5.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "io/file.hpp"

namespace sc::io {

namespace {

// Arrays begin on pages of their own, which they share neither with each other nor with metadata.
constexpr hsize_t page = 4096;
// Space for groups, headers and attributes; far less is used.
constexpr std::int64_t structure_bytes = std::int64_t{1} << 16;

herr_t innermost(unsigned n, const H5E_error2_t* error, void* text) {
  if (n == 0 && error->desc) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

}  // namespace

QuietH5::QuietH5() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietH5::~QuietH5() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

std::string h5_cause() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &text);
  const std::string key = "errno = ";
  if (const auto at = text.find(key); at != std::string::npos)
    if (const int number = std::atoi(text.c_str() + at + key.size()); number != 0) return cause(number);
  return text.empty() ? "HDF5 gives no reason" : text;
}

Handle h5_type(ElementType type) {
  const auto copy = [](hid_t id) { return Handle(H5Tcopy(id), H5Tclose); };
  if (type == ElementType::f32) return copy(H5T_IEEE_F32LE);
  if (type == ElementType::f64) return copy(H5T_IEEE_F64LE);
  if (type == ElementType::i32) return copy(H5T_STD_I32LE);
  if (type == ElementType::i64) return copy(H5T_STD_I64LE);
  const hid_t part = type == ElementType::c32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  Handle pair(H5Tcreate(H5T_COMPOUND, size_of(type)), H5Tclose);
  H5Tinsert(pair, "r", 0, part);
  H5Tinsert(pair, "i", size_of(type) / 2, part);
  return pair;
}

Handle h5_string(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(1, length));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  return type;
}

H5Source::H5Source(const std::string& path, const std::string& noun, Exit code)
    : path_(path), noun_(noun), code_(code) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) fail(noun + " " + path + " does not exist");
  if (std::filesystem::is_directory(path, ignored)) fail(noun + " " + path + " is a folder");
  const File readable(path, File::Mode::read);  // throws with the reason if it is not readable
  if (H5Fis_hdf5(path.c_str()) <= 0) fail(path + " is not a " + noun + ": it is not an HDF5 file");
}

void H5Source::open() {
  file_ = Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file_.valid()) fail(noun_ + " " + path_ + " cannot be opened: " + h5_cause());
}

H5Layout::H5Layout(const std::string& path, std::int64_t bytes, std::int64_t head) : path_(path) {
  // HDF5 does not handle a full disk well, so the space is reserved before HDF5 opens the file.
  File(path, File::Mode::create).reserve(head + bytes + structure_bytes);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Metadata of this version has checksums; HDF5 1.10 and later read it.
  check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110));
  check(H5Pset_alignment(access, page, page));
  // All metadata in one block, before the arrays.
  check(H5Pset_meta_block_size(access, structure_bytes / 2));
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  // No time stamps, here and below: the same fields give the same bytes.
  check(H5Pset_obj_track_times(creation, false));
  check(H5Pset_userblock(creation, static_cast<hsize_t>(head)));
  file_ = Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  check(file_);
}

hid_t H5Layout::check(hid_t code) const {
  if (code < 0) throw Error(Exit::storage, "cannot write " + path_ + ": " + h5_cause());
  return code;
}

Handle H5Layout::create(const std::string& name, hid_t type, const Shape& shape, hid_t creation) const {
  check(H5Pset_obj_track_times(creation, false));
  const Handle space(shape.empty() ? H5Screate(H5S_SCALAR)
                                   : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                     H5Sclose);
  check(space);
  Handle dataset(H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
  check(dataset);
  return dataset;
}

std::int64_t H5Layout::array(const std::string& name, hid_t type, const Shape& shape) {
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY));
  check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER));
  const Handle dataset = create(name, type, shape, creation);
  const haddr_t offset = H5Dget_offset(dataset);
  if (offset == HADDR_UNDEF)
    throw Error(Exit::storage, "cannot write " + path_ + ": " + name + " has no place");
  return static_cast<std::int64_t>(offset);
}

void H5Layout::put_values(const std::string& name, hid_t type, std::size_t count, const void* data) {
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const Handle dataset = create(name, type, {count}, creation);
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
}

void H5Layout::values(const std::string& name, std::span<const std::int64_t> values) {
  put_values(name, H5T_STD_I64LE, values.size(), values.data());
}

void H5Layout::values(const std::string& name, std::span<const double> values) {
  put_values(name, H5T_IEEE_F64LE, values.size(), values.data());
}

void H5Layout::value(const std::string& name, double value) {
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const Handle dataset = create(name, H5T_IEEE_F64LE, {}, creation);
  check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value));
}

void H5Layout::constant(const std::string& name, hsize_t length, std::uint8_t value) {
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_fill_value(creation, H5T_STD_U8LE, &value));
  create(name, H5T_STD_U8LE, {length}, creation);
}

void H5Layout::view(const std::string& name, const std::string& source, const Shape& shape,
                    std::optional<hsize_t> slice) {
  const Handle dataset(H5Dopen2(file_, source.c_str(), H5P_DEFAULT), H5Dclose);
  check(dataset);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const Handle from(H5Dget_space(dataset), H5Sclose);
  const Handle to(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  if (slice) {
    Shape count(static_cast<std::size_t>(H5Sget_simple_extent_ndims(from)));
    check(H5Sget_simple_extent_dims(from, count.data(), nullptr));
    Shape start(count.size(), 0);
    start.back() = *slice;
    count.back() = 1;
    check(H5Sselect_hyperslab(from, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
  }
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_virtual(creation, to, ".", source.c_str(), from));
  create(name, type, shape, creation);
}

void H5Layout::group(const std::string& name) {
  const Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  check(H5Pset_obj_track_times(creation, false));
  const Handle made(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose);
  check(made);
}

// Writes the attributes of HDF5's dimension scales directly, because hdf5_hl, the library for them, is not
// part of wheels.

void H5Layout::dimension(const std::string& name) {
  put_text(name, "CLASS", "DIMENSION_SCALE");
  put_text(name, "NAME", name.substr(name.rfind('/') + 1));
}

void H5Layout::dimension(const std::string& name, hsize_t length) {
  constant(name, length, 0);
  put_text(name, "CLASS", "DIMENSION_SCALE");
  // The text that netCDF-4 writes here, with the length in ten columns.
  const std::string digits = std::to_string(length);
  put_text(name, "NAME",
           "This is a netCDF dimension but not a netCDF variable." +
               std::string(10 - std::min<std::size_t>(10, digits.size()), ' ') + digits);
}

void H5Layout::along(const std::string& name, const std::vector<std::string>& dimensions) {
  std::vector<hobj_ref_t> to(dimensions.size());
  std::vector<hvl_t> lists(dimensions.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    check(H5Rcreate(&to[i], file_, dimensions[i].c_str(), H5R_OBJECT, H5I_INVALID_HID));
    lists[i] = {1, &to[i]};
  }
  const hsize_t count = lists.size();
  const Handle type(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  put_attribute(name, "DIMENSION_LIST", type, space, lists.data());
}

void H5Layout::put_text(const std::string& object, const std::string& name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type, text.size() + 1));  // with a terminating zero, which dimension scales need
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  put_attribute(object, name, type, space, text.c_str());
}

void H5Layout::put_attribute(const std::string& object, const std::string& name, hid_t type, hid_t space,
                             const void* data) {
  const Handle attribute(H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space, H5P_DEFAULT,
                                           H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  check(attribute);
  check(H5Awrite(attribute, type, data));
}

void H5Layout::attribute(const std::string& object, const std::string& name, const std::string& text) {
  const Handle type = h5_string(text.size());
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  put_attribute(object, name, type, space, text.c_str());
}

void H5Layout::attribute(const std::string& object, const std::string& name,
                         std::span<const std::int64_t> values) {
  attribute(object, name, values, false);
}

void H5Layout::attribute(const std::string& object, const std::string& name,
                         std::span<const std::int64_t> values, bool scalar) {
  const hsize_t count = values.size();
  const Handle space(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose);
  put_attribute(object, name, H5T_STD_I64LE, space, values.data());
}

void H5Layout::attribute(const std::string& object, const std::string& name, std::span<const double> values) {
  const hsize_t count = values.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  put_attribute(object, name, H5T_IEEE_F64LE, space, values.data());
}

void H5Layout::attribute(const std::string& object, const std::string& name, double value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  put_attribute(object, name, H5T_IEEE_F64LE, space, &value);
}

void H5Layout::attribute(const std::string& object, const std::string& name, std::uint64_t value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  put_attribute(object, name, H5T_STD_U64LE, space, &value);
}

void H5Layout::finish() {
  hsize_t bytes = 0;
  check(H5Fget_filesize(file_, &bytes));
  if (!file_.close()) throw Error(Exit::storage, "cannot write " + path_ + ": " + h5_cause());
  File(path_, File::Mode::write).reserve(static_cast<std::int64_t>(bytes));
}

}  // namespace sc::io
