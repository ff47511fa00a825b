// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// threads: 2
// optimise: no
// label: checked
// The passive scalar against exact solutions, against a velocity that obeys its equation, against the
// convolution over all pairs of modes; its budget.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/error.hpp"
#include "tests/mpi/flow_modes.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using namespace turbulence;
using Complex = std::complex<double>;

/// The scalar's modes divided by the number of points, on rank 0.
std::map<Wave, Complex> scalar_of(Turbulence& flow, AnyField& field) {
  std::map<Wave, Complex> all;
  for (const auto& [k, u] : modes_of<4>(flow, field)) all[k] = u[3];
  return all;
}

/// The largest difference between the scalar at the points and `exact`, on all ranks.
template <class Real>
double distance(Context& context, Turbulence& flow,
                const std::function<double(double, double, double)>& exact) {
  const Level<Real, 1> theta{&flow.scalar(), 0};
  const Grid& grid = flow.grid();
  double worst = 0;
  each_cell(grid.own(), [&](Int3 c) {
    const auto at = [&](int axis) { return 2 * M_PI * (grid.origin()[axis] + c[axis]) / grid.cells()[axis]; };
    const double here = theta.view()[At{grid.layout().offset(c), 0, 0}];
    worst = std::max(worst, std::abs(here - exact(at(0), at(1), at(2))));
  });
  return context.max(worst);
}

template <class Real>
struct ScalarIn : testing::Test {
  static constexpr bool single = std::is_same_v<Real, float>;
};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(ScalarIn, Precisions);

// At rest every mode decays as exp(-kappa k^2 t).
TYPED_TEST(ScalarIn, ModesDecayExactlyInAFluidAtRest) {
  TestContext context({.threads = 2});
  for (const Form form : {Form::rotational, Form::divergence}) {
    Turbulence flow(context, {.points = {12, 8, 10},
                              .viscosity = 0.01,
                              .dt = 0.05,
                              .form = form,
                              .single = TestFixture::single,
                              .scalar = ScalarOptions{.diffusivity = 0.3}});
    const auto at_time = [](double t) {
      return [t](double x, double y, double z) {
        return std::sin(3 * x) * std::exp(-0.3 * 9 * t) + std::cos(x + 2 * y - z) * std::exp(-0.3 * 6 * t);
      };
    };
    flow.start([&](int d, double x, double y, double z) { return d == 3 ? at_time(0)(x, y, z) : 0.0; });
    for (int n = 0; n < 20; ++n) flow.step();
    EXPECT_LT(distance<TypeParam>(context, flow, at_time(1)), 16 * std::numeric_limits<TypeParam>::epsilon());
  }
}

// A uniform velocity carries a decaying wave along.
TEST(Scalar, AUniformFlowCarriesAWaveToTheOrderOfTheStep) {
  TestContext context;
  const auto exact = [](double x, double y, double z) {
    return std::sin(x + 2 * y - z - (0.7 + 2 * 0.4 + 0.3)) * std::exp(-0.02 * 6);
  };
  for (const auto& [scheme, order] : {std::pair(Scheme::rk3, 3), std::pair(Scheme::rk4, 4)})
    for (const Form form : {Form::rotational, Form::divergence})
      for (const Dealiasing dealiasing : {Dealiasing::two_thirds, Dealiasing::phase_shift}) {
        const auto error = [&](double dt) {
          Turbulence flow(context, {.points = {12, 10, 8},
                                    .viscosity = 0.5,
                                    .dt = dt,
                                    .scheme = scheme,
                                    .form = form,
                                    .dealiasing = dealiasing,
                                    .scalar = ScalarOptions{.diffusivity = 0.02}});
          flow.start([](int d, double x, double y, double z) {
            constexpr std::array u{0.7, 0.4, -0.3};
            return d == 3 ? std::sin(x + 2 * y - z) : u[static_cast<std::size_t>(d)];
          });
          for (int n = 0; n < std::lround(1 / dt); ++n) flow.step();
          return distance<double>(context, flow, exact);
        };
        const double coarse = error(0.1), fine = error(0.05);
        EXPECT_LT(fine, 1e-3);
        EXPECT_NEAR(std::log2(coarse / fine), order, 0.2);
      }
}

