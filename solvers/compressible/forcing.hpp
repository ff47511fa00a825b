// SPDX-License-Identifier: Apache-2.0
// What feeds the large scales: a force along the modes |k| < kmax of w = sqrt(rho) u, found by a direct
// transform of those modes alone.
//
//   rho du/dt = ... + sqrt(rho) f,   f = c_s w_s + c_d w_d
//
// w_s and w_d are the parts of the forced modes across and along k. Their power is c_s <w_s^2> + c_d <w_d^2>:
// both factors follow from the power and the share that are asked for, exactly (Petersen and Livescu 2010).
// A uniform acceleration keeps the momentum; a uniform sink of heat takes away what comes in, if asked for.
#pragma once

#include "engine/stage/global_value.hpp"
#include "engine/subcurrent.hpp"
#include "solvers/compressible/kernels.hpp"

namespace sc::compressible {

/// 1, cos x, sin x, cos 2x, sin 2x: the functions of one axis whose products are all modes with |k_i| <= 2.
constexpr int highest = 2, functions = 1 + 2 * highest;

/// The coefficients of those products, [c][b][a] of z, y and x.
struct Tensor {
  std::array<double, functions * functions * functions> at{};
  double& operator()(int a, int b, int c) { return at[index(a, b, c)]; }
  double operator()(int a, int b, int c) const { return at[index(a, b, c)]; }
  static std::size_t index(int a, int b, int c) {
    return static_cast<std::size_t>((c * functions + b) * functions + a);
  }
};

/// The functions at the cells of an axis: [function][cell].
class Waves {
 public:
  explicit Waves(int cells);
  const double* of(int function) const { return values_.data() + std::ptrdiff_t{function} * cells_; }
  const double* values() const { return values_.data(); }
  int cells() const { return cells_; }

 private:
  int cells_;
  std::vector<double> values_;
};

/// Means over the box of products with all functions below kmax, of sqrt(rho) u_i and of sqrt(rho).
struct LowModes {
  std::array<Tensor, 3> w;
  Tensor root;         ///< of sqrt(rho)
  double density = 1;  ///< mean
};

/// sqrt(rho) f_i + rho a_i and its work go to the rates, and the heat.
struct Push {
  const double* along = nullptr;  ///< Waves of x
  const double* rows = nullptr;   ///< [row of the rank's y and z][component][function of x]
  int cells = 0, origin_y = 0, origin_z = 0, rows_y = 0;
  std::array<double, 3> steady{};  ///< the acceleration that keeps the momentum
  double heat = 0;
  template <class Real>
  SC_FN void operator()(At c, Index g, InOut<Real, 5> rate, In<Real, state_size> s) const {
    const double* row = rows + ((g.z - origin_z) * rows_y + (g.y - origin_y)) * (3 * functions);
    const double rho = s[rho_][c], root = std::sqrt(rho);
    double work = 0;
    for (int i = 0; i < 3; ++i) {
      double f = 0;
      for (int a = 0; a < functions; ++a) f += row[i * functions + a] * along[std::int64_t{a} * cells + g.x];
      const double force = root * f + rho * steady[std::size_t(i)];
      rate[1 + i][c] = Real(rate[1 + i][c] + force);
      work += force * s[u_ + i][c];
    }
    rate[4][c] = Real(rate[4][c] + work - heat);
  }
};

class Forcing {
 public:
  /// Collective. Ranks own whole blocks of `block` cells, the last of an axis with the rest.
  Forcing(AnyField& state, const ForcingOptions& options, int block);
  /// Collective: begins to sum the low modes of the present state; push() waits for them, and is for that
  /// state.
  void start(GlobalValue& global) const;
  Push push(GlobalValue& global);

 private:
  LowModes low_modes(GlobalValue& global) const;
  struct Sums;
  template <class Real>
  void add_block(In<Real, state_size> s, const Box& block, Sums& sums) const;
  template <class Real>
  void add_planes(In<Real, state_size> s, int lo, int hi, std::vector<Sums>& sums) const;
  Box block_of(int number) const;
  void set_rows(const std::array<Tensor, 3>& force);

  AnyField& state_;
  Grid grid_;
  ForcingOptions options_;
  std::array<std::vector<int>, 3> cuts_;      ///< own blocks along each axis, local
  std::vector<std::array<int, 3>> products_;  ///< functions of x, y and z below kmax
  std::array<Waves, 3> waves_;
  std::vector<double> rows_;
};

}  // namespace sc::compressible
