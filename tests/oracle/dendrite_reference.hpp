// SPDX-License-Identifier: Apache-2.0
// A naive serial dendrite, cell by cell, written from the equations and sharing nothing with the solver. The
// flux through a face is the derivative of the energy density by a complex step, not a formula.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <optional>
#include <vector>

namespace oracle {

using Vec3 = std::array<double, 3>;
using Matrix = std::array<Vec3, 3>;

/// e(g) = 1/2 A^2 |g|^2, A = 1 - 3 gamma + 4 gamma sum p_i^4 / |p|^4 with p = R^T g in the crystal's frame.
template <class T>
T energy(const std::array<T, 3>& g, double gamma, const Matrix& R) {
  T square = 0, fourth = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    T p = 0;
    for (std::size_t n = 0; n < 3; ++n) p += R[n][i] * g[n];
    square += p * p;
    fourth += p * p * p * p;
  }
  const T A = 1 - 3 * gamma + 4 * gamma * fourth / (square * square);
  return 0.5 * A * A * square;
}

/// de/dg_n; 0 where there is no gradient.
inline double energy_flux(const Vec3& g, std::size_t n, double gamma, const Matrix& R) {
  const double length = std::sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  if (length < 1e-9) return 0;
  std::array<std::complex<double>, 3> c = {g[0], g[1], g[2]};
  const double h = 1e-30 * length;
  c[n] += std::complex<double>(0, h);
  return energy(c, gamma, R).imag() / h;
}

inline Matrix turn_about(Vec3 axis, double angle) {
  const double l = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  for (double& a : axis) a /= l;
  const double c = std::cos(angle), s = std::sin(angle);
  Matrix R;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) R[i][j] = (i == j ? c : 0) + (1 - c) * axis[i] * axis[j];
  R[0][1] -= s * axis[2], R[1][0] += s * axis[2];
  R[0][2] += s * axis[1], R[2][0] -= s * axis[1];
  R[1][2] -= s * axis[0], R[2][1] += s * axis[0];
  return R;
}
constexpr Matrix no_turn = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

struct Metal {
  double sigma = 0.37, mu = 2, Tm = 1728, L = 2.35e9, C = 5.42e6, kappa = 1.55e-5, gamma = 0.05,
         delta = 0.08e-6, lambda = 0.1, a = 0.025;
  double b() const { return 2 * std::atanh(1 - 2 * lambda); }
  double W() const { return 6 * sigma * b() / delta; }
  double M() const { return b() * Tm * mu / (3 * delta * L); }
  double eps2() const { return 3 * delta * sigma / b(); }
  double h(double phi) const { return phi * phi * phi * (10 - 15 * phi + 6 * phi * phi); }
};

/// Karma and Rappel: phase q from -1 in the melt to 1, u = T.
struct ThinInterface {
  double W0 = 1, tau0 = 1, D = 10, lambda = 10 / 0.6267;
};

struct Crystal {
  Vec3 centre;
  double radius;
  Matrix turn = no_turn;
};

class Dendrite {
 public:
  std::array<int, 3> n;
  double dx, dt;
  Metal metal;
  std::optional<ThinInterface> thin;  // with gamma of the metal
  std::vector<Crystal> crystals;
  std::array<bool, 3> periodic{};
  std::uint64_t seed = 1;
  bool fourth = false;  // differences of phi, of fourth order instead of second
  std::vector<double> phi, T;
  std::int64_t steps = 0;

  void start(double T0) {
    phi.assign(cells(), 0);
    T.assign(cells(), T0);
    owner_.assign(cells(), 0);
    for_cells([&](int i, int j, int k) {
      double best = 0;
      for (std::size_t s = 0; s < crystals.size(); ++s) {
        const double d = distance(i, j, k, crystals[s]);
        if (s > 0 && d >= best) continue;
        best = d;
        owner_[at(i, j, k)] = s;
      }
      const double slope = thin ? 1 / (std::sqrt(2.0) * thin->W0) : metal.b() / metal.delta;
      const double p = 0.5 * (1 - std::tanh(slope * best));
      phi[at(i, j, k)] = p < 1e-12 ? 0 : p;
    });
  }

