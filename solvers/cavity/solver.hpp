// SPDX-License-Identifier: Apache-2.0
// Cavity: incompressible flow by the MAC method on a curvilinear grid. This is the face that programs and the
// Python module use; the step itself is in step.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "solvers/cavity/mesh.hpp"
#include "solvers/cavity/options.hpp"

namespace sc::cavity {

struct StepReport {
  std::int64_t step = 0;
  double time = 0;  ///< after the step
  double dt = 0;
  double courant = 0;  ///< lid speed * dt / smallest spacing
  int iterations = 0;  ///< of the pressure solver
  double residual = 0;
  bool capped = false;        ///< the pressure solver stopped above its tolerance
  double max_change = 0;      ///< max |dV/dt| over cells and components
  double source_balance = 0;  ///< |sum J rhs| / sum |J rhs|
};

class Cavity {
 public:
  virtual ~Cavity() = default;

  /// Collective: one time step. Throws Error (diverged) on all ranks, naming step and cell, when the flow is
  /// not finite.
  virtual StepReport step() = 0;
  virtual double time() const = 0;
  virtual std::int64_t steps() const = 0;
  /// Clock and limits of the step, as a checkpoint keeps them.
  struct Clock {
    double time = 0;
    double stiffness = 0;  ///< 4 nu sum g^dd + (4 alpha / 3) sum |U^d|, largest over the cells
    std::int64_t steps = 0;
  };
  virtual Clock& clock() = 0;

  virtual const Grid& grid() const = 0;
  virtual Runner& runner() = 0;
  virtual AnyField& velocity() = 0;
  virtual AnyField& pressure() = 0;
  /// The pressure solver's iterate, the other half of the state.
  virtual AnyField& iterate() = 0;
  /// The right side of the pressure equation in the last step, times the cells' volumes.
  virtual AnyField& source() = 0;
  virtual AnyField& coordinates() = 0;
  /// Collective: call when velocity, iterate and clock have been set from a checkpoint; the pressure follows
  /// from them.
  virtual void restored() = 0;
  /// Collective: fills the halos of velocity and pressure, walls included, for output.
  virtual void refresh_for_output() = 0;
  /// Collective: rms of div V over the volume.
  virtual double divergence_rms() = 0;
};

/// Makes the points of a grid for Clustering::file, where only the caller knows how to read one. Collective;
/// asked once the split is known, so that a rank reads its own part.
using PointsOf = std::function<Points(const Grid&)>;

/// Collective. Throws Error (bad_input) for options that cannot be run.
std::unique_ptr<Cavity> make_cavity(Context& context, const CavityOptions& options,
                                    const PointsOf& points_of_file = {});

/// Whether the time of a stage counts for the pressure equation (the rest is the velocity's).
bool belongs_to_pressure(std::string_view stage);

}  // namespace sc::cavity
