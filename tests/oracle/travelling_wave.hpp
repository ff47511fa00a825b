// SPDX-License-Identifier: Apache-2.0
// The speed of an isothermal plane front, from its ordinary differential equation by shooting.
#pragma once

#include <cmath>

namespace oracle {

/// phi(x - V t) with a phi'' + V phi' + r F = 0, F = phi (1 - phi) (phi - 1/2 + beta phi (1 - phi)); phi = 1
/// behind and 0 ahead. With the slope p = -phi' as a function of phi: dp/dphi = V / a - r F / (a p), from p =
/// 0 at phi = 1 to p = 0 at phi = 0. Too fast a wave runs out of slope before phi = 0. The variable is z with
/// phi = 1 / (1 + exp z), which resolves both ends.
inline double wave_speed(double a, double r, double beta) {
  const auto F = [&](double phi) { return phi * (1 - phi) * (phi - 0.5 + beta * phi * (1 - phi)); };
  const auto too_fast = [&](double V) {
    constexpr int steps = 5000;
    constexpr double first = 1e-6;
    // Beside phi = 1: F = (1 - phi) / 2 and p = k (1 - phi) with a k^2 + V k = r / 2.
    double p = first * (-V + std::sqrt(V * V + 2 * a * r)) / (2 * a);
    const double end = std::log((1 - first) / first), h = 2 * end / steps;
    const auto slope = [&](double z, double q) {
      const double phi = 1 / (1 + std::exp(z));
      return -(V / a - r * F(phi) / (a * q)) * phi * (1 - phi);
    };
    for (int n = 0; n < steps; ++n) {
      const double z = -end + n * h;
      const double k1 = slope(z, p), k2 = slope(z + h / 2, p + h / 2 * k1);
      const double k3 = slope(z + h / 2, p + h / 2 * k2), k4 = slope(z + h, p + h * k3);
      p += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      if (!(p > 0)) return true;
    }
    return false;
  };
  double low = 0, high = 10 * std::sqrt(a * r) * (1 + beta);
  for (int n = 0; n < 60; ++n) {
    const double middle = 0.5 * (low + high);
    (too_fast(middle) ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace oracle
