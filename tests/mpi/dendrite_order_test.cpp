// SPDX-License-Identifier: Apache-2.0
// ranks: 1
// The kernels' order in space by the method of manufactured solutions: steady phi and theta with source
// terms, which are derived from the energy density by finite differences that are independent of the grid.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "engine/exec/face_kernel.hpp"
#include "engine/overlap/runner.hpp"
#include "engine/stage/sweep.hpp"
#include "solvers/dendrite/kernels.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/oracle/dendrite_reference.hpp"

namespace {

using namespace sc;
using namespace sc::dendrite;
using oracle::Vec3;

// phi' = D div flux + r phi (1 - phi) (phi - 1/2 + drive theta phi (1 - phi)), theta' = kappa lap theta
constexpr double D = 0.3, r = 2, drive = -0.8, kappa = 0.5, gamma = 0.05;

// The gradient vanishes nowhere, because the anisotropic flux is not smooth there.
double exact_phi(Vec3 p) {
  return 0.1 + 0.25 * p[0] + 0.3 * p[1] + 0.2 * p[2] + 0.04 * std::sin(3 * p[0] + 2 * p[1] + 4 * p[2]);
}
Vec3 exact_gradient(Vec3 p) {
  const double c = 0.04 * std::cos(3 * p[0] + 2 * p[1] + 4 * p[2]);
  return {0.25 + 3 * c, 0.3 + 2 * c, 0.2 + 4 * c};
}
double exact_theta(Vec3 p) { return -0.5 + 0.3 * std::sin(2 * p[0] + p[1] - 2 * p[2]); }

double divergence_of_flux(Vec3 p, const oracle::Matrix& R) {
  constexpr double e = 2e-3;
  double sum = 0;
  for (std::size_t n = 0; n < 3; ++n) {
    const auto at = [&](double by) {
      Vec3 q = p;
      q[n] += by * e;
      return oracle::energy_flux(exact_gradient(q), n, gamma, R);
    };
    sum += (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * e);  // sixth order
  }
  return sum;
}
double rate_of_phi(Vec3 p, const oracle::Matrix& R) {
  const double phi = exact_phi(p), w = phi * (1 - phi);
  return D * divergence_of_flux(p, R) + r * w * (phi - 0.5 + drive * exact_theta(p) * w);
}
double rate_of_theta(Vec3 p) { return kappa * -9 * (exact_theta(p) + 0.5); }

Vec3 place(Index g, double h) {
  return {(double(g.x) + 0.5) * h, (double(g.y) + 0.5) * h, (double(g.z) + 0.5) * h};
}

/// Sets halo cells to the exact values.
struct Exact {
  double (*value)(Vec3);
  double h;
  SC_FN void operator()(Border b, Index g, Out<double> q) const { q[b.ghost(1)] = value(place(g, h)); }
};

/// The solver's kernel plus the source terms.
struct Forced {
  using FluxType = double;
  Advance<double, false> advance;
  double dt;
  template <int axis>
  SC_FN double flux_above(At c, Out<double> phi_next, Out<double> theta_next, In<double> phi,
                          In<double> theta, In<double, 4> turn, In<double, 2>) const {
    return advance.flux_above<axis>(c, phi_next, theta_next, phi, theta, turn);
  }
  SC_FN void operator()(At c, Index g, const Fluxes<double>& low, const Fluxes<double>& high,
                        Out<double> phi_next, Out<double> theta_next, In<double> phi, In<double> theta,
                        In<double, 4> turn, In<double, 2> rate) const {
    advance(c, g, low, high, phi_next, theta_next, phi, theta, turn);
    phi_next[c] -= dt * rate[0][c];
    theta_next[c] -= dt * rate[1][c];
  }
};

double error_at(Context& context, int n, const Vec3& axis, double angle) {
  const double h = 1.0 / n, dt = 0.05 * h * h / kappa;
  Grid grid(context, {.cells = {n, n, n}, .halo = 1});
  Field<double> phi(grid, "phi", {.levels = 2}), theta(grid, "theta", {.levels = 2});
  Field<double, 4> turn(grid, "turn");
  Field<double, 2> rate(grid, "rate");
  const oracle::Matrix R = oracle::turn_about(axis, angle);
  const auto at = [h](int x, int y, int z) { return place({x, y, z}, h); };
  phi.fill([&](int x, int y, int z) { return exact_phi(at(x, y, z)); });
  theta.fill([&](int x, int y, int z) { return exact_theta(at(x, y, z)); });
  const double l = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  turn.fill([&](int k, int, int, int) {
    return k == 0 ? std::cos(angle / 2) : std::sin(angle / 2) * axis[std::size_t(k - 1)] / l;
  });
  rate.fill([&](int k, int x, int y, int z) {
    return k == 0 ? rate_of_phi(at(x, y, z), R) : rate_of_theta(at(x, y, z));
  });
  for (const Face face : all_faces) {
    boundary(phi, face, Exact{exact_phi, h});
    boundary(theta, face, Exact{exact_theta, h});
    boundary(turn, face, Mirrored<double, 4>{});
  }
  // Without latent heat, which is a function of two values of phi at one cell and has no order in space.
  Coefficients<double> k;
  k.flux = dt * D / (4 * h * h);
  k.reaction = r * dt;
  k.drive = drive;
  k.heat = kappa * dt / (h * h);
  k.gamma = Anisotropy<double>(gamma);
  Runner runner(context, {.strategy = Strategy::blocking});
  Sweep forced("forced", Forced{}, writes(phi.next()), writes(theta.next()), reads(phi.now(), box(1)),
               reads(theta.now(), star(1)), reads(turn.now(), star(1)), reads(rate.now()));
  for (double time = 0; time < 0.1; time += dt) {
    runner.run(forced, Forced{{k}, dt});
    phi.advance();
    theta.advance();
  }
  double sum = 0;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        sum += std::pow(phi.get({x, y, z}) - exact_phi(at(x, y, z)), 2);
        sum += std::pow(theta.get({x, y, z}) - exact_theta(at(x, y, z)), 2);
      }
  return std::sqrt(sum / (double(n) * n * n));
}

TEST(DendriteOrder, IsTwoOnAManufacturedSolution) {
  test::TestContext context;
  for (const double angle : {0.0, 0.7}) {
    const double coarse = error_at(context, 8, {1, 2, 0.5}, angle);
    const double middle = error_at(context, 16, {1, 2, 0.5}, angle);
    const double fine = error_at(context, 32, {1, 2, 0.5}, angle);
    std::printf("rotated by %.1f: %.2e %.2e %.2e, orders %.3f %.3f\n", angle, coarse, middle, fine,
                std::log2(coarse / middle), std::log2(middle / fine));
    EXPECT_GE(std::log2(middle / fine), 1.9) << angle;
  }
}

}  // namespace
