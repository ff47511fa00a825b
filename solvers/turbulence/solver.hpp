// SPDX-License-Identifier: Apache-2.0
// Turbulence: incompressible flow in a periodic box of side 2 pi, pseudo-spectral, in memory or in files. One
// class for both precisions, which its transforms and stages encapsulate: fields, transforms and files are
// single or double; sums, reports and choices are double. The step is in step.cpp.
//
// Between steps the velocity's modes are in memory for every kind of storage, and modes() gives access to
// them. Only the other fields of a step are in files.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/stage/global_value.hpp"
#include "solvers/common/report.hpp"
#include "solvers/turbulence/initial.hpp"
#include "solvers/turbulence/options.hpp"
#include "solvers/turbulence/statistics.hpp"
#include "solvers/turbulence/store.hpp"
#include "solvers/turbulence/transforms.hpp"

namespace sc::turbulence {

class Turbulence {
 public:
  /// Collective. Throws Error (bad_input) for odd or too few points, a negative viscosity, dt <= 0, or a
  /// storage that cannot be planned; Error (storage) if the files cannot be created.
  Turbulence(Context& context, const TurbulenceOptions& options);

  /// Collective: sets the velocity from component and position; unresolved modes and the part with divergence
  /// are removed. Resets the clock.
  void start(const std::function<double(int component, double x, double y, double z)>& velocity);
  /// u = sin x cos y cos z, v = -cos x sin y cos z, w = 0
  void start_taylor_green();
  /// With the given E(k) in each shell; the same field for any number of ranks.
  void start_random(const RandomField& field);
  /// From the values in velocity_points().
  void start_from_points();

  /// Collective: one time step. Throws Error (storage) if a file access fails.
  StepReport step();
  /// The state besides the modes that the next step needs, as part of a checkpoint.
  struct Clock {
    double time = 0;
    std::int64_t steps = 0;
  };
  Clock& clock() { return clock_; }
  std::int64_t steps() const { return clock_.steps; }
  double time() const { return clock_.time; }

  /// Collective. Throws Error (diverged) if the flow is not finite.
  Balance balance();
  /// Collective: the same and the small scales; needs three transforms.
  Measures measure();
  /// Collective: E(k) of the shells 0, 1, 2, …
  std::vector<double> spectrum();

  /// The velocity's modes, which are always in memory between steps. Stages may read and modify them; the
  /// result must be divergence-free, and the next step starts from it.
  AnyField& modes() { return v_; }
  /// Collective: the velocity and the vorticity at the points, after the last step. The first call allocates
  /// memory for them that the budget does not include.
  AnyField& velocity();
  AnyField& vorticity();
  /// Their fields, with the values of the last use; the first call is collective.
  AnyField& velocity_points() { return points_in(velocity_, "velocity"); }
  AnyField& vorticity_points() { return points_in(vorticity_, "vorticity"); }
  /// P of the nonlinear term of the current velocity, for tests; collective.
  AnyField& nonlinear_term();

  const Grid& grid() const { return transforms_->points(); }
  Runner& runner() { return runner_; }
  const Transforms& transforms() const { return *transforms_; }
  Wavenumbers wavenumbers() const;
  const Budget& budget() const { return budget_; }
  const Store& store() const { return *store_; }
  /// Waits for file accesses in progress, which a step does not wait for.
  void settle() { store_->settle(); }

 private:
  template <class T>
  using Tables = std::array<std::vector<T>, 3>;  ///< along each axis, by global index

  void runge_kutta_4();
  void low_storage_3();
  /// The options of an evaluation of the nonlinear term.
  struct Evaluation {
    Stage& next;             ///< the following stage, whose first piece is prefetched
    bool keep = false;       ///< u = v first
    bool choose_dt = false;  ///< from the largest speed, if a Courant number is given
  };
  /// v <- N(v) before projection
  void nonlinear(const Evaluation& how);
  /// The same, with aliasing errors.
  void evaluate(const Evaluation& how);
  void evaluate_twice(const Evaluation& how);
  void evaluate_divergence(const Evaluation& how);
  using Use = spectral::Planes::Use;
  void to_planes(int array, int component, const std::vector<Use>* meeting = nullptr);
  void meet(const std::vector<Use>& uses, bool speed);
  double skewness();
  void choose_dt();
  std::size_t threads() const { return static_cast<std::size_t>(runner_.context().threads()); }
  static void reduce(GlobalValue& value, Transforms::PerThread& met);

  /// v = P v; resets the clock.
  void start_from_modes();
  AnyField& modes_in(std::optional<AnyField>& field, const char* name, int components);
  AnyField& points_in(std::optional<AnyField>& field, const char* name);
  /// Scratch: modes of one component, and of three.
  AnyField& work() { return modes_in(work_, "work", 1); }
  AnyField& term() { return modes_in(term_, "nonlinear term", 3); }
  double per_point_square() const;
  Projection projection() const;
  Needs needs() const;
  void tabulate();
  Decay decay(std::size_t share) const {
    const Tables<double>& t = decay_[share];
    return {t[0].data(), t[1].data(), t[2].data()};
  }
  Shift half_spacing() const { return {shift_[0].data(), shift_[1].data(), shift_[2].data()}; }

  TurbulenceOptions options_;
  std::unique_ptr<Transforms> transforms_;
  AnyField v_;  ///< the velocity; within a step also that of a stage, its curl, or its nonlinear term
  std::optional<AnyField> work_, term_, velocity_, vorticity_;
  Runner runner_;
  Budget budget_;
  std::unique_ptr<Store> store_;
  AnyField *u_ = nullptr, *sum_ = nullptr, *held_ = nullptr;  ///< in the store
  std::vector<Tables<double>> decay_;                         ///< for each part of dt that the scheme needs
  Tables<Mode<double>> shift_;
  double tabulated_dt_ = 0;
  GlobalValue sums_, speed_;
  Forcing forcing_;
  Clock clock_;
  double dt_ = 0;
};

}  // namespace sc::turbulence
