// SPDX-License-Identifier: Apache-2.0
// What the options of several solvers must be. All throw Error (bad_input), naming the key.
#pragma once

#include <cmath>
#include <string>

#include "engine/base/error.hpp"
#include "engine/grid/box.hpp"

namespace sc {

/// Of a box, in the order of the options.
constexpr const char* face_names[6] = {"x-", "x+", "y-", "y+", "z-", "z+"};
inline std::string face_key(std::size_t face) { return std::string("boundaries.") + face_names[face]; }

inline void check_positive(const char* key, double value) {
  if (!(value > 0 && std::isfinite(value)))
    refuse(std::string(key) + " is " + std::to_string(value) + "; it must be positive");
}
inline void check_cells(const char* key, Int3 cells) {
  for (int a = 0; a < 3; ++a)
    if (cells[a] < 1) refuse(std::string(key) + " is " + to_string(cells) + "; every axis needs at least 1");
}
/// periodic(face): what the options say of face 0 … 5.
template <class Periodic>
void check_periodic(const Periodic& periodic) {
  for (std::size_t face = 0; face < 6; ++face)
    if (periodic(face) != periodic(face ^ 1U))
      refuse(face_key(face) + ": both faces of an axis must be periodic or none");
}

}  // namespace sc
