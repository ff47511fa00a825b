// SPDX-License-Identifier: Apache-2.0
// Modes: their wavenumbers, their components and the arithmetic that kernels do on them.
#pragma once

#include <array>
#include <cmath>
#include <complex>

#include "engine/exec/for_each.hpp"

namespace sc::turbulence {

// Kernels have the precision of their views. Wavenumbers and coefficients are computed in double and rounded
// to it once.
template <class Real>
using Mode = std::complex<Real>;

/// The wavenumber of a global index on the grid of modes.
struct Wavenumbers {
  std::array<std::int64_t, 3> low;    ///< modes 0 … low - 1 are first
  std::array<std::int64_t, 3> count;  ///< then the negative ones
  template <class Real = double>
  SC_FN std::array<Real, 3> of(Index g) const {
    const auto k = [&](std::size_t axis, std::int64_t i) {
      return static_cast<Real>(i < low[axis] ? i : i - count[axis]);
    };
    return {k(0, g.x), k(1, g.y), k(2, g.z)};
  }
  /// The integer nearest to |k|.
  SC_FN int shell(Index g) const {
    const auto k = of(g);
    return static_cast<int>(std::sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]) + 0.5);
  }
  int shells() const {
    double square = 0;
    for (const std::int64_t l : low) square += static_cast<double>((l - 1) * (l - 1));
    return static_cast<int>(std::sqrt(square) + 0.5) + 1;
  }
};

// Modes are read and written by parts, because GCC copies whole objects one by one and vectorises nothing.
// Modes that are multiplied with each other (times) are an exception: in vectors GCC 12 fuses a b - c d
// (vfmaddsub) even if contraction is off, so that the scalar rest of a row would have other bits.
template <class Real>
SC_FN Mode<Real> value(const Mode<Real>& m) {
  return {m.real(), m.imag()};
}
template <class Real>
SC_FN void set(Mode<Real>& m, const Mode<Real>& to) {
  m.real(to.real());
  m.imag(to.imag());
}

/// A function of the mode that is a product over the axes, f(kx) f(ky) f(kz): three tables by global index.
template <class T>
struct ByAxis {
  const T *x, *y, *z;
  SC_FN T operator()(Index g) const { return x[g.x] * (y[g.y] * z[g.z]); }
};
/// exp(-nu k^2 t): the viscous decay of a mode, and exp(-kappa k^2 t), that of the scalar
struct Decay {
  ByAxis<double> velocity, scalar;
};
/// exp(i k . s): a shift of the points by s
using Shift = ByAxis<Mode<double>>;

/// a b, without the special cases of the standard's product
template <class Real>
SC_FN Mode<Real> times(Mode<Real> a, Mode<Real> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
/// i a v
template <class Real>
SC_FN Mode<Real> i_times(Real a, Mode<Real> v) {
  return {-a * v.imag(), a * v.real()};
}

/// The components of a field of modes: the velocity's, then the scalar's.
struct Part {
  int first, last;
};
constexpr Part velocity_part{0, 3}, scalar_part{3, 4};

/// |v|^2 of some components of a mode, of the velocity's if not said otherwise, for sums in double
template <class Real, int N>
SC_FN double square_of(At c, const In<Mode<Real>, N>& v, Part part = velocity_part) {
  double square = 0;
  for (int d = part.first; d < part.last; ++d) {
    const Mode<double> m(v[d][c]);
    square += m.real() * m.real() + m.imag() * m.imag();
  }
  return square;
}

}  // namespace sc::turbulence
