// SPDX-License-Identifier: Apache-2.0
// Magnetosphere: MHD by the modified leap-frog scheme. One class with and without a planet and for every kind
// of diffusion, which its stages encapsulate; the step is in step.cpp.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "engine/overlap/runner.hpp"
#include "engine/stage/global_value.hpp"
#include "solvers/common/passes.hpp"
#include "solvers/common/report.hpp"
#include "solvers/magnetosphere/fields.hpp"
#include "solvers/magnetosphere/options.hpp"
#include "solvers/magnetosphere/stages.hpp"

namespace sc::magnetosphere {

struct Diagnostics;

struct StepReport : sc::StepReport {
  double courant = 0;           ///< fastest signal at the start of the cycle * dt / spacing
  int place = 0;                ///< position in the cycle: 0 for the Lax-Wendroff step
  std::int64_t floors = 0;      ///< points limited by a floor in this step, in both sets
  std::int64_t all_floors = 0;  ///< the same in all steps of the call
};

struct Measures {
  double mass = 0, energy = 0;
  Vec3 momentum{}, flux{};     ///< flux: sum of B over the box
  double magnetic_energy = 0;  ///< the part B^2 / 2 of the energy
  double divergence = 0;       ///< max |div B| outside of the region that is held
};

/// A node on the line y = z = 0 from the planet to the sun.
struct AxisPoint {
  double x = 0;
  PointState state;
  double current = 0;  ///< |curl(B - B_dipole)|
};

class Magnetosphere {
 public:
  /// Collective. Throws Error (bad_input) for invalid options.
  Magnetosphere(Context& context, const MagnetosphereOptions& options);
  ~Magnetosphere();

  /// Collective: `n` time steps of two stages, in passes of `engine.steps_per_pass` steps, which end with a
  /// cycle. Reports the last one. Throws Error (diverged) on all ranks, with the step, if the state is not
  /// finite; with the point, if the step ended a pass.
  StepReport steps(int n);
  StepReport step() { return steps(1); }
  /// Collective: dt of the next step, and of all others of its cycle.
  double next_dt();
  /// The number of steps that have it.
  int steps_of_dt() const { return static_cast<int>(options_.cycle - clock_.place); }
  /// Collective: sums over the nodes, and the divergence of B.
  Measures measure();
  /// Collective: on rank 0 the nodes on the line through the origin along x, in order; empty on other ranks.
  std::vector<AxisPoint> axis();
  /// Collective, after Initial::linear_wave: root of the sum of squares, over the eight conserved variables,
  /// of the mean over the nodes of |U - U_exact| / amplitude (Gardiner & Stone 2008).
  double wave_error();

  /// The state besides the fields that the next step needs, as part of a checkpoint.
  struct Clock {
    double time = 0;
    double dt = 0;      ///< of the current cycle
    double signal = 0;  ///< the fastest one at the start of the cycle
    std::int64_t steps = 0;
    std::int64_t place = 0;  ///< position of the next step in its cycle
    std::int64_t floors = 0;
  };
  Clock& clock() { return clock_; }
  const Clock& clock() const { return clock_; }
  const Grid& grid() const { return nodes_.rho.grid(); }
  Runner& runner() { return runner_; }
  Plasma& nodes() { return nodes_; }
  Plasma& centres() { return centres_; }
  AnyField& coordinates() { return coordinates_; }
  const MagnetosphereOptions& options() const { return options_; }
  /// Of leap-frog steps; empty for single steps.
  std::optional<PassCost> pass_cost();

 private:
  void set_initial();
  void set_surroundings(Plasma& set, Half half);
  /// What one set of points shows after a step, on this rank until it is reduced.
  struct FoundHalf {
    Accumulator flag{Reduce::max}, low{Reduce::sum};  ///< see store() and AtFloor
    bool counted = false;                             ///< `low` is there
    double applied = 0;                               ///< the flag of all ranks
  };
  struct Found {
    std::int64_t step;
    double time;  ///< after it
    std::array<FoundHalf, 2> halves{};
    bool recorded = false;  ///< in a pass, which is not executed before the points are counted
    FoundHalf& of(Half half) { return halves[half == Half::centres ? 0 : 1]; }
    bool executed() const { return !recorded || halves[1].counted; }
  };
  void advance();
  void run(const SetStage<Numbers>& half, const Numbers& numbers, const std::shared_ptr<Found>& found);
  void count_floors(Half half, const std::shared_ptr<Found>& found);
  void end_step(const std::shared_ptr<Found>& found);
  /// Takes note of what the steps that were executed since the last call have found.
  void reduce_found();
  [[noreturn]] void report_loss(const Found& at);
  void begin_cycle();
  /// Halos that are filled from now on get the wind at `time`.
  void hold_wind(Plasma& set, double time);
  /// The same for both sets as they are; collective.
  void hold_present_wind();
  [[noreturn]] void refuse_step(double dt) const;
  Numbers numbers(double dt, Half half) const;
  /// For the nodes in `line`, a row of own nodes.
  std::vector<AxisPoint> own_axis(const Box& line);

  MagnetosphereOptions options_;
  Runner runner_;
  Plasma nodes_, centres_;
  Field<double, 3> coordinates_;  ///< for output, on the host
  Stages stages_;
  std::unique_ptr<Diagnostics> diagnostics_;
  GlobalValue global_;
  Clock clock_;
  bool cycle_begun_ = false;                  ///< before its first step
  std::array<double, 2> winds_at_{};          ///< time of the wind at centres and nodes, if it changes
  std::deque<std::shared_ptr<Found>> found_;  ///< of steps that reduce_found() has not seen
  std::int64_t last_floors_ = 0;
};

/// The initial state of `options` at a position.
class Start {
 public:
  explicit Start(const MagnetosphereOptions& options);
  PointState at(Vector r, double time = 0) const;

 private:
  PointState wave(Vector r, double time) const;
  MagnetosphereOptions options_;
  Planet planet_;
  PointState background_, mode_;  ///< of a linear wave, in the wave's frame
  double speed_ = 0;
};

Planet planet_of(const MagnetosphereOptions& options);

}  // namespace sc::magnetosphere
