// SPDX-License-Identifier: Apache-2.0
// Cubic: Lagrange interpolation on four successive points of an axis, as a function of the index.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace sc::cavity {

/// Weights of the points first … first + 3 at xi, and their derivatives.
struct Cubic {
  int first = 0;
  std::array<double, 4> w{}, dw{};

  /// The four points are chosen from lo … hi - 1, which must be at least four.
  Cubic(int lo, int hi, double xi) : first(std::clamp(int(std::floor(xi)) - 1, lo, hi - 4)) {
    for (int q = 0; q < 4; ++q) {
      double value = 1, slope = 0;
      for (int r = 0; r < 4; ++r) {
        if (r == q) continue;
        const double scale = 1.0 / (q - r);
        slope = slope * (xi - first - r) * scale + value * scale;
        value *= (xi - first - r) * scale;
      }
      w[std::size_t(q)] = value;
      dw[std::size_t(q)] = slope;
    }
  }
};

}  // namespace sc::cavity
