// SPDX-License-Identifier: Apache-2.0
// Sound in a box: one class for both precisions, which its stages encapsulate. Lengths in m, times in s, p in
// Pa.
#pragma once

#include <array>
#include <memory>

#include "engine/overlap/runner.hpp"
#include "engine/stage/global_value.hpp"
#include "solvers/common/passes.hpp"
#include "solvers/common/report.hpp"

namespace sc::wave {

/// `rigid`: dp/dn = 0. `soft`: p = 0.
enum class FaceKind { periodic, rigid, soft };

struct WaveOptions {
  Int3 cells = {64, 64, 64};
  double spacing = 0.01;
  double speed = 343;               ///< of sound
  std::array<FaceKind, 6> faces{};  ///< x-, x+, y-, y+, z-, z+
  /// The initial state is at rest: amplitude exp(-(r / width)^2) around the centre, or its nearest image
  /// beyond periodic faces.
  std::array<double, 3> centre{};
  double width = 0.05, amplitude = 1;
  bool single = false;
  double safety = 0.8;  ///< dt divided by the largest stable one
  double dt = 0;        ///< > 0: fixed instead
  Int3 split = {0, 0, 0};
  Space space = Space::host;
  RunnerOptions engine;
};
/// Throws Error (bad_input) with one sentence for invalid options.
void check(const WaveOptions& options);
/// h / (2 c): beyond it the leapfrog step amplifies the shortest wave, whose Laplacian is -16 / h^2.
double largest_step(const WaveOptions& options);

struct Measures {
  double energy = 0;  ///< mean of (dp/dt)^2 / 2 + c^2 |grad p|^2 / 2, Pa^2 / s^2; conserved to rounding
  double low = 0, high = 0;
};

class Wave {
 public:
  /// Collective. Throws Error (bad_input) for invalid options.
  Wave(Context& context, const WaveOptions& options);

  /// Collective: `n` time steps, in passes as the engine's options say. Reports the last one.
  StepReport steps(int n);
  StepReport step() { return steps(1); }
  /// Collective. Throws Error (diverged) on all ranks if p is not finite.
  Measures measure();

  using Clock = SolverClock;
  Clock& clock() { return clock_; }
  const double& dt() const { return dt_; }
  const Grid& grid() const { return p_->grid(); }
  Runner& runner() { return runner_; }
  /// Level 0 is the current p, level 1 that of the previous step.
  AnyField& pressure() { return *p_; }
  const WaveOptions& options() const { return options_; }
  /// Empty for single steps.
  std::optional<PassCost> pass_cost();

 private:
  template <class Real>
  void make_stages(const Grid& grid);

  WaveOptions options_;
  double dt_;
  Runner runner_;
  GlobalValue global_;
  std::unique_ptr<AnyField> p_;
  std::unique_ptr<Stage> begin_, advance_, energy_, extremes_;
  Clock clock_;
};

}  // namespace sc::wave
