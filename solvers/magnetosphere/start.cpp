// SPDX-License-Identifier: Apache-2.0
// The initial states, and the planet that the options describe.
#include <cmath>
#include <numbers>

#include "solvers/magnetosphere/solver.hpp"

namespace sc::magnetosphere {

namespace {

using std::numbers::pi;

/// rho = 1, p = 1 / gamma, B = (1, sqrt 2, 1/2) in the wave's frame. The speeds are fast 2, Alfven 1, slow
/// 1/2 at gamma = 5/3 (Gardiner & Stone 2008). The entropy wave moves with a flow of speed 1 along the wave.
PointState wave_background(Wave wave, double gamma) {
  const double flow = wave == Wave::entropy ? 1 : 0;
  return {.rho = 1, .v = {flow, 0, 0}, .p = 1 / gamma, .B = {1, std::numbers::sqrt2, 0.5}};
}

/// Speed c of the two magnetosonic waves: c^4 - (a^2 + b^2) c^2 + a^2 b_1^2 = 0.
double wave_speed(Wave wave, const PointState& q, double gamma) {
  if (wave == Wave::entropy) return q.v[0];
  const double b1 = q.B[0] * q.B[0] / q.rho;
  if (wave == Wave::alfven) return std::sqrt(b1);
  const double a2 = gamma * q.p / q.rho;
  const double sum = a2 + (q.B[0] * q.B[0] + q.B[1] * q.B[1] + q.B[2] * q.B[2]) / q.rho;
  const double root = std::sqrt(sum * sum - 4 * a2 * b1);
  return std::sqrt(0.5 * (sum + (wave == Wave::fast ? root : -root)));
}

/// Perturbation of a wave along axis 1 of its frame. Magnetosonic, for d rho = rho:
/// dv_1 = c, dp = gamma p, dv_t = B_t B_1 c / (B_1^2 - rho c^2), dB_t = rho c^2 B_t / (rho c^2 - B_1^2).
/// They are multiplied by alpha, the norm of Gardiner & Stone: alpha^2 = (a^2 - o^2) / (c^2 - o^2), where o
/// is the speed of the other magnetosonic wave. An entropy wave has d rho = rho only.
PointState wave_mode(Wave wave, const PointState& q, double c, double gamma) {
  PointState d{.rho = 0, .v = {}, .p = 0, .B = {}};
  if (wave == Wave::entropy) {
    d.rho = q.rho;
    return d;
  }
  if (wave == Wave::alfven) {
    const double across = std::hypot(q.B[1], q.B[2]);
    d.v = {0, q.B[2] / across, -q.B[1] / across};
    for (std::size_t k = 1; k < 3; ++k) d.B[k] = -std::sqrt(q.rho) * d.v[k];
    return d;
  }
  const double c2 = c * c, a2 = gamma * q.p / q.rho, b2 = q.B[0] * q.B[0] / q.rho;
  const double other2 = a2 * b2 / c2, alpha = std::sqrt((a2 - other2) / (c2 - other2));
  d.rho = alpha * q.rho;
  d.p = alpha * gamma * q.p;
  d.v[0] = alpha * c;
  for (std::size_t k = 1; k < 3; ++k) {
    const double across = alpha * q.B[k] / (c2 - b2);
    d.v[k] = -across * q.B[0] * c / q.rho;
    d.B[k] = across * c2;
  }
  return d;
}

/// From the wave's frame, whose first axis is (1, 2, 2) / 3, to that of the box of 3 x 1.5 x 1.5.
Vec3 rotated(const Vec3& w) {
  const double cos_a = std::sqrt(5.0) / 3, sin_a = 2.0 / 3, cos_b = 1 / std::sqrt(5.0),
               sin_b = 2 / std::sqrt(5.0);
  return {w[0] * cos_a * cos_b - w[1] * sin_b - w[2] * sin_a * cos_b,
          w[0] * cos_a * sin_b + w[1] * cos_b - w[2] * sin_a * sin_b, w[0] * sin_a + w[2] * cos_a};
}

/// rho = 25 / (36 pi), p = 5 / (12 pi), v = (-sin 2 pi y, sin 2 pi x), B = (-sin 2 pi y, sin 4 pi x) / sqrt(4
/// pi)
PointState orszag_tang(Vector r) {
  const double B0 = 1 / std::sqrt(4 * pi);
  return {.rho = 25 / (36 * pi),
          .v = {-std::sin(2 * pi * r.y), std::sin(2 * pi * r.x), 0},
          .p = 5 / (12 * pi),
          .B = {-B0 * std::sin(2 * pi * r.y), B0 * std::sin(4 * pi * r.x), 0}};
}

PointState brio_wu(Vector r) {
  if (r.x < 0) return {.rho = 1, .v = {}, .p = 1, .B = {0.75, 1, 0}};
  return {.rho = 0.125, .v = {}, .p = 0.1, .B = {0.75, -1, 0}};
}

/// rho = 1 at rest in B = (1, 1, 0) / sqrt 2; p = 10 within 0.1 of the axis x = y = 0, 0.1 outside (Stone et
/// al. 2008).
PointState blast(Vector r) {
  const double B = 1 / std::numbers::sqrt2;
  return {.rho = 1, .v = {}, .p = r.x * r.x + r.y * r.y < 0.01 ? 10.0 : 0.1, .B = {B, B, 0}};
}

/// rho = p = 1, v = (2, 1, 0), B = curl A with A_z = 1e-3 max(0.3 - r, 0) (Gardiner & Stone 2005). The curl
/// is that of the step, from A at the centres. Its discrete divergence is zero, although B jumps at r = 0 and
/// 0.3.
PointState field_loop(Vector r, double h) {
  const auto A = [&](int sx, int sy) {
    return 1e-3 * std::fdim(0.3, std::hypot(r.x + 0.5 * sx * h, r.y + 0.5 * sy * h));
  };
  const double a = A(-1, -1), b = A(1, -1), c = A(-1, 1), d = A(1, 1);
  return {.rho = 1,
          .v = {2, 1, 0},
          .p = 1,
          .B = {((c + d) - (a + b)) / (2 * h), ((a + c) - (b + d)) / (2 * h), 0}};
}

}  // namespace

Planet planet_of(const MagnetosphereOptions& o) {
  const PlanetOptions& p = *o.planet;
  Planet planet;
  // Within half of r_a everything is held, so that the values there only need to be finite.
  planet.dipole = {std::sin(p.tilt), std::cos(p.tilt), 0.25 * p.inner * p.inner};
  planet.inner2 = p.inner * p.inner;
  planet.outer2 = p.outer * p.outer;
  planet.strength = p.strength;
  planet.gravity = p.gravity;
  planet.pressure = p.pressure;
  planet.rotation = p.rotation;
  planet.rho_low = 0.2 * o.wind.rho;
  planet.p_low = o.wind.p;
  return planet;
}

Start::Start(const MagnetosphereOptions& options) : options_(options) {
  if (options.planet) planet_ = planet_of(options);
  if (options.initial != Initial::linear_wave) return;
  background_ = wave_background(options.wave, options.gamma);
  speed_ = wave_speed(options.wave, background_, options.gamma);
  mode_ = wave_mode(options.wave, background_, speed_, options.gamma);
}

PointState Start::wave(Vector r, double time) const {
  const double phase = (r.x + 2 * r.y + 2 * r.z) / 3 - speed_ * time;
  const double a = options_.amplitude * std::sin(2 * pi * phase);
  PointState q = background_;
  q.rho += a * mode_.rho;
  q.p += a * mode_.p;
  for (std::size_t k = 0; k < 3; ++k) {
    q.v[k] += a * mode_.v[k];
    q.B[k] += a * mode_.B[k];
  }
  q.v = rotated(q.v);
  q.B = rotated(q.B);
  return q;
}

// Upstream of the mirror plane the wind. Downstream the atmosphere at rest, in the field of the dipole and of
// its image beyond the plane, which makes B tangential to the plane, and of the wind along x, which crosses
// it.
PointState Start::at(Vector r, double time) const {
  switch (options_.initial) {
    case Initial::orszag_tang:
      return orszag_tang(r);
    case Initial::brio_wu:
      return brio_wu(r);
    case Initial::blast:
      return blast(r);
    case Initial::field_loop:
      return field_loop(r, options_.spacing);
    case Initial::linear_wave:
      return wave(r, time);
    case Initial::uniform:
      return options_.wind;
    case Initial::planet:
      break;
  }
  const double plane = options_.planet->mirror;
  if (r.x < plane) return options_.wind;
  const MhdState a = planet_.atmosphere(r, planet_.inverse_radius(r));
  Dipole image = planet_.dipole;
  image.mx = -image.mx;
  const Vector other = image.field({r.x - 2 * plane, r.y, r.z});
  // The atmosphere rotates with the planet only where it is held.
  const bool held = square(r) < planet_.inner2;
  return {.rho = a.rho,
          .v = {held ? a.vx : 0, held ? a.vy : 0, 0},
          .p = a.p,
          .B = {a.Bx + other.x + options_.wind.B[0], a.By + other.y, a.Bz + other.z}};
}

}  // namespace sc::magnetosphere