// v = sin x exp(-nu t) in a gradient G along y: theta = G sin x (exp(-kappa t) - exp(-nu t)) / (kappa - nu).
// And of the same gradient along x nothing comes.
TEST(Scalar, AShearInAMeanGradientProducesWhatItMust) {
  TestContext context;
  const double nu = 0.2, kappa = 0.5, gradient = 1.5;
  const auto error = [&](double dt, Dealiasing dealiasing, Form form) {
    Turbulence flow(context, {.points = {8, 8, 10},
                              .viscosity = nu,
                              .dt = dt,
                              .form = form,
                              .dealiasing = dealiasing,
                              .scalar = ScalarOptions{kappa, {3, gradient, 7}}});
    flow.start([](int d, double x, double, double) { return d == 1 ? std::sin(x) : 0.0; });
    for (int n = 0; n < std::lround(1 / dt); ++n) flow.step();
    return distance<double>(context, flow, [&](double x, double, double) {
      return gradient * std::sin(x) * (std::exp(-kappa) - std::exp(-nu)) / (kappa - nu);
    });
  };
  for (const Dealiasing dealiasing : {Dealiasing::two_thirds, Dealiasing::phase_shift})
    for (const Form form : {Form::rotational, Form::divergence}) {
      const double coarse = error(0.2, dealiasing, form), fine = error(0.1, dealiasing, form);
      EXPECT_LT(fine, 1e-7);
      EXPECT_NEAR(std::log2(coarse / fine), 4, 0.2);
    }
}

// In a flow that does not depend on z, w is a passive scalar with kappa = nu: no pressure acts along z.
TEST(Scalar, IsTheThirdVelocityOfAFlowInTwoDimensions) {
  TestContext context;
  const auto third = [](double x, double y) { return std::cos(2 * x - y) + 0.4 * std::sin(x + 3 * y); };
  for (const Scheme scheme : {Scheme::rk4, Scheme::rk3})
    for (const Form form : {Form::rotational, Form::divergence})
      for (const Dealiasing dealiasing : {Dealiasing::two_thirds, Dealiasing::phase_shift}) {
        Turbulence flow(context, {.points = {24, 24, 4},
                                  .viscosity = 0.02,
                                  .dt = 0.02,
                                  .scheme = scheme,
                                  .form = form,
                                  .dealiasing = dealiasing,
                                  .scalar = ScalarOptions{.diffusivity = 0.02}});
        flow.start([&](int d, double x, double y, double) {
          return d == 0   ? std::cos(y) + std::sin(2 * y + x)
                 : d == 1 ? std::sin(x) - 0.5 * std::sin(2 * y + x)
                          : third(x, y);
        });
        for (int n = 0; n < 25; ++n) flow.step();
        const auto modes = modes_of<4>(flow, flow.modes());
        if (context.rank() != 0) continue;
        double worst = 0, largest = 0, changed = 0;
        for (const auto& [k, u] : modes) {
          worst = std::max(worst, std::abs(u[3] - u[2]));
          largest = std::max(largest, std::abs(u[3]));
          if (std::abs(k[0]) + std::abs(k[1]) > 4) changed = std::max(changed, std::abs(u[3]));
        }
        EXPECT_GT(changed, 1e-3);
        EXPECT_LT(worst, 1e-14 * largest + 1e-15);
      }
}

// - i k . sum over all pairs p + q = k of u_p theta_q, - G . u: without transforms, so without aliasing.
TEST(Scalar, ItsTermIsTheConvolution) {
  TestContext context;
  constexpr std::array gradient{0.3, -1.1, 0.6};
  for (const Form form : {Form::rotational, Form::divergence}) {
    Turbulence flow(context, {.points = {10, 8, 10}, .form = form, .scalar = ScalarOptions{0, gradient}});
    flow.start([](int d, double x, double y, double z) {
      return std::sin(3 * x + 2 * y - 3 * z + d) + std::cos(2 * x - y * (d + 1) + 2 * z) +
             0.3 * std::sin(x * d + z - y);
    });
    const auto before = modes_of<4>(flow, flow.modes());
    const auto got = scalar_of(flow, flow.nonlinear_term());
    if (context.rank() != 0) continue;
    auto u = before;
    for (const auto& [k, v] : before)
      if (k[0] > 0)
        for (std::size_t d = 0; d < 4; ++d) u[{-k[0], -k[1], -k[2]}][d] = std::conj(v[d]);
    double worst = 0, largest = 0;
    for (const auto& [k, n] : got) {
      Complex sum;
      for (const auto& [p, up] : u) {
        const auto other = u.find({k[0] - p[0], k[1] - p[1], k[2] - p[2]});
        if (other == u.end()) continue;
        for (std::size_t d = 0; d < 3; ++d) sum -= Complex(0, k[d]) * up[d] * other->second[3];
      }
      for (std::size_t d = 0; d < 3; ++d) sum -= gradient[d] * u[k][d];
      worst = std::max(worst, std::abs(sum - n));
      largest = std::max(largest, std::abs(sum));
    }
    EXPECT_GT(largest, 0.1);
    EXPECT_LT(worst, 1e-12 * largest);
  }
}

