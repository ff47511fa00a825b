// SPDX-License-Identifier: Apache-2.0
// The solver of a viscous or an inviscid gas.
#pragma once

#include <numbers>
#include <optional>

#include "solvers/compressible/solver.hpp"

namespace sc::compressible {

template <bool viscous>
class GasSolver final : public Compressible {
 public:
  GasSolver(Context& context, const CompressibleOptions& options);

  StepReport step() override;
  Measures measure() override;
  Shown& show() override;
  void restored() override;
  Clock& clock() override { return clock_; }
  const Grid& grid() const override { return fields_.q.grid(); }
  Runner& runner() override { return runner_; }
  Fields& fields() override { return fields_; }
  const CompressibleOptions& options() const override { return options_; }

 private:
  void run_rates();
  void run_gradients();
  void run_filters();
  double choose_step(double& courant);
  void check_state(Stage& last);
  [[noreturn]] void report_loss();
  double per_h(int axis) const { return options_.cells[axis] / (2 * std::numbers::pi); }

  CompressibleOptions options_;
  Gas gas_;
  Runner runner_;
  Fields fields_;
  Stages<viscous> stages_;
  std::optional<Filters> filters_;
  std::unique_ptr<Shown> shown_;
  GlobalValue global_;
  Clock clock_;
};

}  // namespace sc::compressible
