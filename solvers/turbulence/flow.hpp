// SPDX-License-Identifier: Apache-2.0
// The flow in one precision: that of fields, transforms and files. What is summed up, reported or chosen from
// it is double. The step is in step.cpp, what happens at the points in points.cpp.
#pragma once

#include <array>
#include <optional>
#include <utility>

#include "engine/stage/global_value.hpp"
#include "solvers/turbulence/kernels.hpp"
#include "solvers/turbulence/solver.hpp"
#include "solvers/turbulence/store.hpp"

namespace sc::turbulence {

/// A thread's own memory at the points: rows of a plane of the six arrays, a bundle of points of each.
template <class Real>
class Workplace {
 public:
  using Mode = turbulence::Mode<Real>;

  explicit Workplace(const spectral::FFT<Real>& fft);
  Workplace(Workplace&&) = default;
  Workplace& operator=(Workplace&&) = default;
  Mode* rows(int k) { return rows_.data() + k * row_stride_; }
  Real* points(int k) { return first_ + k * point_stride_; }
  int count() const { return count_; }
  InOut<Real, 6> view() { return {first_, point_stride_}; }

 private:
  std::ptrdiff_t row_stride_, room_;
  int count_;  ///< points of a bundle
  std::ptrdiff_t point_stride_;
  std::vector<Mode> rows_;
  std::vector<Real> points_;
  Real* first_;
};

template <class Real>
class Flow final : public Turbulence {
 public:
  using Mode = turbulence::Mode<Real>;

  /// As make_turbulence(), whatever options.single says.
  Flow(Context& context, const TurbulenceOptions& options);

  void start(const std::function<double(int component, double x, double y, double z)>& velocity) override;
  void start_random(const RandomField& field) override;
  void start_from_points() override;
  StepReport step() override;
  Balance balance() override;
  Measures measure() override;
  std::vector<double> spectrum() override;

  Field<Mode, 3>& modes() override { return v_; }
  Field<Real, 3>& velocity() override;
  Field<Real, 3>& vorticity() override;
  Field<Real, 3>& velocity_points() override { return at_points(velocity_, "velocity"); }
  Field<Real, 3>& vorticity_points() override { return at_points(vorticity_, "vorticity"); }
  /// P of the nonlinear term of the present velocity, for tests; collective.
  Field<Mode, 3>& nonlinear_term();

  const Grid& grid() const override { return fft_.real_grid(); }
  Runner& runner() override { return runner_; }
  const Choice* transforms() const override { return fft_.choice(); }
  const TurbulenceOptions& options() const { return options_; }
  const spectral::FFT<Real>& fft() const { return fft_; }
  const Budget& budget() const override { return budget_; }
  const Store<Real>& store() const { return *store_; }
  /// Until no file is read or written any more, which a step does not wait for.
  void settle() { store_->settle(); }

 private:
  template <class T>
  using Tables = std::array<std::vector<T>, 3>;  ///< along each axis, by global position

  void runge_kutta_4();
  void low_storage_3();
  /// How the nonlinear term is evaluated.
  struct Evaluation {
    Stage& next;             ///< the stage that follows, whose first piece is read meanwhile
    bool keep = false;       ///< u = v first
    bool choose_dt = false;  ///< from the largest speed, if there is a Courant number
  };
  /// v <- N(v) before its projection
  void nonlinear(const Evaluation& how);
  /// The same, with its aliases.
  void evaluate(const Evaluation& how);
  void evaluate_twice(const Evaluation& how);
  void evaluate_divergence(const Evaluation& how);
  using Use = typename spectral::Planes<Real>::Use;
  void to_planes(int array, int component, const std::vector<Use>* meeting = nullptr);
  void meet(const std::vector<Use>& uses, bool speed);
  // points.cpp: what is done with the planes [lo, hi) of the arrays that meet
  using Arrays = std::vector<spectral::Cells<Mode>>;
  void for_each_plane(int lo, int hi, const std::function<void(int z, int thread)>& action);
  void through_points(int z, const Arrays& planes, int first, int back, int thread,
                      const std::function<void(Workplace<Real>&)>& action);
  template <class Kernel>
  void multiply(const Kernel& kernel, std::span<Accumulator> into, Workplace<Real>& here);
  void products(int lo, int hi, const Arrays& planes, bool speed);
  double skewness();

  void choose_dt();

  /// v = P v; the clock starts anew.
  void start_from_modes();
  Field<Real, 3>& at_points(std::optional<Field<Real, 3>>& field, const char* name);
  /// A component of modes for work that cannot be done in place.
  Field<Mode>& work();
  double per_point_square() const;
  Wavenumbers wavenumbers() const;
  Projection projection() const;
  Needs needs() const;
  std::vector<const char*> kept_fields() const;
  void tabulate();
  Decay decay(std::size_t share) const {
    const Tables<double>& t = decay_[share];
    return {t[0].data(), t[1].data(), t[2].data()};
  }
  Shift half_spacing() const { return {shift_[0].data(), shift_[1].data(), shift_[2].data()}; }

  TurbulenceOptions options_;
  spectral::FFT<Real> fft_;
  Field<Mode, 3> v_;  ///< the velocity; within a step that of a stage, its curl, its nonlinear term
  std::optional<Field<Mode>> work_;
  std::optional<Field<Mode, 3>> term_;
  std::optional<Field<Real, 3>> velocity_, vorticity_;
  Runner runner_;
  Budget budget_;
  std::unique_ptr<Store<Real>> store_;
  Level<Mode, 3> u_{}, sum_{}, held_{};  ///< in the store
  // Of each thread.
  std::vector<Workplace<Real>> workplaces_;
  std::vector<std::vector<Accumulator>> fastest_;  ///< the largest speed it has met
  std::vector<Tables<double>> decay_;              ///< of each share of dt that the scheme needs
  Tables<turbulence::Mode<double>> shift_;
  double tabulated_dt_ = 0;
  GlobalValue sums_, speed_;
  Forcing forcing_;
  double dt_ = 0;
};

extern template class Flow<float>;
extern template class Flow<double>;

}  // namespace sc::turbulence
