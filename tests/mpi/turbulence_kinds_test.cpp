// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// optimise: no
// Variants of the step: order in time, both forms of the nonlinear term, dealiasing by a shifted grid against
// a grid twice as fine, dt from the Courant number.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/mpi/flow_modes.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using namespace turbulence;
using Mode = std::complex<double>;

/// Largest difference between `a` and `b` over the modes of `a` with `keep`, and the largest of `b` there.
template <class Keep>
std::pair<double, double> difference(const Modes& a, const Modes& b, Keep&& keep) {
  double worst = 0, largest = 0;
  for (const auto& [k, value] : a) {
    if (!keep(k)) continue;
    const auto other = b.find(k);
    for (std::size_t d = 0; d < 3; ++d) {
      const Mode of_b = other == b.end() ? Mode() : other->second[d];
      worst = std::max(worst, std::abs(value[d] - of_b));
      largest = std::max(largest, std::abs(of_b));
    }
  }
  return {worst, largest};
}

TEST(TurbulenceKinds, StepsHaveTheirOrder) {
  TestContext context;
  const auto after = [&](Scheme scheme, double dt) {
    Turbulence flow(context, {.points = {16, 16, 16}, .viscosity = 0.05, .dt = dt, .scheme = scheme});
    flow.start(lively);
    for (int n = 0; n < std::lround(0.8 / dt); ++n) flow.step();
    return modes_of(flow, flow.modes());
  };
  const Modes exact = after(Scheme::rk4, 0.00625);
  const auto all = [](const Wave&) { return true; };
  for (const auto& [scheme, order] : {std::pair(Scheme::rk3, 3), std::pair(Scheme::rk4, 4)}) {
    const auto coarse = difference(after(scheme, 0.1), exact, all);
    const auto fine = difference(after(scheme, 0.05), exact, all);
    if (context.rank() != 0) continue;
    EXPECT_GT(coarse.first, 1e-8);
    EXPECT_NEAR(std::log2(coarse.first / fine.first), order, 0.4);
  }
}

TEST(TurbulenceKinds, FormsAgreeWhereNothingIsAliased) {
  TestContext context;
  const auto term = [&](Form form) {
    Turbulence flow(context, {.points = {16, 12, 18}, .form = form});
    flow.start([](int d, double x, double y, double z) {
      return lively(d, x, y, z) + std::sin(5 * x + 3 * y - 5 * z + d) + std::cos(3 * x - y * (d + 1) + 4 * z);
    });
    const Modes before = modes_of(flow, flow.modes());
    const Modes n = modes_of(flow, flow.nonlinear_term());
    // The velocity is unchanged.
    EXPECT_EQ(difference(modes_of(flow, flow.modes()), before, [](const Wave&) { return true; }).first, 0);
    return n;
  };
  const auto [worst, largest] =
      difference(term(Form::divergence), term(Form::rotational), [](const Wave&) { return true; });
  if (context.rank() != 0) return;
  EXPECT_GT(largest, 0.1);
  EXPECT_LT(worst, 1e-12 * largest);
}

// Aliases folded once or three times cancel between the grids; those folded twice are outside the sphere. The
// result is the nonlinear term of a grid twice as fine.
TEST(TurbulenceKinds, ShiftedGridsHaveTheTermOfAFinerGrid) {
  TestContext context;
  constexpr int n = 12;
  const auto inside = [](const Wave& k) {
    return 9 * (k[0] * k[0] + k[1] * k[1] + k[2] * k[2]) <= 2 * n * n;
  };
  const auto field = [](int d, double x, double y, double z) {
    return std::sin(4 * x + 3 * y - 2 * z + d) + std::cos(2 * x - 5 * y + z * (d - 1)) +
           0.3 * std::sin(5 * x + 2 * d + z - y) + std::cos(x + y - 5 * z + 0.4 * d);
  };
  for (const Form form : {Form::rotational, Form::divergence}) {
    const auto term = [&](int points, Dealiasing dealiasing) {
      Turbulence flow(context, {.points = {points, points, points}, .form = form, .dealiasing = dealiasing});
      flow.start(field);
      return modes_of(flow, flow.nonlinear_term());
    };
    const Modes shifted = term(n, Dealiasing::phase_shift), fine = term(2 * n, Dealiasing::two_thirds);
    const auto [worst, largest] = difference(shifted, fine, inside);
    const auto outside = difference(shifted, {}, [&](const Wave& k) { return !inside(k); });
    if (context.rank() != 0) continue;
    EXPECT_GT(largest, 0.1);
    EXPECT_LT(worst, 1e-12 * largest);
    EXPECT_EQ(outside.first, 0);
    // Two thirds of the same grid discard modes that this one keeps.
    const auto has = [&](const Wave& k) { return shifted.count(k) > 0; };
    EXPECT_TRUE(has({5, 0, 0}));
  }
}

TEST(TurbulenceKinds, SinglePrecisionStepsAsDoubleDoes) {
  TestContext context({.threads = 2});
  const auto all = [](const Wave&) { return true; };
  for (const Scheme scheme : {Scheme::rk4, Scheme::rk3})
    for (const Form form : {Form::rotational, Form::divergence})
      for (const Dealiasing dealiasing : {Dealiasing::two_thirds, Dealiasing::phase_shift}) {
        const TurbulenceOptions options{.points = {16, 12, 18},
                                        .viscosity = 0.02,
                                        .dt = 0.05,
                                        .courant = 0.2,
                                        .scheme = scheme,
                                        .form = form,
                                        .dealiasing = dealiasing};
        const auto after = [&](auto&& flow) {
          flow.start(lively);
          for (int n = 0; n < 5; ++n) flow.step();
          return modes_of(flow, flow.modes());
        };
        const Modes exact = after(Turbulence(context, options));
        const auto [worst, largest] = difference(after(Turbulence(context, as_single(options))), exact, all);
        if (context.rank() != 0) continue;
        EXPECT_GT(largest, 0.1);
        EXPECT_LT(worst, 3e-6 * largest);
        EXPECT_GT(worst, 0);
      }
}

// max |u_i| of the Taylor-Green vortex is 1, at a point of the grid.
TEST(TurbulenceKinds, TheCourantNumberChoosesDt) {
  TestContext context({.threads = 2});
  for (const Form form : {Form::rotational, Form::divergence})
    for (const double largest : {1.0, 0.01}) {
      Turbulence flow(context, {.points = {16, 16, 32}, .dt = largest, .courant = 0.5, .form = form});
      flow.start_taylor_green();
      const double wanted = std::min(largest, 0.5 * 2 * std::numbers::pi / 16);
      EXPECT_NEAR(flow.step().dt, wanted, 1e-12);
      EXPECT_NEAR(flow.time(), wanted, 1e-12);
      const double next = flow.step().dt;
      if (largest > 0.5) {
        EXPECT_GT(next, wanted);  // the vortex has slowed down
      }
    }
}

}  // namespace
}  // namespace sc::test
