// SPDX-License-Identifier: Apache-2.0
// A small interface to HDF5: handles that close themselves, errors as one sentence, and a file whose metadata
// rank 0 creates and whose arrays all ranks fill.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/field/storage.hpp"

namespace sc::io {

using Shape = std::vector<hsize_t>;

/// An HDF5 identifier with the function that closes it.
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
  /// Closes now. Returns false on failure: this is the last point where a full disk is detected.
  bool close() {
    const hid_t id = id_;
    id_ = H5I_INVALID_HID;
    return id < 0 || close_(id) >= 0;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// Disables printing of HDF5's error stack during its lifetime.
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

/// The message of the innermost HDF5 call that failed last; the operating system's message if there is one.
std::string h5_cause();

/// The storage type of an element; complex numbers as the compound {r, i} that h5py reads as complex.
Handle h5_type(ElementType type);
Handle h5_string(std::size_t length);

/// An HDF5 file that is read; every fault is an Error with one sentence that names it as `noun`.
class H5Source {
 protected:
  /// Throws Error with `code` unless the file is a readable HDF5 file.
  H5Source(const std::string& path, const std::string& noun, Exit code);
  void open();
  [[noreturn]] void fail(const std::string& sentence) const { throw Error(code_, sentence); }
  bool has(const std::string& name) const { return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0; }

  QuietH5 quiet_;
  std::string path_, noun_;
  Exit code_;
  Handle file_;
};

/// The metadata of a new file, created by one rank: every array gets its offset at once, and all ranks fill
/// it later without HDF5. (Collective HDF5 writes through Open MPI lose data on a full disk without an error;
/// see docs/decisions/0011-parallel-files.md.)
class H5Layout {
 public:
  /// `bytes` is the size of all arrays; throws if the disk has less space. The first `head` bytes of the file
  /// (0, or a power of two from 512 on) belong to the caller.
  H5Layout(const std::string& path, std::int64_t bytes, std::int64_t head = 0);

  /// Adds an array without data; returns its offset in the file, in bytes.
  std::int64_t array(const std::string& name, hid_t type, const Shape& shape);
  /// Adds a small array with its values.
  void values(const std::string& name, std::span<const std::int64_t> values);
  void values(const std::string& name, std::span<const double> values);
  void value(const std::string& name, double value);
  /// Adds an array of `length` equal bytes, which takes no space.
  void constant(const std::string& name, hsize_t length, std::uint8_t value);
  /// A virtual dataset of another shape: of a whole array, or of slice `slice` of its last axis. It takes no
  /// space.
  void view(const std::string& name, const std::string& source, const Shape& shape,
            std::optional<hsize_t> slice = std::nullopt);
  void group(const std::string& name);

  /// Makes a one-dimensional array with values an HDF5 dimension scale.
  void dimension(const std::string& name);
  /// Adds a dimension of this length without values, as netCDF-4 writes it.
  void dimension(const std::string& name, hsize_t length);
  /// Sets the names of an array's dimensions, slowest first.
  void along(const std::string& name, const std::vector<std::string>& dimensions);

  void attribute(const std::string& object, const std::string& name, const std::string& text);
  void attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values);
  void attribute(const std::string& object, const std::string& name, std::span<const double> values);
  void attribute(const std::string& object, const std::string& name, double value);
  void attribute(const std::string& object, const std::string& name, std::uint64_t value);
  void attribute(const std::string& object, const std::string& name, std::int64_t value) {
    attribute(object, name, std::span<const std::int64_t>(&value, 1), true);
  }

  /// Writes the metadata and allocates space for the arrays.
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
