// SPDX-License-Identifier: Apache-2.0
// Checks that the options of several solvers share, and the faces of a box. All checks throw Error
// (bad_input) with the name of the key.
#pragma once

#include <cmath>
#include <sstream>
#include <string>

#include "engine/base/error.hpp"
#include "engine/grid/box.hpp"

namespace sc {

/// Names of the faces of a box, in the order of the options.
constexpr const char* face_names[6] = {"x-", "x+", "y-", "y+", "z-", "z+"};
inline std::string face_key(std::size_t face) { return std::string("boundaries.") + face_names[face]; }

/// use(face, its index in the options)
template <class Use>
void for_each_face(const Use& use) {
  for (std::size_t f = 0; f < all_faces.size(); ++f) use(all_faces[f], f);
}
/// periodic(face), here and below: whether the options declare face 0 … 5 periodic.
template <class Periodic>
Bool3 periodic_axes(const Periodic& periodic) {
  return {periodic(0), periodic(2), periodic(4)};
}

/// Returns the options after check() of their namespace.
template <class Options>
const Options& checked_options(const Options& options) {
  check(options);
  return options;
}
/// With six digits, also of numbers far from 1, of which std::to_string shows zeros.
inline std::string shown(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}
inline void check_positive(const char* key, double value) {
  if (!(value > 0 && std::isfinite(value)))
    refuse(std::string(key) + " is " + shown(value) + "; it must be positive");
}
inline void check_cells(const char* key, Int3 cells) {
  for (int a = 0; a < 3; ++a)
    if (cells[a] < 1) refuse(std::string(key) + " is " + to_string(cells) + "; every axis needs at least 1");
}
template <class Periodic>
void check_periodic(const Periodic& periodic) {
  for (std::size_t face = 0; face < 6; ++face)
    if (periodic(face) != periodic(face ^ 1U))
      refuse(face_key(face) + ": both faces of an axis must be periodic or none");
}

}  // namespace sc
