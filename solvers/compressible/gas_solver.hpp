// SPDX-License-Identifier: Apache-2.0
// The solver of a viscous or an inviscid gas, in one precision.
#pragma once

#include <numbers>
#include <optional>

#include "solvers/compressible/solver.hpp"
#include "solvers/compressible/spectra.hpp"

namespace sc::compressible {

template <bool viscous, class Real>
class GasSolver final : public Compressible {
 public:
  GasSolver(Context& context, const CompressibleOptions& options);

  StepReport step() override;
  Measures measure() override;
  Spectrum spectrum() override;
  double error() override;
  ShownFields show() override;
  ShownFields shown() override;
  void restored() override;
  Clock& clock() override { return clock_; }
  const Grid& grid() const override { return fields_.q.grid(); }
  Runner& runner() override { return runner_; }
  AnyField& conserved() override { return fields_.q; }
  AnyField& state() override { return fields_.s; }
  const CompressibleOptions& options() const override { return options_; }

 private:
  void set_start();
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
  Fields<Real> fields_;
  Stages<viscous, Real> stages_;
  std::optional<Filters<Real>> filters_;
  std::optional<Forced<Real>> forced_;
  std::unique_ptr<Shown<Real>> shown_;
  std::unique_ptr<Spectra<Real>> spectra_;
  GlobalValue global_;
  Clock clock_;
};

}  // namespace sc::compressible
