// SPDX-License-Identifier: Apache-2.0
// Turbulence: how it starts.
#include "solvers/turbulence/initial.hpp"

#include <algorithm>

#include "solvers/turbulence/flow.hpp"

namespace sc::turbulence {

// Plane by plane, a component at a time: no array of points is made.
template <class Real>
void Flow<Real>::start(const std::function<double(int, double, double, double)>& velocity) {
  const Int3 n = options_.points, own = grid().own().extent(), first = grid().origin();
  const auto at = [](int i, int count) { return 2 * std::numbers::pi * i / count; };
  v_.modify();
  constexpr int last = plane_arrays - 1;  // always in memory
  std::vector<Real> points(static_cast<std::size_t>(own.x) * static_cast<std::size_t>(own.y));
  for (int d = 0; d < 3; ++d) {
    store_->fill(last, [&](spectral::Cells<Mode> planes) {
      for (int z = 0; z < own.z; ++z) {
        for (int y = 0; y < own.y; ++y)
          for (int x = 0; x < own.x; ++x)
            points[static_cast<std::size_t>(y * own.x + x)] =
                Real(velocity(d, at(first.x + x, n.x), at(first.y + y, n.y), at(first.z + z, n.z)));
        const spectral::Rows<Mode> plane{planes.at + z * planes.z, planes.y};
        const auto rows = fft_.rows_of(plane, workplaces_[0].rows(0));
        fft_.forward_rows(points.data(), own.x, rows, 0);
        fft_.forward_columns(rows, plane, 0);
      }
    });
    store_->take(last, -1, [&](spectral::Cells<const Mode> planes) {
      fft_.forward_across(planes, spectral::cells_of(v_.now(), d));
    });
  }
  start_from_modes();
}

void Turbulence::start_taylor_green() {
  start([](int d, double x, double y, double z) {
    return d == 0   ? std::sin(x) * std::cos(y) * std::cos(z)
           : d == 1 ? -std::cos(x) * std::sin(y) * std::cos(z)
                    : 0.0;
  });
}

template <class Real>
void Flow<Real>::start_from_points() {
  fft_.forward(velocity_points().now(), v_.now());
  start_from_modes();
}

template <class Real>
void Flow<Real>::start_random(const RandomField& field) {
  Sweep random("random modes", RandomMode{projection(), noise_key(field.seed, 0)}, writes(v_.now()));
  runner_.run(random);
  // Every shell gets just the energy that is asked for.
  std::vector<double> factors = spectrum();
  for (std::size_t shell = 0; shell < factors.size(); ++shell) {
    const double asked = shell > 0 && shell < field.spectrum.size() ? field.spectrum[shell] : 0;
    factors[shell] = factors[shell] > 0 ? std::sqrt(asked / factors[shell]) : 0;
  }
  Sweep shape("shape of the spectrum", Shape{wavenumbers(), factors.data()}, updates(v_.now()));
  runner_.run(shape);
  start_from_modes();
}

template <class Real>
void Flow<Real>::start_from_modes() {
  Sweep prepare("prepare", Projected{projection()}, updates(v_.now()));
  runner_.run(prepare);
  clock_ = {};
}

template class Flow<float>;
template class Flow<double>;

}  // namespace sc::turbulence
