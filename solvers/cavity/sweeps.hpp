// SPDX-License-Identifier: Apache-2.0
// Fields of the flow in one precision, and the stages with their inputs and outputs. Their kernels are
// compiled in velocity.cpp, source.cpp, outflow.cpp and diagnostics.cpp.
#pragma once

#include <optional>

#include "solvers/cavity/stages.hpp"

namespace sc::cavity {

template <class Real>
struct Flow {
  Flow(const Grid& grid, Space space)
      : V(grid, "velocity", {.levels = 2, .space = space}),
        f(grid, "acceleration", {.space = space}),
        Q(grid, "flux", {.space = space}),
        p(grid, "pressure", {.space = space}) {}
  Field<Real, 3> V;                       ///< velocity; that of walls in the first halo layer
  Field<Real, 3> f;                       ///< nu nabla^2 V - (V . nabla) V
  Field<Real, 3> Q;                       ///< J nabla xi . (V / dt + f)
  Field<Real> p;                          ///< pressure, volume mean zero unless it is given on a face
  std::optional<Field<Real, 3>> outflow;  ///< velocity on the faces of outflow, in the cells beside them
  std::optional<Field<Real, 3>> outflow_before;  ///< at the beginning of a stage of second order
  std::optional<Field<Real, 3>> outflow_begin;   ///< at the beginning of a step of second order
};

/// f = nu nabla^2 V - (V . nabla) V
template <class Real>
std::unique_ptr<Stage> accelerate_stage(Flow<Real>& flow, Mesh<Real>& mesh, double nu, double alpha);
/// V' = V + dt (f - nabla p), or, `to_mean`, the mean of that and of V'. Returns the limits of the next step.
template <class Real>
SetStage<double> correct_stage(Flow<Real>& flow, Mesh<Real>& mesh, const CavityOptions& options,
                               bool to_mean);
template <class Real>
std::unique_ptr<Stage> limits_stage(Flow<Real>& flow, Mesh<Real>& mesh, const CavityOptions& options);

/// Q, and b = J (nabla . V / tau + nabla . f) from it.
template <class Real>
SetStage<StepTimes> flux_stage(Flow<Real>& flow, Mesh<Real>& mesh, const CavityOptions& options);
template <class Real>
std::unique_ptr<Stage> source_stage(Flow<Real>& flow, Field<Real>& b);
/// The volume mean of the solver's x, and p = x - mean.
template <class Real>
std::unique_ptr<Stage> mean_stage(Field<Real>& x, Mesh<Real>& mesh);
template <class Real>
SetStage<double> centre_stage(Flow<Real>& flow, Field<Real>& x);

/// Where the flow has a field for the velocity on faces of outflow.
template <class Real>
std::optional<Outflow> outflow_of(Flow<Real>& flow, Mesh<Real>& mesh, const CavityOptions& options);

template <class Real>
std::unique_ptr<Stage> divergence_stage(Flow<Real>& flow, Mesh<Real>& mesh);
template <class Real>
SetStage<double> average_stage(Averages& mean, Flow<Real>& flow);
/// Of walls, faces of slip, and faces with inflow through a part of them.
template <class Real>
std::vector<ForceOn> forces_of(Flow<Real>& flow, Mesh<Real>& mesh, const CavityOptions& options);

}  // namespace sc::cavity
