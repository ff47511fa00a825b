// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform as its definition says, in long double; nothing of spectral/ is used.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

namespace sc::test {

using Wide = std::complex<long double>;

/// sum_j line[j] exp(sign 2 pi i j k / n) for every k, the angles reduced exactly.
inline std::vector<Wide> dft(const std::vector<Wide>& line, int sign) {
  const std::size_t n = line.size();
  std::vector<Wide> root(n), modes(n);
  for (std::size_t j = 0; j < n; ++j) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(j) / static_cast<long double>(n);
    root[j] = {std::cos(angle), static_cast<long double>(sign) * std::sin(angle)};
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) {
      const Wide& w = root[j * k % n];  // spelled out: the operator looks for infinities
      modes[k] += Wide(line[j].real() * w.real() - line[j].imag() * w.imag(),
                       line[j].real() * w.imag() + line[j].imag() * w.real());
    }
  return modes;
}

/// The same along every axis of an array [z][y][x], axis after axis.
inline std::vector<Wide> dft(std::vector<Wide> a, int nx, int ny, int nz, int sign) {
  const std::size_t n[3] = {std::size_t(nx), std::size_t(ny), std::size_t(nz)};
  const std::size_t stride[3] = {1, n[0], n[0] * n[1]};
  for (int axis = 0; axis < 3; ++axis)
    for (std::size_t at = 0; at < a.size(); ++at) {
      if (at / stride[axis] % n[axis] != 0) continue;
      std::vector<Wide> line(n[axis]);
      for (std::size_t j = 0; j < n[axis]; ++j) line[j] = a[at + j * stride[axis]];
      line = dft(line, sign);
      for (std::size_t j = 0; j < n[axis]; ++j) a[at + j * stride[axis]] = line[j];
    }
  return a;
}

/// A value in [-1, 1) that depends on the global position alone.
inline double noise(std::int64_t x, std::int64_t y, std::int64_t z, unsigned seed = 1) {
  std::seed_seq mix{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                    static_cast<std::uint32_t>(z), seed};
  std::minstd_rand random(mix);
  return std::uniform_real_distribution<double>(-1, 1)(random);
}

}  // namespace sc::test
