// SPDX-License-Identifier: Apache-2.0
// What the options of several solvers are checked for. All throw Error (bad_input).
#pragma once

#include <cmath>
#include <string>

#include "engine/base/error.hpp"

namespace sc {

/// Faces of a box, in the order of options.
constexpr const char* face_names[6] = {"x-", "x+", "y-", "y+", "z-", "z+"};

inline void check_positive(const char* name, double value) {
  if (!(value > 0 && std::isfinite(value)))
    refuse(std::string(name) + " is " + std::to_string(value) + "; it must be positive");
}

}  // namespace sc
