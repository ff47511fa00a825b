// SPDX-License-Identifier: Apache-2.0
// Arrays of every kind that the halo functions support, on one rank, and the expected value of each element:
// own, halo, beyond a boundary, or padding, from a formula of its global position.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/mpi/halo_calls.hpp"

namespace sc::test {

using Index = std::array<std::int64_t, HALO_MAX_DIMS>;

inline std::size_t bytes_of(int type) {
  return type == HALO_COMPLEX64 ? 16 : type == HALO_REAL32 || type == HALO_INT32 ? 4 : 8;
}

/// Writes a value of `type` that is unique to array, position and salt to `out`.
inline void write_value(int type, std::uint64_t number, unsigned char* out) {
  const auto put = [&](auto value) { std::memcpy(out, &value, sizeof value); };
  const auto low = static_cast<std::int32_t>(number % 8388593);
  const auto wide = static_cast<std::int64_t>(number * 1000003);
  switch (type) {
    case HALO_REAL32:
      return put(static_cast<float>(low));
    case HALO_REAL64:
      return put(static_cast<double>(wide % (std::int64_t{1} << 50)) + 0.5);
    case HALO_INT32:
      return put(low);
    case HALO_INT64:
      return put(wide);
    case HALO_COMPLEX32:
      return put(std::complex<float>(static_cast<float>(low), static_cast<float>(-low)));
    default:
      return put(std::complex<double>(static_cast<double>(low), 0.25 - static_cast<double>(low)));
  }
}

struct Shape {
  int type = HALO_REAL64;
  int order = HALO_C_ORDER;
  int dims = 3;
  std::array<int, 4> split{1, 2, 3, 4};
  std::array<int, 4> low{1, 1, 1, 1}, high{1, 1, 1, 1};
  std::array<int, 4> unsplit_cells{2, 2, 2, 2};
  std::array<int, 4> padding{};
};

struct Case {
  int dims = 3;
  Index cells{7, 8, 9, 5};  // along the process dimensions
  std::array<std::int32_t, 4> processes{};
  std::array<int, 4> periodic{};
  int transport = HALO_AUTOMATIC;
  std::int64_t piece_bytes = 60 * 1024;
  int uneven = 0;  // cells that the first block of every dimension has in addition
  std::vector<Shape> shapes{};
};

/// A value that the library does not know, for: automatic, with arrays in memory of halo_allocate.
inline constexpr int allocated = -1;

/// The arrays of a test case on this rank, with their expected values.
class Arrays {
 public:
  explicit Arrays(const Case& c) : c_(c) {
    processes_ = c.processes;
    EXPECT_TRUE(ok(halo_decompose(MPI_COMM_WORLD, c.dims, c.cells.data(), processes_.data(), first_.data(),
                                  own_.data())));
    make_uneven();
    for (const Shape& s : c.shapes) {
      halo_array a{};
      a.size = sizeof a;
      a.type = s.type;
      a.dims = s.dims;
      a.order = s.order;
      std::size_t elements = 1;
      for (int i = 0; i < s.dims; ++i) {
        const auto n = static_cast<std::size_t>(i);
        a.split[i] = s.split[n];
        a.cells[i] = s.split[n] ? own_[static_cast<std::size_t>(s.split[n] - 1)] : s.unsplit_cells[n];
        a.low[i] = s.split[n] ? s.low[n] : 0;
        a.high[i] = s.split[n] ? s.high[n] : 0;
        a.allocated[i] = a.low[i] + a.cells[i] + a.high[i] + s.padding[n];
        elements *= static_cast<std::size_t>(a.allocated[i]);
      }
      bytes_.push_back(elements * bytes_of(s.type));
      arrays_.push_back(a);
    }
    memory_.resize(arrays_.size());
    for (std::size_t n = 0; n < arrays_.size(); ++n) {
      if (c.transport == allocated) {
        EXPECT_TRUE(ok(halo_allocate(MPI_COMM_WORLD, bytes_[n], &arrays_[n].data)));
      } else {
        memory_[n].resize(bytes_[n]);
        arrays_[n].data = memory_[n].data();
      }
    }
    halo_options options = halo_options_of(c.dims);
    std::copy(processes_.begin(), processes_.end(), options.processes);
    std::copy(c.periodic.begin(), c.periodic.end(), options.periodic);
    options.transport = c.transport == allocated ? HALO_AUTOMATIC : c.transport;
    options.piece_bytes = c.piece_bytes;
    options.timeout = 60;
    EXPECT_TRUE(
        ok(halo_init(&handle, MPI_COMM_WORLD, arrays_.data(), static_cast<int>(arrays_.size()), &options)));
  }
  ~Arrays() {
    EXPECT_TRUE(ok(halo_finalize(&handle)));
    for (halo_array& a : arrays_)
      if (c_.transport == allocated) {
        EXPECT_TRUE(ok(halo_free(&a.data)));
      }
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  void fill(int salt) {
    salt_ = salt;
    each([&](std::size_t n, const Index& at, unsigned char* out) {
      if (!kind_of(n, at).own) return write_value(arrays_[n].type, untouched, out);
      write_value(arrays_[n].type, number(n, at), out);
    });
  }
  /// Number of elements that differ from the expectation; `diagonals`: whether edges and corners were
  /// exchanged.
  std::int64_t wrong(bool diagonals = true) {
    std::int64_t count = 0;
    each([&](std::size_t n, const Index& at, const unsigned char* found) {
      std::array<unsigned char, 16> expected{};
      const CellKind kind = kind_of(n, at);
      const bool filled = kind.own || (kind.inside && (diagonals || kind.outside == 1));
      write_value(arrays_[n].type, filled ? number(n, at) : untouched, expected.data());
      count += std::memcmp(expected.data(), found, bytes_of(arrays_[n].type)) != 0;
    });
    return count;
  }
  halo_handle handle = HALO_NULL;

 private:
  static constexpr std::uint64_t untouched = 8388500;
  struct CellKind {
    bool own = true;     // an own cell, not halo or padding
    bool inside = true;  // a cell of some rank
    int outside = 0;     // number of dimensions along which it is not own
  };
  void make_uneven() {
    for (int a = 0; a < c_.dims && c_.uneven; ++a) {
      const auto n = static_cast<std::size_t>(a);
      const bool begins = first_[n] == 0, ends = first_[n] + own_[n] == c_.cells[n];
      if (begins && !ends) own_[n] += c_.uneven;
      if (!begins && ends) own_[n] -= c_.uneven;
      if (!begins) first_[n] += c_.uneven;
    }
  }
  /// Calls `visit(array, index in memory, element)` for every element in memory.
  template <class Visit>
  void each(Visit visit) {
    for (std::size_t n = 0; n < arrays_.size(); ++n) {
      const halo_array& a = arrays_[n];
      const std::size_t size = bytes_of(a.type);
      Index at{};
      for (std::size_t e = 0; e < bytes_[n] / size; ++e) {
        std::size_t rest = e;
        for (int k = 0; k < a.dims; ++k) {
          const int i = a.order == HALO_FORTRAN_ORDER ? k : a.dims - 1 - k;
          at[static_cast<std::size_t>(i)] =
              static_cast<std::int64_t>(rest % static_cast<std::size_t>(a.allocated[i]));
          rest /= static_cast<std::size_t>(a.allocated[i]);
        }
        visit(n, at, static_cast<unsigned char*>(a.data) + e * size);
      }
    }
  }
  CellKind kind_of(std::size_t n, const Index& at) const {
    const halo_array& a = arrays_[n];
    CellKind kind;
    for (int i = 0; i < a.dims; ++i) {
      const std::int64_t cell = at[static_cast<std::size_t>(i)] - a.low[i];
      if (cell >= 0 && cell < a.cells[i]) continue;
      kind.own = false;
      ++kind.outside;
      if (cell >= a.cells[i] + a.high[i]) kind.inside = false;  // padding
      if (a.split[i] == 0) continue;
      const auto d = static_cast<std::size_t>(a.split[i] - 1);
      const std::int64_t global = first_[d] + cell;
      if ((global < 0 || global >= c_.cells[d]) && !c_.periodic[d]) kind.inside = false;
    }
    return kind;
  }
  std::uint64_t number(std::size_t n, const Index& at) const {
    const halo_array& a = arrays_[n];
    std::uint64_t sum = n + 7U * static_cast<std::uint64_t>(salt_);
    for (int i = 0; i < a.dims; ++i) {
      std::int64_t global = at[static_cast<std::size_t>(i)] - a.low[i];
      if (a.split[i]) {
        const auto d = static_cast<std::size_t>(a.split[i] - 1);
        global = (first_[d] + global + c_.cells[d]) % c_.cells[d];
      }
      sum = sum * 41 + static_cast<std::uint64_t>(global);
    }
    return sum;
  }

  const Case& c_;
  std::array<std::int32_t, 4> processes_{};
  Index first_{}, own_{};
  std::vector<halo_array> arrays_;
  std::vector<std::size_t> bytes_;
  std::vector<std::vector<unsigned char>> memory_;
  int salt_ = 0;
};

}  // namespace sc::test
