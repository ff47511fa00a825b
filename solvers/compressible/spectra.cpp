// SPDX-License-Identifier: Apache-2.0
// Spectra: the shells of a transformed velocity, across and along the wavenumber.
#include "solvers/compressible/spectra.hpp"

#include <cmath>

#include "engine/move/redistribute.hpp"
#include "solvers/common/typed.hpp"
#include "spectral/fft.hpp"

namespace sc::compressible {

namespace {

template <class Real>
class Spectra {
 public:
  explicit Spectra(Field<Real, 3>& velocity);
  Spectrum of_velocity(GlobalValue& global);

 private:
  spectral::FFT<Real> fft_;
  Field<Real, 3> points_;
  Field<std::complex<Real>, 3> modes_;
  Redistribute move_;
};

template <class Real>
Spectra<Real>::Spectra(Field<Real, 3>& velocity)
    : fft_(velocity.grid().context(),
           {.cells = velocity.grid().cells(), .strategy = Strategy::boundary_first}),
      points_(fft_.real_grid(), "velocity on pencils"),
      modes_(fft_.mode_grid(), "velocity modes"),
      move_(velocity.storage(0), points_.storage(0)) {}

template <class Real>
Spectrum Spectra<Real>::of_velocity(GlobalValue& global) {
  for (int piece = 0; piece < move_.pieces(); ++piece) move_.start(piece);
  move_.finish();
  fft_.forward(points_.now(), modes_.now());

  const Int3 n = points_.grid().cells();
  const double points = double(n.x) * n.y * n.z;
  double largest = 0;
  for (int a = 0; a < 3; ++a) largest += double(n[a] / 2) * (n[a] / 2);
  const auto shells = static_cast<std::size_t>(std::sqrt(largest) + 0.5) + 1;
  std::vector<Accumulator> sums(2 * shells, Accumulator(Reduce::sum));
  const Box box = modes_.grid().global_box();
  for (int z = box.lo.z; z < box.hi.z; ++z)
    for (int y = box.lo.y; y < box.hi.y; ++y)
      for (int x = box.lo.x; x < box.hi.x; ++x) {
        const std::array<int, 3> k{fft_.wavenumber(0, x), fft_.wavenumber(1, y), fft_.wavenumber(2, z)};
        const Int3 c = Int3{x, y, z} - box.lo;
        // Modes with 0 < kx < n / 2 stand for their conjugates too.
        const double weight = (x > 0 && 2 * x < n.x ? 1.0 : 0.5) / (points * points);
        std::complex<double> along = 0;
        double square = 0, length = 0, direction = 0;
        for (int i = 0; i < 3; ++i) {
          const std::complex<double> u = modes_.get(c, i);
          const double ki = k[static_cast<std::size_t>(i)];
          square += std::norm(u);
          length += ki * ki;
          if (2 * std::abs(k[static_cast<std::size_t>(i)]) == n[i]) continue;  // its sign is not known
          along += ki * u;
          direction += ki * ki;
        }
        const double dilatational = direction > 0 ? std::norm(along) / direction : 0;
        const auto shell = static_cast<std::size_t>(std::sqrt(length) + 0.5);
        const double across = weight * (square - dilatational), with = weight * dilatational;
        sums[2 * shell].add(&across, 1);
        sums[2 * shell + 1].add(&with, 1);
      }
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
