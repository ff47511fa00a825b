// SPDX-License-Identifier: Apache-2.0
// The solver with or without a planet, with or without diffusion.
#pragma once

#include "engine/stage/global_value.hpp"
#include "solvers/magnetosphere/solver.hpp"
#include "solvers/magnetosphere/stages.hpp"

namespace sc::magnetosphere {

template <bool planet, Diffusion diffusion>
class MhdSolver final : public Magnetosphere {
 public:
  MhdSolver(Context& context, const MagnetosphereOptions& options);

  StepReport step() override;
  Measures measure() override;
  std::vector<AxisPoint> axis() override;
  double wave_error() override;
  Clock& clock() override { return clock_; }
  const Grid& grid() const override { return nodes_.rho.grid(); }
  Runner& runner() override { return runner_; }
  Plasma& nodes() override { return nodes_; }
  Plasma& centres() override { return centres_; }
  AnyField& coordinates() override { return coordinates_; }
  const MagnetosphereOptions& options() const override { return options_; }

 private:
  void set_initial();
  void set_surroundings(Plasma& set, Half half);
  void begin_cycle();
  [[noreturn]] void refuse_step(double dt) const;
  Numbers numbers(double dt, Half half) const;
  std::int64_t count_floors(FloorStage& stage);
  std::int64_t end_step();
  /// Of the nodes in `line`, a row of own ones.
  std::vector<AxisPoint> own_axis(const Box& line);
  [[noreturn]] void report_loss();

  MagnetosphereOptions options_;
  Runner runner_;
  Plasma nodes_, centres_;
  Field<double, 3> coordinates_;  ///< for files: on the host
  Stages<planet, diffusion> stages_;
  Diagnostics diagnostics_;
  GlobalValue global_;
  Clock clock_;
};

}  // namespace sc::magnetosphere
