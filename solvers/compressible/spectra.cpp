// SPDX-License-Identifier: Apache-2.0
// Spectra: the shells of a transformed velocity, across and along the wavenumber.
#include "solvers/compressible/spectra.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "engine/grid/cells.hpp"
#include "engine/move/redistribute.hpp"
#include "solvers/common/typed.hpp"
#include "spectral/fft.hpp"

namespace sc::compressible {

namespace {

/// A component at a time comes near, moves to pencils and is transformed.
template <class Real>
class Spectra {
 public:
  explicit Spectra(Field<Real, 3>& velocity)
      : velocity_(velocity),
        near_(velocity.grid(), "a component"),
        fft_(velocity.grid().context(),
             {.cells = velocity.grid().cells(), .strategy = Strategy::boundary_first}),
        points_(fft_.real_grid(), "velocity on pencils"),
        modes_(fft_.mode_grid(), "velocity modes"),
        move_(near_.storage(0), points_.storage(0)) {}
  Spectrum of_velocity(GlobalValue& global);

 private:
  /// Of a mode, summed over the components: |u|^2, and k.u of those whose sign is known.
  struct Mode {
    double square = 0;
    std::complex<double> along = 0;
  };
  /// Whether u along an axis has the sign that wavenumber k says: the shortest wave has both.
  bool signed_along(int axis, int k) const { return 2 * std::abs(k) != points_.grid().cells()[axis]; }
  void bring(int component);
  /// f(mode number, cell, wavenumbers) of all own modes.
  template <class F>
  void each_mode(F&& f) const;

  Field<Real, 3>& velocity_;
  Field<Real> near_;
  spectral::FFT<Real> fft_;
  Field<Real> points_;
  Field<std::complex<Real>> modes_;
  Redistribute move_;
};

template <class Real>
void Spectra<Real>::bring(int component) {
  const Out<Real> to = near_.modify();
  const Box own = near_.grid().own();
  const Layout& layout = near_.grid().layout();
  velocity_.each_slab([&](int lo, int hi, In<Real, 3> u) {
    for (int z = lo; z < hi; ++z)
      for (int y = 0; y < own.hi.y; ++y) {
        const std::ptrdiff_t row = layout.offset({0, y, z});
        std::copy_n(u.base + component * u.stride + row, own.hi.x, to.base + row);
      }
  });
  for (int piece = 0; piece < move_.pieces(); ++piece) move_.start(piece);
  move_.finish();
}

template <class Real>
template <class F>
void Spectra<Real>::each_mode(F&& f) const {
  const Box box = modes_.grid().global_box();
  std::size_t number = 0;
  each_cell(box, [&](Int3 c) {
    f(number++, c - box.lo,
      std::array{fft_.wavenumber(0, c.x), fft_.wavenumber(1, c.y), fft_.wavenumber(2, c.z)});
  });
}

template <class Real>
Spectrum Spectra<Real>::of_velocity(GlobalValue& global) {
  const Int3 n = points_.grid().cells();
  std::vector<Mode> all(static_cast<std::size_t>(modes_.grid().own().cells()));
  for (int i = 0; i < 3; ++i) {
    bring(i);
    fft_.forward(points_.now(), modes_.now());
    each_mode([&](std::size_t number, Int3 cell, const std::array<int, 3>& wave) {
      const std::complex<double> u = modes_.get(cell);
      const int k = wave[static_cast<std::size_t>(i)];
      Mode& mode = all[number];
      mode.square += std::norm(u);
      if (signed_along(i, k)) mode.along += double(k) * u;
    });
  }

  const double points = double(n.x) * n.y * n.z;
  double largest = 0;
  for (int a = 0; a < 3; ++a) largest += double(n[a] / 2) * (n[a] / 2);
  const auto shells = static_cast<std::size_t>(std::sqrt(largest) + 0.5) + 1;
  std::vector<Accumulator> sums(2 * shells, Accumulator(Reduce::sum));
  each_mode([&](std::size_t number, Int3, const std::array<int, 3>& k) {
    // Modes with 0 < kx < n / 2 stand for their conjugates too.
    const double weight = (k[0] > 0 && 2 * k[0] < n.x ? 1.0 : 0.5) / (points * points);
    const Mode& mode = all[number];
    double length = 0, direction = 0;
    for (int i = 0; i < 3; ++i) {
      const int ki = k[static_cast<std::size_t>(i)];
      length += double(ki) * ki;
      if (signed_along(i, ki)) direction += double(ki) * ki;
    }
    const double dilatational = direction > 0 ? std::norm(mode.along) / direction : 0;
    const auto shell = static_cast<std::size_t>(std::sqrt(length) + 0.5);
    const double across = weight * (mode.square - dilatational), with = weight * dilatational;
    sums[2 * shell].add(&across, 1);
    sums[2 * shell + 1].add(&with, 1);
  });
  global.start(sums);
  Spectrum spectrum;
  for (std::size_t k = 0; k < shells; ++k) {
    spectrum.solenoidal.push_back(global.value(static_cast<int>(2 * k)));
    spectrum.dilatational.push_back(global.value(static_cast<int>(2 * k + 1)));
  }
  return spectrum;
}

}  // namespace

std::function<Spectrum(GlobalValue&)> spectrum_of(AnyField& velocity) {
  std::function<Spectrum(GlobalValue&)> found;
  typed<3>(velocity, [&]<class Real>(Field<Real, 3>& field) {
    found = [spectra = std::make_shared<Spectra<Real>>(field)](GlobalValue& global) {
      return spectra->of_velocity(global);
    };
  });
  return found;
}

}  // namespace sc::compressible