  void step() {
    if (thin) return step_of_karma_and_rappel();
    std::vector<double> p2 = phi, T2 = T;
    for_cells([&](int i, int j, int k) {
      const double p = phi[at(i, j, k)], t = T[at(i, j, k)];
      const double beta = -15 * metal.L / (2 * metal.W()) * (t - metal.Tm) / metal.Tm * p * (1 - p);
      const double chi = metal.a > 0 ? noise(i, j, k) : 0;
      const double change = metal.M() * (metal.eps2() * divergence(i, j, k) +
                                         4 * metal.W() * p * (1 - p) * (p - 0.5 + beta + metal.a * chi));
      double next = p + dt * change;
      if (std::abs(next) < 1e-12) next = 0;
      p2[at(i, j, k)] = next;
      T2[at(i, j, k)] =
          t + dt * metal.kappa * laplacian(T, i, j, k) + metal.L / metal.C * (metal.h(next) - metal.h(p));
    });
    phi = p2;
    T = T2;
    ++steps;
  }

  /// tau_0 a^2 dq/dt = W_0^2 div(flux) + (q - lambda u (1 - q^2)) (1 - q^2), du/dt = D lap u + 1/2 dq/dt
  void step_of_karma_and_rappel() {
    std::vector<double> p2 = phi, T2 = T;
    for_cells([&](int i, int j, int k) {
      const double q = 2 * phi[at(i, j, k)] - 1, u = T[at(i, j, k)], a = width(i, j, k, fourth);
      const double force =
          2 * thin->W0 * thin->W0 * divergence(i, j, k) + (q - thin->lambda * u * (1 - q * q)) * (1 - q * q);
      const double next = q + dt * force / (thin->tau0 * a * a);
      p2[at(i, j, k)] = 0.5 * (next + 1);
      if (std::abs(next + 1) < 2e-12) p2[at(i, j, k)] = 0;
      T2[at(i, j, k)] = u + dt * thin->D * laplacian(T, i, j, k) + 0.5 * (next - q);
    });
    phi = p2;
    T = T2;
    ++steps;
  }

  /// The integral of 1/2 W_0^2 a^2 |grad q|^2 - q^2 / 2 + q^4 / 4 + lambda u q (1 - 2/3 q^2 + q^4 / 5).
  double free_energy() const {
    double sum = 0;
    for_cells([&](int i, int j, int k) {
      const double p = phi[at(i, j, k)], q = 2 * p - 1, u = T[at(i, j, k)], a = width(i, j, k, false);
      double square = 0;
      for (std::size_t d = 0; d < 3; ++d)
        for (const int by : {-1, 1}) square += 0.5 * std::pow(2 * (value(phi, i, j, k, d, by) - p) / dx, 2);
      sum += 0.5 * std::pow(thin->W0 * a, 2) * square - q * q / 2 + std::pow(q, 4) / 4 +
             thin->lambda * u * (q - 2 * std::pow(q, 3) / 3 + std::pow(q, 5) / 5);
    });
    return sum * dx * dx * dx;
  }

  std::size_t at(int i, int j, int k) const { return (std::size_t(k) * n[1] + j) * n[0] + i; }

