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

template <class Real>
void close_wall(Flow<Real>& w, Mesh<Real>& mesh, const CavityOptions& o, Face face,
                const WallMotion& motion) {
  const bool mixed = !mesh.orthogonal();
  boundary(w.V, face, WallVelocity<Real>{motion}, 0, reads(mesh.x.now(), box(1)));
  boundary(w.Q, face, NoFlux<Real>{face.axis});
  boundary(w.p, face, WallPressure<Real>{face, Real(o.nu()), o.walls(), motion, mixed}, mixed ? 1 : 0,
           reads(w.V.now()), reads(mesh.x.now(), box(1)));
}

/// All but the fluxes through faces of inflow and outflow, which depend on the time step.
template <class Real>
void close_faces(Flow<Real>& w, Mesh<Real>& mesh, const CavityOptions& o) {
  for_each_face([&](Face face, std::size_t f) {
    const FaceOptions& is = o.faces[f];
    switch (is.kind) {
      case FaceKind::periodic:
        return;
      case FaceKind::wall:
      case FaceKind::moving:
        return close_wall(w, mesh, o, face, is.motion);
      case FaceKind::slip:
        boundary(w.V, face, SlipVelocity<Real>{face.axis});
        boundary(w.Q, face, NoFlux<Real>{face.axis});
        return boundary(w.p, face, SlipPressure<Real>{});
      case FaceKind::inflow:
        boundary(w.V, face, InflowVelocity<Real>{profile_of(o, f)}, 0, reads(mesh.x.now(), box(1)));
        return boundary(w.p, face, ContinuedPressure<Real>{});
      case FaceKind::outflow:
        boundary(w.V, face, OutflowVelocity<Real>{}, 0, reads(w.outflow->now()));
        return boundary(w.p, face, ContinuedPressure<Real>{});
      case FaceKind::pressure:
        boundary(w.V, face, FreeVelocity<Real>{});
        boundary(w.Q, face, PressureFlux<Real>{face, o.walls(), is.pressure}, 0, reads(mesh.face.now()));
        return boundary(w.p, face, Fixed<Real>{Real(is.pressure)});
    }
  });
}

/// The fluxes of V' / tau through faces of inflow, where V' = V, and of outflow, with which tau = dt.
template <class Real>
void set_face_fluxes(Flow<Real>& w, Mesh<Real>& mesh, const CavityOptions& o, double tau) {
  for_each_face([&](Face face, std::size_t f) {
    if (o.faces[f].kind == FaceKind::inflow)
      boundary(w.Q, face, InflowFlux<Real>{face_rows(o, face.axis), profile_of(o, f), 1 / tau}, 0,
               reads(mesh.x.now(), box(1)));
    if (o.faces[f].kind == FaceKind::outflow)
      boundary(w.Q, face, OutflowFlux<Real>{face_rows(o, face.axis), 1 / tau}, 0, reads(mesh.x.now(), box(1)),
               reads(w.outflow->now()));
  });
}

}  // namespace sc::cavity
