// SPDX-License-Identifier: Apache-2.0
// The solver for one precision, with or without noise, with or without turned crystals.
#pragma once

#include "engine/stage/global_value.hpp"
#include "solvers/dendrite/model.hpp"
#include "solvers/dendrite/solver.hpp"
#include "solvers/dendrite/stages.hpp"

namespace sc::dendrite {

template <class Real, bool noisy, bool turned>
class PhaseSolver final : public Dendrite {
 public:
  PhaseSolver(Context& context, const DendriteOptions& options);

  StepReport steps(int n) override;
  void check_finite() override { extremes(); }
  Measures measure() override;
  std::array<double, 6> arms() override;
  Clock& clock() override { return clock_; }
  double dt() const override { return dt_; }
  const Grid& grid() const override { return fields_.phi.grid(); }
  Runner& runner() override { return runner_; }
  AnyField& phase() override { return fields_.phi; }
  AnyField& heat() override { return fields_.theta; }
  const DendriteOptions& options() const override { return options_; }
  const Budget& budget() const override { return budget_; }

 private:
  void step_once();
  void set_initial();
  Measures extremes();
  [[noreturn]] void report_loss();

  DendriteOptions options_;
  Runner runner_;
  Budget budget_;
  std::unique_ptr<FileMemory> files_;  ///< before the fields, which go first
  Fields<Real, turned> fields_;
  AdvanceStage<Real, noisy, turned> advance_;
  GlobalValue global_;
  double dt_;
  Clock clock_;
};

}  // namespace sc::dendrite
