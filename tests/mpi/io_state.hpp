// SPDX-License-Identifier: Apache-2.0
// Common parts of the tests of io: a folder, a subset of the ranks as a Context, and fields whose values
// follow from their positions, with NaN or -1 where nothing may be read.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

#include "engine/base/context.hpp"
#include "engine/field/field.hpp"
#include "engine/grid/cells.hpp"
#include "io/part.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {

/// A new empty folder among the temporary files, the same on all ranks, closed to other users.
class Folder : public SharedFolder {
 public:
  explicit Folder(Context& context)
      : SharedFolder(context, "subcurrent_io_", std::filesystem::temp_directory_path()) {
    if (context.rank() == 0) {
      std::filesystem::create_directory(path());
      std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
    }
    context.barrier();
  }
  std::string operator/(const std::string& name) const { return path() + "/" + name; }
  int entries() const {
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(path()), {}));
  }
};

/// Runs `body` on the first `count` ranks, with a Context of these.
template <class F>
void on_ranks(Context& all, int count, F&& body) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(all.comm(), all.rank() < count ? 0 : MPI_UNDEFINED, all.rank(), &part);
  if (part != MPI_COMM_NULL) {
    Context context(part, {});
    body(context);
    context.close();
    MPI_Comm_free(&part);
  }
  all.barrier();
}

template <class T>
T value_at(int seed, int k, std::int64_t x, std::int64_t y, std::int64_t z) {
  const double v = seed + 0.1 * k + 1.0 / 3 + static_cast<double>(x + 37 * (y + 41 * z));
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(v * 10);
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(v);
  else
    return T(static_cast<typename T::value_type>(v), static_cast<typename T::value_type>(-2 * v));
}

template <class T>
T nothing() {
  if constexpr (std::is_integral_v<T>)
    return -1;
  else
    return T(std::numeric_limits<double>::quiet_NaN());
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Calls f(value, component, global x, y, z) for every value of `storage` that belongs to a file.
template <class T, class F>
void for_each_value(const Storage& storage, int layers, F&& f) {
  const Grid& grid = storage.grid();
  const io::Part part = io::part_of(grid, layers);
  const Int3 origin = grid.origin();
  for (int k = 0; k < storage.components(); ++k)
    each_cell(part.box, [&](Int3 c) {
      const Int3 local = c + part.shift;
      T& value =
          reinterpret_cast<T*>(storage.base())[k * storage.component_stride() + grid.layout().offset(local)];
      f(value, k, origin.x + local.x, origin.y + local.y, origin.z + local.z);
    });
}

/// Sets everything, including padding and halo, to nothing().
template <class T>
void wipe(Storage& storage) {
  const Layout& layout = storage.grid().layout();
  T* begin = reinterpret_cast<T*>(storage.base()) - layout.origin;
  for (int k = 0; k < storage.components(); ++k)
    std::fill_n(begin + k * storage.component_stride(), layout.elements, nothing<T>());
}

template <class T>
void set(Storage& storage, int layers, int seed) {
  wipe<T>(storage);
  for_each_value<T>(storage, layers,
                    [&](T& v, int k, auto x, auto y, auto z) { v = value_at<T>(seed, k, x, y, z); });
}

template <class T>
std::int64_t wrong(const Storage& storage, int layers, int seed) {
  std::int64_t count = 0;
  for_each_value<T>(storage, layers, [&](T& v, int k, auto x, auto y, auto z) {
    count += !same_bits(v, value_at<T>(seed, k, x, y, z));
  });
  return count;
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void put_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// The sentence and code of the Error that `action` throws on this rank; empty and ok if it throws none.
template <class F>
std::pair<std::string, Exit> error_of(F&& action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.what(), error.code()};
  }
  return {"", Exit::ok};
}

/// Acts as an ordinary user during its lifetime, so that permissions apply even to root.
class OrdinaryUser {
 public:
  OrdinaryUser() : was_(geteuid()) {
    if (was_ == 0) done_ = seteuid(65534) == 0;
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;
  ~OrdinaryUser() {
    if (done_ && seteuid(was_) != 0) std::abort();
  }

 private:
  uid_t was_;
  bool done_ = false;
};

}  // namespace sc::test
