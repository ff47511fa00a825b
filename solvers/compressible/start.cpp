// SPDX-License-Identifier: Apache-2.0
// First states: waves, a vortex, Taylor and Green's, random ones. Velocities are in units of a velocity of 1,
// densities of the gas at rest, so that its pressure is 1 / (gamma mach^2).
#include "solvers/compressible/start.hpp"

#include <cmath>
#include <numbers>

namespace sc::compressible {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double vortex_radius = 0.4;

/// SplitMix64: a number from [0, 1) for each count.
double random_number(std::int64_t seed, std::uint64_t count) {
  std::uint64_t z =
      static_cast<std::uint64_t>(seed) * 0x9e3779b97f4a7c15ULL + (count + 1) * 0xd1342543de82ef95ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

std::array<double, 3> cross(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
std::array<double, 3> unit(std::array<double, 3> a) {
  const double length = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (double& c : a) c /= length;
  return a;
}

}  // namespace

/// Modes of a random field: one of k and -k each, at right angles to k and, the dilatational share of their
/// energy, along k; E(k) ~ k^4 exp(-2 k^2 / peak^2) up to twice the peak, the mean of u^2 equal to 1.
Start::Start(const CompressibleOptions& options) : options_(options) {
  pressure_ = 1 / (options_.gas.gamma * options_.flow.mach * options_.flow.mach);
  if (options_.flow.initial != Initial::random) return;
  const double peak = options_.flow.peak;
  const int most = static_cast<int>(2 * peak);
  std::uint64_t count = 0, along = std::uint64_t{1} << 40;
  const double share = options_.flow.dilatational;
  double mean = 0;
  for (int z = 0; z <= most; ++z)
    for (int y = -most; y <= most; ++y)
      for (int x = -most; x <= most; ++x) {
        const bool half = z > 0 || y > 0 || (y == 0 && x > 0);
        const double square = double(x) * x + double(y) * y + double(z) * z;
        if (!half || square > 4 * peak * peak) continue;
        const std::array<double, 3> k{double(x), double(y), double(z)};
        const std::array<double, 3> aside =
            std::abs(x) <= std::abs(y) ? std::array<double, 3>{1, 0, 0} : std::array<double, 3>{0, 1, 0};
        const auto first = unit(cross(k, aside)), second = unit(cross(k, first));
        const double size = std::sqrt(square) * std::exp(-square / (peak * peak));  // (E / k^2)^(1/2)
        Mode mode{k, {}, {}};
        const double a = 2 * pi * random_number(options_.flow.seed, count++);
        const double b = 2 * pi * random_number(options_.flow.seed, count++);
        const double g = 2 * pi * random_number(options_.flow.seed, along++);
        const double across = size * std::sqrt(1 - share), with = size * std::sqrt(2 * share / square);
        for (std::size_t i = 0; i < 3; ++i) {
          mode.cosine[i] =
              across * (std::cos(a) * first[i] + std::sin(a) * second[i]) + with * std::cos(g) * k[i];
          mode.sine[i] =
              across * (std::cos(b) * first[i] + std::sin(b) * second[i]) + with * std::sin(g) * k[i];
        }
        mean += size * size;
        modes_.push_back(mode);
      }
  for (Mode& mode : modes_)
    for (std::size_t i = 0; i < 3; ++i) {
      mode.cosine[i] /= std::sqrt(mean);
      mode.sine[i] /= std::sqrt(mean);
    }
}

std::array<double, 3> Start::random(double x, double y, double z) const {
  std::array<double, 3> u{};
  for (const Mode& mode : modes_) {
    const double phase = mode.k[0] * x + mode.k[1] * y + mode.k[2] * z;
    const double c = std::cos(phase), s = std::sin(phase);
    for (std::size_t i = 0; i < 3; ++i) u[i] += mode.cosine[i] * c + mode.sine[i] * s;
  }
  return u;
}

/// Along x, exact in an inviscid gas: a sound wave that runs into a gas at rest, until it breaks at the time
/// 2 mach / ((gamma + 1) amplitude); entropy and vorticity carried along by a velocity of 1.
PointState Start::wave(double x, double time) const {
  const double a = options_.flow.amplitude, gamma = options_.gas.gamma;
  PointState state{1, {0, 0, 0}, pressure_};
  if (options_.flow.initial == Initial::acoustic) {
    // Riemann's simple wave: u stays where x - (u + c) t is the same, c = c_0 + (gamma - 1) u / 2.
    const double c = 1 / options_.flow.mach, steep = 0.5 * (gamma + 1) * c * a * time;
    double from = x - c * time;
    for (int n = 0; n < 50; ++n) {
      const double step = (from + steep * std::sin(from) - (x - c * time)) / (1 + steep * std::cos(from));
      from -= step;
      if (std::abs(step) < 1e-15) break;
    }
    const double f = a * std::sin(from), ratio = 1 + 0.5 * (gamma - 1) * f;  // of the speeds of sound
    const double rho = std::pow(ratio, 2 / (gamma - 1));
    return {rho, {c * f, 0, 0}, pressure_ * rho * ratio * ratio};
  }
  const double f = a * std::sin(x - time);
  state.u[0] = 1;
  if (options_.flow.initial == Initial::entropy)
    state.rho += f;
  else
    state.u[1] = f;
  return state;
}

/// A vortex in balance, isentropic, carried along x by a velocity of 1; `amplitude` is its fastest velocity.
PointState Start::vortex(double x, double y, double time) const {
  const auto nearest = [](double d) { return d - 2 * pi * std::round(d / (2 * pi)); };
  const double gamma = options_.gas.gamma, beta = options_.flow.amplitude;
  const double dx = nearest(x - pi - time) / vortex_radius, dy = nearest(y - pi) / vortex_radius;
  const double f = std::exp(0.5 * (1 - dx * dx - dy * dy));
  const double ratio = 1 - (gamma - 1) / (2 * gamma) * beta * beta * f * f / pressure_;  // T / T_0
  const double rho = std::pow(ratio, 1 / (gamma - 1));
  return {rho, {1 - beta * dy * f, beta * dx * f, 0}, rho * ratio * pressure_};
}

PointState Start::at(double x, double y, double z, double time) const {
  switch (options_.flow.initial) {
    case Initial::uniform:
      return {1, {1, 0.5, -0.25}, pressure_};
    case Initial::taylor_green: {
      const double p = pressure_ + (std::cos(2 * x) + std::cos(2 * y)) * (std::cos(2 * z) + 2) / 16;
      return {p / pressure_,
              {std::sin(x) * std::cos(y) * std::cos(z), -std::cos(x) * std::sin(y) * std::cos(z), 0},
              p};
    }
    case Initial::random:
      return {1, random(x, y, z), pressure_};
    case Initial::vortex:
      return vortex(x, y, time);
    default:
      return wave(x, time);
  }
}

}  // namespace sc::compressible
