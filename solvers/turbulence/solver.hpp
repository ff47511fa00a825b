// SPDX-License-Identifier: Apache-2.0
// Turbulence: incompressible flow in a periodic box of side 2 pi, pseudo-spectral, in memory or in files. The
// step itself is in step.cpp, what happens at the points in points.cpp.
//
// Between steps the velocity's modes are in memory, whatever the storage: whoever reads or changes them takes
// modes() and need not know. Only what a step keeps beside them is in files.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/overlap/runner.hpp"
#include "engine/stage/global_value.hpp"
#include "solvers/turbulence/forcing.hpp"
#include "solvers/turbulence/initial.hpp"
#include "solvers/turbulence/kernels.hpp"
#include "solvers/turbulence/statistics.hpp"
#include "solvers/turbulence/store.hpp"
#include "spectral/fft.hpp"

namespace sc::turbulence {

/// Classical fourth order, or Williamson's third order with one register less.
enum class Scheme { rk4, rk3 };
/// The nonlinear term as u x curl u, or as - div(u u).
enum class Form { rotational, divergence };
/// Leave out every mode that products could fold back on another; or keep those within a sphere of radius
/// sqrt(2) / 3 n and average over two grids half a spacing apart, on which what folds back has opposite
/// signs.
enum class Dealiasing { two_thirds, phase_shift };

struct TurbulenceOptions {
  Int3 points = {64, 64, 64};  ///< even along every axis
  double viscosity = 1e-2;
  double dt = 1e-2;    ///< with a Courant number: the largest
  double courant = 0;  ///< dt max |u_i| / h_i, chosen at the beginning of each step; 0: dt is fixed
  Scheme scheme = Scheme::rk4;
  Form form = Form::rotational;
  Dealiasing dealiasing = Dealiasing::two_thirds;
  std::array<int, 2> process_grid = {0, 0};
  spectral::Library library = spectral::Library::automatic;
  ForcingOptions forcing = {};
  StorageOptions storage = {};
  RunnerOptions engine = {};
};

struct StepReport {
  std::int64_t step = 0;
  double time = 0;  ///< after the step
  double dt = 0;
};

/// A thread's own memory at the points: rows of a plane of the six arrays, a bundle of points of each.
class Workplace {
 public:
  explicit Workplace(const spectral::FFT<double>& fft);
  Workplace(Workplace&&) = default;
  Workplace& operator=(Workplace&&) = default;
  Mode* rows(int k) { return rows_.data() + k * row_stride_; }
  double* points(int k) { return first_ + k * point_stride_; }
  int count() const { return count_; }
  InOut<double, 6> view() { return {first_, point_stride_}; }

 private:
  std::ptrdiff_t row_stride_, room_;
  int count_;  ///< points of a bundle
  std::ptrdiff_t point_stride_;
  std::vector<Mode> rows_;
  std::vector<double> points_;
  double* first_;
};

class Turbulence {
 public:
  /// Collective. Throws Error (bad_input) for odd or too few points, a negative viscosity, dt <= 0, a storage
  /// that cannot be planned; Error (storage) where files cannot be had.
  Turbulence(Context& context, const TurbulenceOptions& options);

  /// Collective: sets the velocity from component and position; what of it is not resolved or not free of
  /// divergence is left out. The clock starts anew.
  void start(const std::function<double(int component, double x, double y, double z)>& velocity);
  /// u = sin x cos y cos z, v = -cos x sin y cos z, w = 0
  void start_taylor_green();
  /// E(k) shell by shell as asked; the same field for any number of ranks.
  void start_random(const RandomField& field);
  /// From what velocity_points() holds.
  void start_from_points();

  /// Collective: one time step. Throws Error (storage) where files fail.
  StepReport step();
  /// What the next step needs besides the modes, as a checkpoint keeps it.
  struct Clock {
    double time = 0;
    std::int64_t steps = 0;
  };
  Clock& clock() { return clock_; }
  const Clock& clock() const { return clock_; }
  std::int64_t steps() const { return clock_.steps; }
  double time() const { return clock_.time; }

  /// Collective. Throws Error (diverged) when the flow is not finite.
  Balance balance();
  /// Collective: the same and the small scales; takes three transforms.
  Measures measure();
  /// Collective: E(k) of the shells 0, 1, 2, …
  std::vector<double> spectrum();

  /// The velocity's modes: always in memory between steps. A stage on them may read and change them, whatever
  /// the storage; what it leaves, free of divergence, is what the next step starts from.
  Field<Mode, 3>& modes() { return v_; }
  void over_modes(Stage& stage) { runner_.run(stage); }
  /// The velocity and the vorticity at the points, as of the last step; collective. The first call takes
  /// memory for them, which a plan leaves out.
  Field<double, 3>& velocity();
  Field<double, 3>& vorticity();
  /// Where they are kept, with whatever the last work left in them; collective when first asked for.
  Field<double, 3>& velocity_points() { return at_points(velocity_, "velocity"); }
  Field<double, 3>& vorticity_points() { return at_points(vorticity_, "vorticity"); }
  /// P of the nonlinear term of the present velocity, for tests; collective.
  Field<Mode, 3>& nonlinear_term();
  const Grid& grid() const { return fft_.real_grid(); }
  Runner& runner() { return runner_; }
  const TurbulenceOptions& options() const { return options_; }
  const spectral::FFT<double>& fft() const { return fft_; }
  const Plan& plan() const { return plan_; }
  const Store& store() const { return *store_; }

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
  void meet(const std::vector<spectral::Planes::Use>& uses, bool speed);
  // points.cpp: what is done with the planes [lo, hi) of the arrays that meet
  using Arrays = std::vector<spectral::Cells<Mode>>;
  void each_plane(int lo, int hi, const std::function<void(int z, int thread)>& action);
  void through_points(int z, const Arrays& planes, int first, int back, int thread,
                      const std::function<void(Workplace&)>& action);
  template <class Kernel>
  void multiply(const Kernel& kernel, std::span<Accumulator> into, Workplace& here);
  void products(int lo, int hi, const Arrays& planes, bool speed);
  double skewness();

  void choose_dt();

  /// v = P v; the clock starts anew.
  void start_from_modes();
  Field<double, 3>& at_points(std::optional<Field<double, 3>>& field, const char* name);
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
  spectral::FFT<double> fft_;
  Field<Mode, 3> v_;  ///< the velocity; within a step that of a stage, its curl, its nonlinear term
  std::optional<Field<Mode>> work_;
  std::optional<Field<Mode, 3>> term_;
  std::optional<Field<double, 3>> velocity_, vorticity_;
  Runner runner_;
  Plan plan_;
  std::unique_ptr<Store> store_;
  Level<Mode, 3> u_{}, sum_{}, held_{};  ///< in the store
  // Of each thread.
  std::vector<Workplace> workplaces_;
  std::vector<std::vector<Accumulator>> fastest_;  ///< the largest speed it has met
  std::vector<Tables<double>> decay_;              ///< of each share of dt that the scheme needs
  Tables<Mode> shift_;
  double tabulated_dt_ = 0;
  GlobalValue sums_, speed_;
  Forcing forcing_;
  double dt_ = 0;
  Clock clock_;
};

}  // namespace sc::turbulence
