// SPDX-License-Identifier: Apache-2.0
// The phase-field kernels alone: counts of their operations, the flux at zero gradient, the noise.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "engine/exec/face_kernel.hpp"
#include "solvers/dendrite/karma_rappel.hpp"
#include "solvers/dendrite/stages.hpp"

namespace {

// A number type that counts its operations.
struct Counted {
  double v = 0;
  static inline int operations = 0;
  Counted() = default;
  template <class T>
  constexpr explicit Counted(T value) : v(double(value)) {}
  Counted& operator+=(Counted o) { return *this = *this + o; }
  friend Counted operator+(Counted a, Counted b) { return ++operations, Counted(a.v + b.v); }
  friend Counted operator-(Counted a, Counted b) { return ++operations, Counted(a.v - b.v); }
  friend Counted operator*(Counted a, Counted b) { return ++operations, Counted(a.v * b.v); }
  friend Counted operator/(Counted a, Counted b) { return ++operations, Counted(a.v / b.v); }
  friend Counted fused(Counted a, Counted b, Counted c) { return a * b + c; }
  friend Counted operator-(Counted a) { return Counted(-a.v); }
  friend bool operator<(Counted a, Counted b) { return a.v < b.v; }
  friend bool operator>(Counted a, Counted b) { return a.v > b.v; }
};

using namespace sc;
using namespace sc::dendrite;

/// Cubes of seven cells a side for all fields; the middle cell is computed.
template <class Real>
struct Cube {
  static constexpr int n = 7, cells = n * n * n, half = n / 2;
  std::vector<Real> phi = std::vector<Real>(cells), theta = phi, out = phi, out_theta = phi,
                    turn = std::vector<Real>(4 * cells);
  At middle{cells / 2, n, n* n};
  In<Real> of(const std::vector<Real>& v) const { return {v.data(), 0}; }
};

template <class F>
int operations_of(F&& f) {
  Counted::operations = 0;
  f();
  return Counted::operations;
}

TEST(DendriteKernels, DoAsManyOperationsAsTheyDeclare) {
  Cube<Counted> q;
  const Out<Counted> phi{q.out.data(), 0}, theta{q.out_theta.data(), 0};
  const In<Counted, 4> turn{q.turn.data(), q.cells};
  // A cell computes three of its six fluxes, see engine/field/fluxes.hpp.
  const auto advance = [&](const auto& kernel, auto... turns) {
    const auto above = fluxes_above(kernel, q.middle, phi, theta, q.of(q.phi), q.of(q.theta), turns...);
    kernel(q.middle, Index{}, above, above, phi, theta, q.of(q.phi), q.of(q.theta), turns...);
  };
  EXPECT_EQ(operations_of([&] { advance(Advance<Counted, false>{}); }), advance_flops);
  EXPECT_EQ(operations_of([&] { advance(Advance<Counted, true>{}); }), advance_flops + noise_flops);
  EXPECT_EQ(operations_of([&] { rotation_at<Counted>(q.middle, turn); }), axes_flops);
  EXPECT_EQ(operations_of([&] { advance(AdvanceKarmaRappel<Counted>{}); }), karma_rappel_flops);
  // A cell computes its own axes too; those of the faces along y and z are the same.
  EXPECT_EQ(operations_of([&] { advance(AdvanceKarmaRappel<Counted>{}, turn); }),
            karma_rappel_rotated_flops + axes_flops);
  EXPECT_EQ(operations_of([&] { advance(Advance<Counted, false>{}, turn); }), rotated_flops + axes_flops);
  EXPECT_EQ(operations_of([&] { advance(Advance<Counted, false, FourthOrder>{}); }),
            advance_flops + fourth_order_flops);
  EXPECT_EQ(operations_of([&] { advance(Advance<Counted, false, FourthOrder>{}, turn); }),
            rotated_flops + axes_flops + fourth_order_flops);
  EXPECT_EQ(operations_of([&] { advance(AdvanceKarmaRappel<Counted, FourthOrder>{}); }),
            karma_rappel_flops + fourth_order_flops + fourth_order_slopes_flops);
}

using Point = std::array<double, 3>;

/// The error of the divergence of the flux at a point, relative to the exact one, on a grid of spacing h.
template <class Differences>
double divergence_error(const std::function<double(Point)>& phi, Point at, double exact, double gamma,
                        const std::array<double, 4>& turn, double h) {
  Cube<double> q;
  for (int n = 0; n < q.cells; ++n) {
    const int x = n % q.n - q.half, y = n / q.n % q.n - q.half, z = n / (q.n * q.n) - q.half;
    q.phi[std::size_t(n)] = phi({at[0] + x * h, at[1] + y * h, at[2] + z * h});
    for (int k = 0; k < 4; ++k) q.turn[std::size_t(k * q.cells + n)] = turn[std::size_t(k)];
  }
  Advance<double, false, Differences> kernel;
  kernel.k.gamma = Anisotropy<double>(gamma);
  const Out<double> out{q.out.data(), 0};
  const In<double, 4> orientation{q.turn.data(), q.cells};
  const auto low = fluxes_below(kernel, q.middle, out, out, q.of(q.phi), q.of(q.theta), orientation);
  const auto high = fluxes_above(kernel, q.middle, out, out, q.of(q.phi), q.of(q.theta), orientation);
  const double sum = (high.x - low.x) + (high.y - low.y) + (high.z - low.z);
  return std::abs(sum / (4 * h * h) / exact - 1);
}
template <class Differences>
double observed_order(const std::function<double(Point)>& phi, Point at, double exact, double gamma,
                      const std::array<double, 4>& turn) {
  const auto error = [&](double h) { return divergence_error<Differences>(phi, at, exact, gamma, turn, h); };
  return std::log2(error(0.04) / error(0.02));
}

// On plane fronts phi = f(n x) the divergence is A(n)^2 f'' exactly; without anisotropy it is the Laplacian.
TEST(DendriteDivergence, HasItsOrderOnPlaneFrontsAndWithoutAnisotropy) {
  const Point at{0.1, 0.2, -0.1};
  const double angle = 0.7;
  const std::array<double, 4> straight{1, 0, 0, 0}, turned{std::cos(angle / 2), 0, 0, std::sin(angle / 2)};
  for (const Point n :
       {Point{1, 0, 0}, Point{0.6, 0.8, 0}, Point{0, -0.8, 0.6}, Point{2. / 7, 3. / 7, 6. / 7}})
    for (const bool rotated : {false, true}) {
      const auto front = [n](Point p) { return std::tanh(n[0] * p[0] + n[1] * p[1] + n[2] * p[2] + 0.4); };
      const double t = front(at);
      Point c = n;  // in the frame of the crystal
      if (rotated)
        c = {std::cos(angle) * n[0] + std::sin(angle) * n[1], std::cos(angle) * n[1] - std::sin(angle) * n[0],
             n[2]};
      const double A = 1 - 0.15 + 0.2 * (std::pow(c[0], 4) + std::pow(c[1], 4) + std::pow(c[2], 4)),
                   square = A * A;
      const double exact = square * -2 * t * (1 - t * t);
      const auto& turn = rotated ? turned : straight;
      EXPECT_NEAR(observed_order<SecondOrder>(front, at, exact, 0.05, turn), 2, 0.1) << n[0] << rotated;
      EXPECT_NEAR(observed_order<FourthOrder>(front, at, exact, 0.05, turn), 4, 0.1) << n[0] << rotated;
    }
  const auto curved = [](Point p) {
    return std::sin(p[0] + 0.3) * std::exp(0.7 * p[1]) + 0.5 * std::cos(1.3 * p[2] - 0.8 * p[0] + 0.4 * p[1]);
  };
  const double wave = 0.5 * std::cos(1.3 * at[2] - 0.8 * at[0] + 0.4 * at[1]);
  const double laplacian =
      (-1 + 0.49) * std::sin(at[0] + 0.3) * std::exp(0.7 * at[1]) - (1.69 + 0.64 + 0.16) * wave;
  EXPECT_NEAR(observed_order<SecondOrder>(curved, at, laplacian, 0, straight), 2, 0.1);
  EXPECT_NEAR(observed_order<FourthOrder>(curved, at, laplacian, 0, straight), 4, 0.1);
}

template <class Real>
class DendriteFlux : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(DendriteFlux, Reals);

TYPED_TEST(DendriteFlux, VanishesWhereThereIsNoGradient) {
  using Real = TypeParam;
  const Anisotropy<Real> k(0.05);
  const auto R = rotation_of<Real>(Real(0.8), Real(0.6), 0, 0);
  const FaceGradient<Real> none{0, 0, 0};
  EXPECT_EQ(flux(none, k, 1 / square(none)), 0);
  EXPECT_EQ(rotated_flux<1>(none, k, R, 1 / square(none)), 0);
  EXPECT_GT(square(none), std::numeric_limits<Real>::min());
  // Down to the smallest numbers it is finite and bounded by the gradient.
  for (Real size = 1; size > 0; size /= 2)
    for (const FaceGradient<Real> g :
         {FaceGradient<Real>{size, 0, 0}, FaceGradient<Real>{size, -size, size}}) {
      EXPECT_LE(std::abs(flux(g, k, 1 / square(g))), 2 * size);
      EXPECT_LE(std::abs(rotated_flux<2>(g, k, R, 1 / square(g))), 2 * size);
    }
}

TYPED_TEST(DendriteFlux, HasAnAnisotropyWhereThereIsNoGradient) {
  using Real = TypeParam;
  const Anisotropy<Real> k(0.05);
  EXPECT_EQ(anisotropy(FaceGradient<Real>{0, 0, 0}, k), Real(1.05));
  for (Real size = 1; size > 0; size /= 2)
    for (const FaceGradient<Real> g :
         {FaceGradient<Real>{size, 0, 0}, FaceGradient<Real>{size, -size, size}}) {
      EXPECT_GE(anisotropy(g, k), Real(0.9));
      EXPECT_LE(anisotropy(g, k), Real(1.06));
    }
}

// Mean, variance and correlations between neighbours along every axis and in time, of 2^18 values: standard
// deviations 0.0011, 0.0006 and 0.0007.
TEST(DendriteNoise, IsUniformAndUncorrelated) {
  constexpr int n = 64;
  const auto at = [](int x, int y, int z, int step) {
    return noise<double>(noise_key(5, std::uint64_t(step)), Index{x, y, z});
  };
  double sum = 0, square = 0, along[4] = {};
  std::array<int, 16> count{};
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const double v = at(x, y, z, 3);
        ASSERT_LE(std::abs(v), 1);
        sum += v;
        square += v * v;
        along[0] += v * at(x + 1, y, z, 3);
        along[1] += v * at(x, y + 1, z, 3);
        along[2] += v * at(x, y, z + 1, 3);
        along[3] += v * at(x, y, z, 4);
        ++count[std::size_t(std::min(15, int(8 * (v + 1))))];
      }
  const double cells = double(n) * n * n;
  EXPECT_NEAR(sum / cells, 0, 0.005);
  EXPECT_NEAR(square / cells, 1.0 / 3, 0.003);
  for (double a : along) EXPECT_NEAR(a / cells, 0, 0.003);
  double chi2 = 0;
  for (int c : count) chi2 += (c - cells / 16) * (c - cells / 16) / (cells / 16);
  EXPECT_LT(chi2, 37.7);  // 15 degrees of freedom, one in a thousand
  EXPECT_EQ(noise<float>(noise_key(5, 3), Index{9, 8, 7}), float(at(9, 8, 7, 3)));
}

}  // namespace
