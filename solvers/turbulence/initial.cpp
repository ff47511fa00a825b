// SPDX-License-Identifier: Apache-2.0
// Turbulence: how it starts.
#include "solvers/turbulence/initial.hpp"

#include <algorithm>

#include "solvers/turbulence/solver.hpp"

namespace sc::turbulence {

void Turbulence::start(const std::function<double(int, double, double, double)>& velocity) {
  const Int3 n = options_.points;
  const auto at = [](int i, int count) { return 2 * std::numbers::pi * i / count; };
  velocity_.fill([&](int d, int x, int y, int z) { return velocity(d, at(x, n.x), at(y, n.y), at(z, n.z)); });
  start_from_points();
}

void Turbulence::start_taylor_green() {
  start([](int d, double x, double y, double z) {
    return d == 0   ? std::sin(x) * std::cos(y) * std::cos(z)
           : d == 1 ? -std::cos(x) * std::sin(y) * std::cos(z)
                    : 0.0;
  });
}

void Turbulence::start_from_points() {
  fft_.forward(velocity_.now(), n_.now());
  start_from_modes();
}

void Turbulence::start_random(const RandomField& field) {
  Sweep random("random modes", RandomMode{{wavenumbers()}, noise_key(field.seed, 0)}, writes(n_.now()));
  runner_.run(random);
  // Every shell gets just the energy that is asked for.
  std::vector<double> factors = spectrum(n_);
  for (std::size_t shell = 0; shell < factors.size(); ++shell) {
    const double asked = shell > 0 && shell < field.spectrum.size() ? field.spectrum[shell] : 0;
    factors[shell] = factors[shell] > 0 ? std::sqrt(asked / factors[shell]) : 0;
  }
  Sweep shape("shape of the spectrum", Shape{wavenumbers(), factors.data()}, updates(n_.now()));
  runner_.run(shape);
  start_from_modes();
}

void Turbulence::start_from_modes() {
  Sweep prepare("prepare", Prepare{{wavenumbers()}}, writes(u_.now()), writes(v_.now()), reads(n_.now()));
  runner_.run(prepare);
  clock_ = {};
}

void Turbulence::restored() {
  Sweep copy("restore", Copy{}, writes(v_.now()), reads(u_.now()));
  runner_.run(copy);
}

}  // namespace sc::turbulence
