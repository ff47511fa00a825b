// SPDX-License-Identifier: Apache-2.0
// Cells and boxes: index triples and half-open ranges of cells, x contiguous in memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace sc {

struct Int3 {
  int x = 0, y = 0, z = 0;

  constexpr int& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
  constexpr int operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  friend constexpr bool operator==(Int3, Int3) = default;
  friend constexpr Int3 operator+(Int3 a, Int3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Int3 operator-(Int3 a, Int3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
};

struct Bool3 {
  bool x = false, y = false, z = false;
  constexpr bool operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  friend constexpr bool operator==(Bool3, Bool3) = default;
};

/// Global position of a cell; 64 bits, so that products of them cannot overflow in a kernel.
struct Index {
  std::int64_t x = 0, y = 0, z = 0;
};

/// lo <= cell < hi on every axis; empty when any axis is.
struct Box {
  Int3 lo, hi;

  constexpr Int3 extent() const {
    return {std::max(0, hi.x - lo.x), std::max(0, hi.y - lo.y), std::max(0, hi.z - lo.z)};
  }
  constexpr bool empty() const { return hi.x <= lo.x || hi.y <= lo.y || hi.z <= lo.z; }
  constexpr std::int64_t cells() const {
    const Int3 n = extent();
    return empty() ? 0 : std::int64_t{n.x} * n.y * n.z;
  }
  constexpr bool contains(Int3 c) const {
    return lo.x <= c.x && c.x < hi.x && lo.y <= c.y && c.y < hi.y && lo.z <= c.z && c.z < hi.z;
  }
  constexpr Box shifted(Int3 by) const { return {lo + by, hi + by}; }
  /// Grown by `by` layers on both sides of every axis (shrunk where negative).
  constexpr Box grown(Int3 by) const { return {lo - by, hi + by}; }
  friend constexpr bool operator==(const Box&, const Box&) = default;
};

constexpr Box intersect(const Box& a, const Box& b) {
  return {{std::max(a.lo.x, b.lo.x), std::max(a.lo.y, b.lo.y), std::max(a.lo.z, b.lo.z)},
          {std::min(a.hi.x, b.hi.x), std::min(a.hi.y, b.hi.y), std::min(a.hi.z, b.hi.z)}};
}

inline std::string to_string(Int3 v) {
  std::string text = "[";  // put together by +, GCC 12 warns of copies that are not there
  text.append(std::to_string(v.x)).append(", ").append(std::to_string(v.y)).append(", ");
  return text.append(std::to_string(v.z)).append("]");
}

/// One of the six faces of a box.
struct Face {
  int axis = 0;  ///< 0 x, 1 y, 2 z
  int side = 0;  ///< 0 low, 1 high
  friend constexpr bool operator==(Face, Face) = default;
};
inline std::string face_name(Face face) {
  return std::string(1, "xyz"[face.axis]).append(face.side == 0 ? "_low" : "_high");
}
constexpr Face x_low{0, 0}, x_high{0, 1}, y_low{1, 0}, y_high{1, 1}, z_low{2, 0}, z_high{2, 1};
inline constexpr std::array all_faces{x_low, x_high, y_low, y_high, z_low, z_high};

}  // namespace sc
