// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// optimise: no
// Steps of the compressible solver against the same scheme written down a second time, with dense matrices in
// place of line solves: and no wrong scheme of a list (a coefficient, a term, a form) agrees with it.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "engine/move/output/gather.hpp"
#include "solvers/compressible/solver.hpp"
#include "solvers/compressible/start.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using Values = std::vector<double>;
using State = std::array<Values, 5>;
constexpr Int3 cells{8, 8, 16};
constexpr double size = 2 * M_PI, dt = 0.02;

/// What can be wrong about it.
struct Scheme {
  double beside = 3.0 / 8, a = 25.0 / 16, b = 1.0 / 5, c = -1.0 / 80;
  double skew = 1;     // 0: divergence form
  bool energy = true;  // in the form of the rest
  double centre = -205.0 / 72;
  std::array<double, 4> diffusion{8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  bool pairs = true;  // the mean of their viscosities; otherwise mu u''
  double bulk = 2.0 / 3, gamma = 1.4, prandtl = 0.7, exponent = 0.76, viscosity = 0.05, filter = 0.45;
  double cross = 1, work = 1;  // d_i u_a of the stress; the work of friction
  double sutherland = 0;       // S / T_0 of Sutherland's law; 0: the power law
  std::array<double, 4> weights{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, at{0, 0.5, 0.5, 1};
};

struct Oracle {
  Scheme s;
  double T0;

  std::size_t next(std::size_t cell, int axis, int by) const {
    const int n = cells[axis], stride = axis == 0 ? 1 : axis == 1 ? cells.x : cells.x * cells.y;
    const int at = int(cell) / stride % n;
    return std::size_t(int(cell) + (((at + by) % n + n) % n - at) * stride);
  }
  /// x of beside (x[-1] + x[+1]) + x = r along every line: Gauss and Jordan on the dense matrix of a line.
  Values solve(int axis, double beside, const Values& r) const {
    const auto n = std::size_t(cells[axis]);
    std::vector<Values> A(n, Values(2 * n));
    for (std::size_t i = 0; i < n; ++i) {
      A[i][i] += 1;
      A[i][(i + 1) % n] += beside;
      A[i][(i + n - 1) % n] += beside;
      A[i][n + i] = 1;
    }
    for (std::size_t c = 0; c < n; ++c) {
      const double pivot = A[c][c];
      for (double& v : A[c]) v /= pivot;
      for (std::size_t i = 0; i < n; ++i) {
        const double factor = A[i][c];
        if (i != c)
          for (std::size_t k = 0; k < 2 * n; ++k) A[i][k] -= factor * A[c][k];
      }
    }
    Values x(r.size());
    for (std::size_t cell = 0; cell < r.size(); ++cell)
      for (std::size_t k = 0; k < n; ++k) x[cell] += A[0][n + k] * r[next(cell, axis, int(k))];
    return x;
  }
  template <class F>
  static Values each(F&& f) {
    Values all(std::size_t(cells.x) * cells.y * cells.z);
    for (std::size_t n = 0; n < all.size(); ++n) all[n] = f(n);
    return all;
  }
  double per_h(int axis) const { return cells[axis] / size; }
  Values slope(int axis, const Values& f) const {
    return solve(axis, s.beside, each([&](std::size_t n) {
                   const auto at = [&](int k) { return f[next(n, axis, k)]; };
                   return per_h(axis) * (s.a / 2 * (at(1) - at(-1)) + s.b / 4 * (at(2) - at(-2)) +
                                         s.c / 6 * (at(3) - at(-3)));
                 }));
  }
  Values curvature(int axis, const Values& f) const {
    return each([&](std::size_t n) {
      double sum = s.centre * f[n];
      for (int k = 1; k <= 4; ++k)
        sum += s.diffusion[std::size_t(k - 1)] * (f[next(n, axis, k)] + f[next(n, axis, -k)]);
      return per_h(axis) * per_h(axis) * sum;
    });
  }
  static Values product(const Values& f, const Values& g) {
    return each([&](std::size_t n) { return f[n] * g[n]; });
  }
  double viscosity(double t) const {
    if (s.sutherland == 0) return s.viscosity * std::pow(t, s.exponent);
    return s.viscosity * t * std::sqrt(t) * (1 + s.sutherland) / (t + s.sutherland);
  }
  /// (mu f')' = ((mu f)'' + mu f'' - f mu'') / 2
  Values diffused(int axis, const Values& mu, const Values& f) const {
    const Values both = curvature(axis, product(mu, f)), own = curvature(axis, f),
                 of_mu = curvature(axis, mu);
    return each([&](std::size_t n) {
      return s.pairs ? 0.5 * (both[n] + mu[n] * own[n] - f[n] * of_mu[n]) : mu[n] * own[n];
    });
  }
  /// d(m f), halfway f d m + m d f.
  Values convection(int axis, const Values& m, const Values& f, double skew) const {
    const Values whole = slope(axis, product(m, f)), dm = slope(axis, m), df = slope(axis, f);
    return each(
        [&](std::size_t n) { return (1 - skew / 2) * whole[n] + skew / 2 * (f[n] * dm[n] + m[n] * df[n]); });
  }

  State rates(const State& q) const {
    std::array<Values, 3> u;
    for (std::size_t i = 0; i < 3; ++i) u[i] = each([&](std::size_t n) { return q[1 + i][n] / q[0][n]; });
    const Values half = each(
        [&](std::size_t n) { return 0.5 * (u[0][n] * u[0][n] + u[1][n] * u[1][n] + u[2][n] * u[2][n]); });
    const Values T = each([&](std::size_t n) { return (s.gamma - 1) * (q[4][n] / q[0][n] - half[n]); });
    const Values mu = each([&](std::size_t n) { return viscosity(T[n] / T0); });
    const double cp = s.gamma / (s.gamma - 1);
    const Values H = each([&](std::size_t n) { return cp * T[n] + half[n]; });
    const Values heat = each([&](std::size_t n) { return s.work * half[n] + cp / s.prandtl * T[n]; });
    std::array<std::array<Values, 3>, 3> g;  // g[a][i] = d u_i / d x_a
    for (int a = 0; a < 3; ++a)
      for (std::size_t i = 0; i < 3; ++i) g[std::size_t(a)][i] = slope(a, u[i]);
    State rate;
    rate.fill(Values(T.size()));
    const auto add = [&](std::size_t k, double factor, const Values& f) {
      for (std::size_t n = 0; n < f.size(); ++n) rate[k][n] += factor * f[n];
    };
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = std::size_t(axis);
      const Values m = product(q[0], u[a]);
      add(0, -1, slope(axis, m));
      Values power(T.size());
      for (std::size_t i = 0; i < 3; ++i) {
        add(1 + i, -1, convection(axis, m, u[i], s.skew));
        const Values stress = each([&](std::size_t n) {
          const double theta = g[0][0][n] + g[1][1][n] + g[2][2][n];
          return mu[n] * (s.cross * g[i][a][n] - (i == a ? s.bulk * theta : 0));
        });
        add(1 + i, 1, slope(axis, stress));
        add(1 + i, 1, diffused(axis, mu, u[i]));
        for (std::size_t n = 0; n < T.size(); ++n) power[n] += u[i][n] * stress[n];
      }
      add(1 + a, -1, slope(axis, product(q[0], T)));
      add(4, -1, convection(axis, m, H, s.energy ? s.skew : 0));
      add(4, s.work, slope(axis, power));
      add(4, 1, diffused(axis, mu, heat));
    }
    return rate;
  }

  State step(const State& q) const {
    State total = q, rate;
    for (std::size_t n = 0; n < 4; ++n) {
      State at = q;
      if (n > 0)
        for (std::size_t k = 0; k < 5; ++k)
          for (std::size_t c = 0; c < at[k].size(); ++c) at[k][c] += s.at[n] * dt * rate[k][c];
      rate = rates(at);
      for (std::size_t k = 0; k < 5; ++k)
        for (std::size_t c = 0; c < at[k].size(); ++c) total[k][c] += s.weights[n] * dt * rate[k][c];
    }
    if (s.filter > 0)
      for (int axis = 0; axis < 3; ++axis)
        for (Values& f : total) filter(axis, f);
    return total;
  }
  void filter(int axis, Values& f) const {
    const std::array<double, 5> binomial{70, -56, 28, -8, 1};
    const Values d = solve(axis, s.filter, each([&](std::size_t n) {
                             double sum = binomial[0] * f[n];
                             for (int k = 1; k <= 4; ++k)
                               sum += binomial[std::size_t(k)] * (f[next(n, axis, k)] + f[next(n, axis, -k)]);
                             return -(1 - 2 * s.filter) / 256 * sum;
                           }));
    for (std::size_t n = 0; n < f.size(); ++n) f[n] += d[n];
  }
};

State conserved(compressible::Compressible& flow) {
  Storage& storage = flow.conserved().storage(0);
  storage.settle();
  const std::vector<std::byte> bytes = gather(storage);
  State q;
  if (bytes.empty()) return q;
  const auto* values = reinterpret_cast<const double*>(bytes.data());
  for (std::size_t k = 0; k < 5; ++k)
    q[k] = Oracle::each([&](std::size_t n) {
      return values[k * std::size_t(Box{{0, 0, 0}, cells}.cells()) + n];
    });
  return q;
}

/// The largest difference, in parts of the largest value of each component.
double apart(const State& one, const State& other) {
  double worst = 0;
  for (std::size_t k = 0; k < 5; ++k) {
    double largest = 0, difference = 0;
    for (std::size_t n = 0; n < one[k].size(); ++n) {
      largest = std::max(largest, std::abs(other[k][n]));
      difference = std::max(difference, std::abs(one[k][n] - other[k][n]));
    }
    worst = std::max(worst, difference / largest);
  }
  return worst;
}

struct Wrong {
  const char* name;
  std::function<void(Scheme&)> make;
};
const std::vector<Wrong> wrong_schemes{
    {"3/8 of the derivative", [](Scheme& s) { s.beside = 1.0 / 3; }},
    {"25/16 of the derivative", [](Scheme& s) { s.a *= 1.0001; }},
    {"1/5 of the derivative", [](Scheme& s) { s.b *= 1.001; }},
    {"-1/80 of the derivative", [](Scheme& s) { s.c = 0; }},
    {"divergence form", [](Scheme& s) { s.skew = 0; }},
    {"advective form", [](Scheme& s) { s.skew = 2; }},
    {"energy in divergence form", [](Scheme& s) { s.energy = false; }},
    {"second difference of 6th order",
     [](Scheme& s) {
       s.centre = -49.0 / 18;
       s.diffusion = {3.0 / 2, -3.0 / 20, 1.0 / 90, 0};
     }},
    {"friction without the gradient of mu", [](Scheme& s) { s.pairs = false; }},
    {"2/3 of the dilatation", [](Scheme& s) { s.bulk = 0; }},
    {"transposed gradient", [](Scheme& s) { s.cross = 0; }},
    {"work of friction", [](Scheme& s) { s.work = 0; }},
    {"Prandtl number", [](Scheme& s) { s.prandtl = 0.71; }},
    {"exponent of mu", [](Scheme& s) { s.exponent = 0.75; }},
    {"gamma", [](Scheme& s) { s.gamma = 1.41; }},
    {"missing filter", [](Scheme& s) { s.filter = 0; }},
    {"alpha of the filter", [](Scheme& s) { s.filter = 0.46; }},
    {"weights of Runge and Kutta",
     [](Scheme& s) {
       s.weights = {0.25, 0.25, 0.25, 0.25};
     }},
    {"Heun in place of Runge and Kutta",
     [](Scheme& s) {
       s.weights = {0.5, 0, 0, 0.5};
       s.at = {0, 1, 1, 1};
     }},
};

/// Three steps of the solver beside those of `right`, and the wrong ones.
void compare(Context& context, const Scheme& right, const std::vector<Wrong>& wrong_ones) {
  compressible::CompressibleOptions o;
  o.cells = cells;
  o.split = {1, 1, context.size()};
  o.flow.initial = compressible::Initial::random;
  o.flow.mach = 0.6;
  o.flow.peak = 2;
  o.flow.dilatational = 0.3;
  o.gas.viscosity = right.viscosity;
  if (right.sutherland > 0) {
    o.gas.law = compressible::ViscosityLaw::sutherland;
    o.gas.sutherland = right.sutherland;
  }
  o.filter = right.filter;
  o.dt = dt;
  compressible::Compressible flow(context, o);
  const double T0 = compressible::Start(o).pressure();
  State q = conserved(flow);
  for (int n = 0; n < 3; ++n) {
    flow.step();
    const State after = conserved(flow);
    if (context.rank() == 0) {
      EXPECT_LT(apart(Oracle{right, T0}.step(q), after), 1e-13) << "step " << n;
      for (const Wrong& wrong : wrong_ones) {
        if (n == 0) continue;  // density and temperature vary by then
        Scheme scheme = right;
        wrong.make(scheme);
        EXPECT_GT(apart(Oracle{scheme, T0}.step(q), after), 1e-9) << wrong.name;
      }
    }
    q = after;
  }
}

TEST(CompressibleScheme, IsTheOneWrittenDownAndNoOther) {
  TestContext context;
  compare(context, Scheme{}, wrong_schemes);
}

TEST(CompressibleScheme, FollowsSutherlandsLaw) {
  TestContext context;
  Scheme right;
  right.sutherland = 0.4042;
  compare(context, right,
          {{"power law", [](Scheme& s) { s.sutherland = 0; }},
           {"Sutherland's temperature", [](Scheme& s) { s.sutherland = 0.41; }}});
}

}  // namespace
}  // namespace sc::test