 private:
  std::size_t cells() const { return std::size_t(n[0]) * n[1] * n[2]; }
  template <class F>
  void for_cells(F&& f) const {
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i) f(i, j, k);
  }
  /// Wrapped where periodic, mirrored on the face elsewhere.
  int folded(int i, std::size_t d) const {
    const int around = periodic[d] ? n[d] : 2 * n[d], from = (i % around + around) % around;
    return from < n[d] ? from : 2 * n[d] - 1 - from;
  }
  double value(const std::vector<double>& q, std::array<int, 3> c) const {
    return q[at(folded(c[0], 0), folded(c[1], 1), folded(c[2], 2))];
  }
  double value(const std::vector<double>& q, int i, int j, int k, std::size_t d, int by) const {
    std::array<int, 3> c = {i, j, k};
    c[d] += by;
    return value(q, c);
  }
  double distance(int i, int j, int k, const Crystal& s) const {
    const std::array<int, 3> c = {i, j, k};
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      if (thin && n[d] == 1) continue;
      double r = (c[d] + 0.5) * dx - s.centre[d];
      if (periodic[d]) r -= n[d] * dx * std::round(r / (n[d] * dx));
      square += r * r;
    }
    return std::sqrt(square) - s.radius;
  }
  double laplacian(const std::vector<double>& q, int i, int j, int k) const {
    double sum = 0;
    for (std::size_t d = 0; d < 3; ++d)
      sum += value(q, i, j, k, d, 1) + value(q, i, j, k, d, -1) - 2 * q[at(i, j, k)];
    return sum / (dx * dx);
  }
  /// a at a cell, from central differences: (2 e / |g|^2)^(1/2).
  double width(int i, int j, int k, bool finer) const {
    Vec3 g{};
    for (std::size_t d = 0; d < 3; ++d) g[d] = slope({i, j, k}, d) - (finer ? bend({i, j, k}, d, d) / 6 : 0);
    const double square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    if (square < 1e-24) return 1 + metal.gamma;
    return std::sqrt(2 * energy(g, metal.gamma, crystals[owner_[at(i, j, k)]].turn) / square);
  }
  /// The central slope along axis e, and its second difference along axis d.
  double slope(std::array<int, 3> c, std::size_t e) const {
    return 0.5 * (value(phi, moved(c, e, 1)) - value(phi, moved(c, e, -1))) / dx;
  }
  double bend(std::array<int, 3> c, std::size_t e, std::size_t d) const {
    return slope(moved(c, d, 1), e) - 2 * slope(c, e) + slope(moved(c, d, -1), e);
  }
  static std::array<int, 3> moved(std::array<int, 3> c, std::size_t d, int by) {
    c[d] += by;
    return c;
  }
  /// (1 - d_n^2 / 24) times the gradient, each term with the errors of its second order removed: of the
  /// normal slope -1/24 of its second difference, of the others -1/6 along their axis and -1/8 along the
  /// normal.
  Vec3 face_gradient_of_fourth_order(std::array<int, 3> c, std::size_t d) const {
    const std::array<int, 3> up = moved(c, d, 1);
    const auto rise = [&](int by) {
      return (value(phi, moved(up, d, by)) - value(phi, moved(c, d, by))) / dx;
    };
    Vec3 g{};
    for (std::size_t e = 0; e < 3; ++e)
      for (const std::array<int, 3>& from : {c, up})
        g[e] += 0.5 * (slope(from, e) - bend(from, e, e) / 6 - bend(from, e, d) * (1. / 8 + 1. / 24));
    g[d] = rise(0) - (rise(1) - 2 * rise(0) + rise(-1)) * (1. / 24 + 1. / 24);
    return g;
  }
  /// On the face between a cell and the next one up axis d: the normal slope from those two, the others as
  /// means of the central slopes of both.
  Vec3 face_gradient(std::array<int, 3> c, std::size_t d) const {
    std::array<int, 3> up = c;
    up[d] += 1;
    Vec3 g{};
    g[d] = (value(phi, up) - value(phi, c)) / dx;
    for (std::size_t e = 0; e < 3; ++e) {
      if (e == d) continue;
      for (const std::array<int, 3>& from : {c, up}) {
        std::array<int, 3> high = from, low = from;
        high[e] += 1;
        low[e] -= 1;
        g[e] += 0.25 * (value(phi, high) - value(phi, low)) / dx;
      }
    }
    return g;
  }
  /// Through the face above a cell, which is that of this cell's crystal.
  double flux_above(std::array<int, 3> c, std::size_t d) const {
    const std::size_t owner = owner_[at(folded(c[0], 0), folded(c[1], 1), folded(c[2], 2))];
    const Vec3 g = fourth ? face_gradient_of_fourth_order(c, d) : face_gradient(c, d);
    return energy_flux(g, d, metal.gamma, crystals[owner].turn);
  }
  double divergence(int i, int j, int k) const {
    double sum = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      std::array<int, 3> here = {i, j, k}, below = here;
      below[d] -= 1;
      sum += flux_above(here, d) - flux_above(below, d);
    }
    return sum / dx;
  }
  /// SplitMix64's finaliser of (seed, step) and (y, z), then two rounds of 32 bits with x; see
  /// solvers/dendrite/README.md.
  double noise(int i, int j, int k) const {
    const auto mix = [](std::uint64_t v) {
      v ^= v >> 30;
      v *= 0xbf58476d1ce4e5b9ULL;
      v ^= v >> 27;
      v *= 0x94d049bb133111ebULL;
      return v ^ (v >> 31);
    };
    const std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
    const std::uint64_t key = mix(mix(seed + golden) + std::uint64_t(steps) * golden);
    const std::uint64_t row = mix(key ^ mix(std::uint64_t(j) + std::uint64_t(k) * (1ULL << 32)));
    std::uint32_t v = std::uint32_t(i) + std::uint32_t(row);
    v ^= v >> 16;
    v *= 0x7feb352dU;
    v ^= std::uint32_t(row >> 32);
    v ^= v >> 15;
    v *= 0x846ca68bU;
    v ^= v >> 16;
    return double(std::int32_t(v)) / 2147483648.0;
  }
  std::vector<std::size_t> owner_;
};

}  // namespace oracle