// <theta^2>(T) - <theta^2>(0) = integral of production - dissipation, by Simpson's rule over the steps.
TEST(Scalar, ItsVarianceGoesWhereTheBudgetSays) {
  TestContext context;
  const auto error = [&](int steps) {
    const double dt = 0.8 / steps;
    Turbulence flow(context, {.points = {16, 16, 16},
                              .viscosity = 0.05,
                              .dt = dt,
                              .forcing = {.kind = ForcingKind::constant_power, .power = 0.3},
                              .scalar = ScalarOptions{0.03, {0.2, 1, -0.5}}});
    flow.start_random({.spectrum = {0, 0.2, 0.2, 0.1, 0.05}});
    flow.start_scalar({.spectrum = {0, 0.1, 0.3, 0.2}, .seed = 7});
    const ScalarBalance first = flow.scalar_balance();
    EXPECT_NEAR(first.variance, 0.6, 1e-14);
    const auto rate = [](const ScalarBalance& b) { return b.production - b.dissipation; };
    ScalarBalance now = first;
    double sum = rate(first), lost = 0;
    for (int n = 1; n <= steps; ++n) {
      flow.step();
      now = flow.scalar_balance();
      sum += (n == steps ? 1 : n % 2 == 1 ? 4 : 2) * rate(now);
      lost += dt * now.dissipation;
    }
    EXPECT_GT(lost, 0.01);
    EXPECT_GT(std::abs(now.variance - first.variance), 0.01);
    return std::abs(now.variance - first.variance - sum * dt / 3);
  };
  const double coarse = error(40), fine = error(80);
  EXPECT_LT(fine, 1e-6);
  EXPECT_GT(std::log2(coarse / fine), 3.5);
}

TEST(Scalar, ItsScalesAreThoseOfTheFlowAndItsDiffusivity) {
  TestContext context;
  for (const double kappa : {0.005, 0.08}) {  // nu is 0.02
    Turbulence flow(
        context, {.points = {16, 12, 16}, .viscosity = 0.02, .scalar = ScalarOptions{.diffusivity = kappa}});
    flow.start([](int d, double x, double y, double z) {
      return d == 0   ? std::sin(x) * std::cos(y) * std::cos(z)
             : d == 1 ? -std::cos(x) * std::sin(y) * std::cos(z)
             : d == 2 ? 0.0
                      : std::sqrt(2.0) * std::sin(2 * x + y);
    });
    const Measures m = flow.measure();  // E = 1/8, epsilon = 2 nu 3/8
    ASSERT_TRUE(m.scalar.has_value());
    EXPECT_NEAR(m.scalar->variance, 1, 1e-14);
    EXPECT_NEAR(m.scalar->dissipation, 2 * kappa * 5, 1e-14);
    EXPECT_NEAR(m.scalar->time_ratio, 0.125 / 0.015 * 10 * kappa, 1e-12);
    EXPECT_NEAR(m.scalar->resolution, 3 * std::pow(std::max(0.02, kappa) * kappa * kappa / 0.015, 0.25),
                1e-12);
    const std::vector<double> spectrum = flow.scalar_spectrum();
    EXPECT_NEAR(spectrum[2], 1, 1e-14);  // |k|^2 = 5
    EXPECT_NEAR(flow.spectrum()[2], 0.125, 1e-14);
  }
}

TEST(Scalar, ItsDiffusivityIsNotNegative) {
  TestContext context;
  EXPECT_THROW(Turbulence(context, {.scalar = ScalarOptions{.diffusivity = -1}}), Error);
}

}  // namespace
}  // namespace sc::test
