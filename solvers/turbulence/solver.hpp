// SPDX-License-Identifier: Apache-2.0
// Turbulence: incompressible flow in a periodic box of side 2 pi, with or without a passive scalar, which is
// the fourth component of the modes; pseudo-spectral, in memory or in files. One class for both precisions,
// which its transforms and stages encapsulate: fields, transforms and files are single or double; sums,
// reports and choices are double. The step is in step.cpp.
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
  /// Collective. Throws Error (bad_input) for odd or too few points, a negative viscosity or diffusivity,
  /// dt <= 0, or a storage that cannot be planned; Error (storage) if the files cannot be created.
  Turbulence(Context& context, const TurbulenceOptions& options);

  /// Collective: sets the velocity from component and position, and the scalar as component 3; unresolved
  /// modes and the part with divergence are removed. Resets the clock. The other starts set the scalar to
  /// zero.
  void start(const std::function<double(int component, double x, double y, double z)>& velocity);
  /// u = sin x cos y cos z, v = -cos x sin y cos z, w = 0
  void start_taylor_green();
  /// With the given E(k) in each shell; the same field for any number of ranks.
  void start_random(const RandomField& field);
  /// From the values in velocity_points(); `scalar`: and from those in scalar_points().
  void start_from_points(bool scalar = false);
  /// The scalar alone, with the given variance in each shell; the flow and the clock stay.
  void start_scalar(const RandomField& field);

  /// Collective: one time step. Throws Error (storage) if a file access fails.
  StepReport step();
  /// The state besides the modes that the next step needs, as part of a checkpoint.
  using Clock = SolverClock;
  Clock& clock() { return clock_; }
  std::int64_t steps() const { return clock_.steps; }
  double time() const { return clock_.time; }

  /// Collective. Throws Error (diverged) if the flow is not finite.
  Balance balance();
  /// Collective: the same and the small scales; needs three transforms.
  Measures measure();
  /// Collective: E(k) of the shells 0, 1, 2, …
  std::vector<double> spectrum() { return shells(0.5, velocity_part); }

  bool has_scalar() const { return options_.scalar.has_value(); }
  /// Collective, with a scalar: its variance and what changes it; its variance in the shells 0, 1, 2, …
  ScalarBalance scalar_balance();
  std::vector<double> scalar_spectrum() { return shells(1, scalar_part); }

  /// The velocity's (and the scalar's) modes, which are always in memory between steps. Stages may read and
  /// modify them; the result must be divergence-free, and the next step starts from it.
  AnyField& modes() { return v_; }
  /// Collective: the velocity and the vorticity at the points, after the last step. The first call allocates
  /// memory for them that the budget does not include.
  AnyField& velocity();
  AnyField& vorticity();
  AnyField& scalar();  ///< the same of the scalar
  /// Their fields, with the values of the last use; the first call is collective.
  AnyField& velocity_points() { return points_in(velocity_, "velocity", 3); }
  AnyField& vorticity_points() { return points_in(vorticity_, "vorticity", 3); }
  AnyField& scalar_points() { return points_in(scalar_, "scalar", 1); }
  /// P of the nonlinear term of the current velocity (and what drives the scalar), for tests; collective.
  AnyField& nonlinear_term();

  const Grid& grid() const { return transforms_->points(); }
  Runner& runner() { return runner_; }
  const Transforms& transforms() const { return *transforms_; }
  Wavenumbers wavenumbers() const;
  const Budget& budget() const { return budget_; }
  const Store& store() const { return *store_; }
  /// Waits for file accesses in progress, which a step does not wait for.
  void finish_files() { store_->finish(); }

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
  void run_curl(bool keep);
  using Use = spectral::Planes::Use;
  /// The arrays of an evaluation at the points.
  std::vector<Use> uses() const;
  void to_planes(int array, int component, const std::vector<Use>* next = nullptr);
  void multiply_at_points(const std::vector<Use>& uses, bool speed);
  /// An array after the products: component a of the term, or u_a u_b (theta u_b with a = 3).
  struct Product {
    int array, a, b = whole;
    static constexpr int whole = -1;
  };
  void take(const std::vector<Product>& order, Stage& next);
  double skewness();
  ScalarMeasures scalar_measures(const Balance& flow);
  double largest_mode() const;
  void choose_dt();
  std::size_t threads() const { return static_cast<std::size_t>(runner_.context().threads()); }
  static void reduce(GlobalValue& value, Transforms::PerThread& values);

  /// v = P v; resets the clock.
  void start_from_modes();
  void randomise(const RandomField& field, double factor, Part part);
  /// factor |v|^2 of some components, shell by shell.
  std::vector<double> shells(double factor, Part part);
  AnyField& modes_in(std::optional<AnyField>& field, const char* name, int components);
  AnyField& points_in(std::optional<AnyField>& field, const char* name, int components);
  /// Scratch: modes of one component, and of all.
  AnyField& work() { return modes_in(work_, "work", 1); }
  AnyField& term() { return modes_in(term_, "nonlinear term", options_.components()); }
  double per_point_square() const;
  Projection projection() const;
  Needs needs() const;
  MeanGradient gradient() const {
    return has_scalar() ? MeanGradient{options_.scalar->gradient} : MeanGradient{};
  }
  void tabulate();
  std::vector<Tables<double>> decay_tables(double diffusivity) const;
  Decay decay(std::size_t share) const {
    const auto by_axis = [&](const std::vector<Tables<double>>& tables) -> ByAxis<double> {
      if (tables.empty()) return {};
      const Tables<double>& t = tables[share];
      return {t[0].data(), t[1].data(), t[2].data()};
    };
    return {by_axis(decay_), by_axis(scalar_decay_)};
  }
  Shift half_spacing() const { return {shift_[0].data(), shift_[1].data(), shift_[2].data()}; }

  TurbulenceOptions options_;
  std::unique_ptr<Transforms> transforms_;
  AnyField v_;  ///< velocity and scalar; within a step also those of a stage, the curl, the nonlinear term
  std::optional<AnyField> work_, term_, velocity_, vorticity_, scalar_;
  Runner runner_;
  Budget budget_;
  std::unique_ptr<Store> store_;
  AnyField *u_ = nullptr, *sum_ = nullptr, *held_ = nullptr;  ///< in the store
  std::vector<Tables<double>> decay_, scalar_decay_;          ///< for each part of dt that the scheme needs
  Tables<Mode<double>> shift_;
  double tabulated_dt_ = 0;
  GlobalValue sums_, speed_;
  Forcing forcing_;
  Clock clock_;
  double dt_ = 0;
};

}  // namespace sc::turbulence
