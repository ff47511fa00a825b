// SPDX-License-Identifier: Apache-2.0
// The conditions of velocity, flux and pressure on the six faces.
#pragma once

#include "solvers/cavity/open_faces.hpp"
#include "solvers/cavity/sweeps.hpp"

namespace sc::cavity {

inline InflowProfile profile_of(const CavityOptions& o, std::size_t f) {
  const Inflow& inflow = o.faces[f].inflow;
  InflowProfile profile{.velocity = inflow.velocity, .axis = int(f / 2)};
  for (std::size_t a = 0; a < 3; ++a) {
    const auto free = [&](FaceKind kind) { return kind == FaceKind::periodic || kind == FaceKind::slip; };
    profile.from[a] = std::max(inflow.from[a], 0.0);
    profile.to[a] = std::min(inflow.to[a], o.size[a]);
    profile.parabola[a] = inflow.parabolic && !(free(o.faces[2 * a].kind) && free(o.faces[2 * a + 1].kind));
  }
  return profile;
}

inline FaceRows face_rows(const CavityOptions& o, int axis) {
  FaceRows rows{.axis = axis, .walls = o.walls()};
  for (std::size_t f = 0; f < 6; ++f) {
    rows.motion[f] = o.faces[f].motion;
    rows.solid[f] = o.faces[f].solid();
  }
  return rows;
}

/// All but the fluxes through faces of inflow and outflow, which depend on the time step.
template <class Real>
void close_faces(Flow<Real>& flow, Mesh<Real>& mesh, const CavityOptions& options);
/// The conditions are linear, so averages have those of the flow. Only the mean velocity on faces of outflow
/// is that of a parabola through three cells.
template <class Real>
void close_faces(Averages& mean, Mesh<Real>& mesh, const CavityOptions& options);
/// The fluxes of V / tau + (V' - V) / dt through faces of inflow, where V' = V, and of outflow; at first
/// order tau = dt, and V is not needed.
template <class Real>
void set_face_fluxes(Flow<Real>& flow, Mesh<Real>& mesh, const CavityOptions& options,
                     const StepTimes& times);

}  // namespace sc::cavity
