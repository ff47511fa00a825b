// SPDX-License-Identifier: Apache-2.0
// The little of HDF5 that io needs: handles that close themselves, failures as one sentence, and a file whose
// structure rank 0 makes and whose arrays everybody fills.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/field/storage.hpp"

namespace sc::io {

using Shape = std::vector<hsize_t>;

/// An HDF5 identifier and the call that closes it.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close with) : id_(id), close_(with) {}
  Handle(Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = H5I_INVALID_HID; }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }
  /// Closes now; false when that fails, which is where a full disk is noticed last.
  bool close() {
    const hid_t id = id_;
    id_ = H5I_INVALID_HID;
    return id < 0 || close_(id) >= 0;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// Keeps HDF5 from printing its own error stack while it lives.
class QuietH5 {
 public:
  QuietH5();
  QuietH5(const QuietH5&) = delete;
  QuietH5& operator=(const QuietH5&) = delete;
  ~QuietH5();

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// What the innermost HDF5 call said when the last one failed: the operating system's words where it has any.
std::string h5_cause();

/// How an element is stored; complex numbers as the pair {r, i} that h5py reads as complex.
Handle h5_type(ElementType type);
Handle h5_string(std::size_t length);

/// The structure of a new file, made by one rank: every array gets its place at once and is filled later, by
/// all ranks, past HDF5. (Collective HDF5 writes through Open MPI lose data on a full disk without an error;
/// see docs/decisions/0011-parallel-files.md.)
class H5Layout {
 public:
  /// `bytes` is what the arrays will take; a disk without that much room is refused here. The first `head`
  /// bytes of the file (0, or a power of two from 512 on) are left to the caller.
  H5Layout(const std::string& path, std::int64_t bytes, std::int64_t head = 0);

  /// An array without content yet; its offset in the file.
  std::int64_t array(const std::string& name, hid_t type, const Shape& shape);
  /// A small array, written now.
  void values(const std::string& name, std::span<const std::int64_t> values);
  void values(const std::string& name, std::span<const double> values);
  void value(const std::string& name, double value);
  /// An array of bytes that all have this value and take no room.
  void constant(const std::string& name, hsize_t length, std::uint8_t value);
  /// Another shape for a whole array, or for the last-axis slice `slice` of one; it takes no room.
  void view(const std::string& name, const std::string& source, const Shape& shape,
            std::optional<hsize_t> slice = std::nullopt);
  void group(const std::string& name);

  /// Makes an array of one dimension, values given, an HDF5 dimension scale that others lie along.
  void dimension(const std::string& name);
  /// A dimension of this length that has no values, as netCDF-4 writes one.
  void dimension(const std::string& name, hsize_t length);
  /// The dimensions of an array by their names, slowest first.
  void along(const std::string& name, const std::vector<std::string>& dimensions);

  void attribute(const std::string& object, const std::string& name, const std::string& text);
  void attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values);
  void attribute(const std::string& object, const std::string& name, std::span<const double> values);
  void attribute(const std::string& object, const std::string& name, double value);
  void attribute(const std::string& object, const std::string& name, std::uint64_t value);
  void attribute(const std::string& object, const std::string& name, std::int64_t value) {
    attribute(object, name, std::span<const std::int64_t>(&value, 1), true);
  }

  /// Writes the structure and claims room for the arrays.
  void finish();

 private:
  void attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values,
                 bool scalar);
  void put_attribute(const std::string& object, const std::string& name, hid_t type, hid_t space,
                     const void* data);
  void put_text(const std::string& object, const std::string& name, const std::string& text);
  void put_values(const std::string& name, hid_t type, std::size_t count, const void* data);
  hid_t check(hid_t code) const;
  Handle create(const std::string& name, hid_t type, const Shape& shape, hid_t creation) const;

  QuietH5 quiet_;
  std::string path_;
  Handle file_;
};

}  // namespace sc::io
