// SPDX-License-Identifier: Apache-2.0
// Forcing of the largest scales, f = c u in 0 < |k| < k_f, with c from sums over the modes in every stage:
//
//   energy held constant (negative viscosity):  c = epsilon / sum |u|^2,   epsilon = 2 nu sum k^2 |u|^2 / 2
//   constant power P:                           c = P / sum |u|^2
//
// with |u|^2 summed over the forced modes, epsilon over all modes. The sums do not depend on the order. Of
// modes with kx = 0 only the part that the points have is forced (see ConjugateModes): c may exceed nu k^2,
// so that the rest, which begins as a rounding error and which the flow cannot drain, would grow without
// bound.
#pragma once

#include <optional>
#include <vector>

#include "engine/overlap/runner.hpp"
#include "engine/stage/global_value.hpp"
#include "solvers/turbulence/conjugate_modes.hpp"
#include "solvers/turbulence/stages.hpp"

namespace sc::turbulence {

enum class ForcingKind { none, negative_viscosity, constant_power };

struct ForcingOptions {
  ForcingKind kind = ForcingKind::none;
  double largest = 2.5;  ///< k_f
  double power = 0;      ///< P, for constant_power
};

/// The dissipation of a mode: nu k^2 |u|^2
struct Dissipation {
  Wavenumbers wavenumbers;
  double scale;  ///< nu / points^2
  template <class Real>
  SC_FN double operator()(At at, Index g, In<Mode<Real>, 3> u) const {
    const auto k = wavenumbers.of(g);
    return (g.x > 0 ? 2 : 1) * scale * (k[0] * k[0] + k[1] * k[1] + k[2] * k[2]) * square_of(at, u);
  }
};

class Forcing {
 public:
  /// `modes`: the grid of the forced fields; `scale`: 1 / points^2.
  Forcing(Runner& runner, const Grid& modes, Wavenumbers wavenumbers, double scale, double viscosity,
          const ForcingOptions& options);

  bool none() const { return options_.kind == ForcingKind::none; }
  /// Collective: saves what add() needs of u, which may then be overwritten. Throws Error (diverged) if no
  /// forced mode has energy.
  void hold(AnyField& u);
  /// n <- n + c u in the forced modes
  void add(AnyField& n);

 private:
  void take(AnyField& u);
  void pair(Accumulator& squares);
  template <class Action>
  void each_forced(Action&& action) const;

  Runner& runner_;
  Wavenumbers wavenumbers_;
  double scale_, viscosity_;
  ForcingOptions options_;
  Frame frame_;
  std::vector<Box> band_;  ///< this rank's boxes that contain the forced modes, in local coordinates
  GlobalValue sums_;
  std::optional<ConjugateModes> conjugates_;
  std::vector<ConjugateModes::Vector> held_;  ///< c u, mode by mode
};

}  // namespace sc::turbulence
