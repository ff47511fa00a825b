// SPDX-License-Identifier: Apache-2.0
// The conditions of velocity, flux and pressure on the six faces.
#include "solvers/cavity/conditions.hpp"

namespace sc::cavity {

namespace {

/// The velocity on a face, but not that of outflow, which is a field of its own.
template <class T, class Real>
void close_velocity(Field<T, 3>& V, Mesh<Real>& mesh, const CavityOptions& o, Face face, std::size_t f) {
  switch (o.faces[f].kind) {
    case FaceKind::periodic:
    case FaceKind::outflow:
      return;
    case FaceKind::wall:
    case FaceKind::moving:
      return boundary(V, face, GivenVelocity<T, WallMotion>{o.faces[f].motion}, 0,
                      reads(mesh.x.now(), box(1)));
    case FaceKind::slip:
      return boundary(V, face, FreeVelocity<T>{face.axis});
    case FaceKind::inflow:
      return boundary(V, face, GivenVelocity<T, InflowProfile>{profile_of(o, f)}, 0,
                      reads(mesh.x.now(), box(1)));
    case FaceKind::pressure:
      return boundary(V, face, FreeVelocity<T>{});
  }
}

/// The pressure on a face, of the flow V.
template <class T, class Real>
void close_pressure(Field<T>& p, Field<T, 3>& V, Mesh<Real>& mesh, const CavityOptions& o, Face face,
                    std::size_t f) {
  const bool mixed = !mesh.orthogonal();
  switch (o.faces[f].kind) {
    case FaceKind::periodic:
      return;
    case FaceKind::wall:
    case FaceKind::moving:
      return boundary(p, face, WallPressure<T>{face, T(o.nu()), o.walls(), o.faces[f].motion, mixed},
                      mixed ? 1 : 0, reads(V.now()), reads(mesh.x.now(), box(1)));
    case FaceKind::slip:
      return boundary(p, face, SlipPressure<T>{});
    case FaceKind::inflow:
    case FaceKind::outflow:
      return boundary(p, face, ContinuedPressure<T>{});
    case FaceKind::pressure:
      return boundary(p, face, Fixed<T>{T(o.faces[f].pressure)});
  }
}

}  // namespace

template <class Real>
void close_faces(Flow<Real>& w, Mesh<Real>& mesh, const CavityOptions& o) {
  for_each_face([&](Face face, std::size_t f) {
    const FaceOptions& is = o.faces[f];
    close_velocity(w.V, mesh, o, face, f);
    close_pressure(w.p, w.V, mesh, o, face, f);
    if (is.kind == FaceKind::outflow)
      boundary(w.V, face, OutflowVelocity<Real>{}, 0, reads(w.outflow->now()));
    if (is.solid() || is.kind == FaceKind::slip) boundary(w.Q, face, NoFlux<Real>{face.axis});
    if (is.kind == FaceKind::pressure)
      boundary(w.Q, face, PressureFlux<Real>{face, o.walls(), is.pressure}, 0, reads(mesh.face.now()));
  });
}

template <class Real>
void close_faces(Averages& mean, Mesh<Real>& mesh, const CavityOptions& o) {
  for_each_face([&](Face face, std::size_t f) {
    const FaceKind kind = o.faces[f].kind;
    if (kind == FaceKind::periodic) return;
    close_velocity(mean.V, mesh, o, face, f);
    close_pressure(mean.p, mean.V, mesh, o, face, f);
    if (kind == FaceKind::outflow) boundary(mean.V, face, ContinuedVelocity{});
    const bool fluctuates = !o.faces[f].solid() && kind != FaceKind::inflow;
    boundary(mean.stress, face, FaceStress{fluctuates, kind == FaceKind::slip ? face.axis : -1});
  });
}

template <class Real>
void set_face_fluxes(Flow<Real>& w, Mesh<Real>& mesh, const CavityOptions& o, const StepTimes& times) {
  for_each_face([&](Face face, std::size_t f) {
    const FaceRows rows = face_rows(o, face.axis);
    const auto x = reads(mesh.x.now(), box(1));
    if (o.faces[f].kind == FaceKind::inflow)
      boundary(w.Q, face, InflowFlux<Real>{rows, profile_of(o, f), 1 / times.tau}, 0, x);
    if (o.faces[f].kind != FaceKind::outflow) return;
    const OutflowFlux<Real> flux{rows, 1 / times.dt, 1 / times.tau};
    if (o.order == 1)
      boundary(w.Q, face, flux, 0, x, reads(w.outflow->now()));
    else
      boundary(w.Q, face, flux, 0, x, reads(w.outflow->now()), reads(w.outflow_before->now()));
  });
}

template void close_faces(Flow<double>&, Mesh<double>&, const CavityOptions&);
template void close_faces(Averages&, Mesh<double>&, const CavityOptions&);
template void set_face_fluxes(Flow<double>&, Mesh<double>&, const CavityOptions&, const StepTimes&);
template void close_faces(Flow<float>&, Mesh<float>&, const CavityOptions&);
template void close_faces(Averages&, Mesh<float>&, const CavityOptions&);
template void set_face_fluxes(Flow<float>&, Mesh<float>&, const CavityOptions&, const StepTimes&);

}  // namespace sc::cavity
