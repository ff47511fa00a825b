// SPDX-License-Identifier: Apache-2.0
// The solver in one precision, on one kind of grid (with or without mixed derivatives).
#pragma once

#include "solvers/cavity/poisson.hpp"
#include "solvers/cavity/solver.hpp"
#include "solvers/cavity/stages.hpp"

namespace sc::cavity {

template <class Real, bool mixed>
class FlowSolver final : public Cavity {
 public:
  FlowSolver(const CavityOptions& options, std::unique_ptr<Runner> runner, std::unique_ptr<Mesh<Real>> mesh);

  StepReport step() override;
  double time() const override { return clock_.time; }
  std::int64_t steps() const override { return clock_.steps; }
  Clock& clock() override { return clock_; }
  const Grid& grid() const override { return flow_.V.grid(); }
  Runner& runner() override { return *runner_; }
  AnyField& velocity() override { return flow_.V; }
  AnyField& pressure() override { return flow_.p; }
  AnyField& iterate() override { return poisson_->x(); }
  AnyField& source() override { return poisson_->b(); }
  AnyField& coordinates() override { return mesh_->x; }
  void restored() override;
  void refresh_for_output() override;
  double divergence_rms() override;

 private:
  double nu() const { return 1 / options_.reynolds; }
  double alpha() const { return options_.upwind == Upwind::utopia ? 1.0 : 3.0; }
  double fastest_wall();
  double stable_step() const;
  void set_boundaries();
  void set_initial();
  double speed_of_wall(Face face) const;
  [[noreturn]] void report_loss(const StepReport& report);

  CavityOptions options_;
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<Mesh<Real>> mesh_;
  Flow<Real> flow_;
  std::unique_ptr<Poisson<Real>> poisson_;
  Stages<Real, mixed> stages_;
  GlobalValue global_;
  Clock clock_;
  double lid_speed_ = 0;  ///< of the fastest point of any wall
};

}  // namespace sc::cavity
