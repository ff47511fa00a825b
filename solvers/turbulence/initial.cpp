// SPDX-License-Identifier: Apache-2.0
// Turbulence: initial conditions.
#include "solvers/turbulence/initial.hpp"

#include "solvers/turbulence/solver.hpp"
#include "solvers/turbulence/stages.hpp"

namespace sc::turbulence {

void Turbulence::start(const std::function<double(int, double, double, double)>& velocity) {
  v_.storage(0).begin_host_write();
  const int last = options_.plane_arrays() - 1;  // this array is always in memory
  for (int d = 0; d < options_.components(); ++d) {
    store_->each_slab({{last, sc::Mode::write}}, [&](const auto& slab) {
      transforms_->sample([&](double x, double y, double z) { return velocity(d, x, y, z); }, last, slab);
    });
    store_->take(last, -1, [&](const auto& planes) { transforms_->from_planes(last, planes, v_, d); });
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

void Turbulence::start_from_points(bool scalar) {
  transforms_->from_points(velocity_points(), v_, 0);
  if (scalar)
    transforms_->from_points(scalar_points(), v_, scalar_part.first);
  else if (has_scalar())
    start_scalar({});
  start_from_modes();
}

void Turbulence::start_random(const RandomField& field) {
  randomise(field, 0.5, velocity_part);
  if (has_scalar()) start_scalar({});
  start_from_modes();
}

void Turbulence::start_scalar(const RandomField& field) { randomise(field, 1, scalar_part); }

/// Sets some components so that factor |v|^2 of each shell is as asked for.
void Turbulence::randomise(const RandomField& field, double factor, Part part) {
  ModeSweep random("random modes", RandomMode{projection(), noise_key(field.seed, 0), part}, {}, updates(v_));
  runner_.run(random);
  std::vector<double> factors = shells(factor, part);
  for (std::size_t shell = 0; shell < factors.size(); ++shell) {
    const double asked = shell > 0 && shell < field.spectrum.size() ? field.spectrum[shell] : 0;
    factors[shell] = factors[shell] > 0 ? std::sqrt(asked / factors[shell]) : 0;
  }
  ModeSweep shape("shape of the spectrum", Shape{wavenumbers(), factors.data(), part}, {}, updates(v_));
  runner_.run(shape);
}

void Turbulence::start_from_modes() {
  ModeSweep prepare("prepare", Projected{projection()}, {}, updates(v_));
  runner_.run(prepare);
  clock_ = {};
}

}  // namespace sc::turbulence
