// SPDX-License-Identifier: Apache-2.0
// Conditions beyond the faces of the domain. Nodes and centres differ beside a mirror: the plane contains the
// first (or last) node, so that node -1 mirrors node 1, and centre -1 mirrors centre 0. On the high side the
// last centre is beyond the plane, and its computed state already is the mirror image.
#pragma once

#include "engine/exec/face_kernel.hpp"
#include "solvers/magnetosphere/fields.hpp"

namespace sc::magnetosphere {

template <int N>
SC_FN Out<double> component(const Out<double, N>& q, int k) {
  if constexpr (N == 1)
    return q;
  else
    return q[k];
}

template <int N>
struct Held {
  std::array<double, std::size_t(N)> value;
  SC_FN void operator()(Border b, Out<double, N> q) const {
    for (int n = 1; n <= b.layers; ++n)
      for (int k = 0; k < N; ++k) component<N>(q, k)[b.ghost(n)] = value[std::size_t(k)];
  }
};

/// Zero gradient along the normal, or along a line that leaves the domain at 45 degrees to +x.
template <int N>
struct Leaving {
  bool oblique;
  SC_FN void operator()(Border b, Out<double, N> q) const {
    const At from = b.inside(1).x(oblique ? -1 : 0);
    for (int n = 1; n <= b.layers; ++n)
      for (int k = 0; k < N; ++k) component<N>(q, k)[b.ghost(n)] = component<N>(q, k)[from];
  }
};

/// Component k changes sign if bit k of `flipped` is set.
template <int N>
struct Reflected {
  int first;  ///< the own cell that the first ghost mirrors: 1 beside the face, 2, 3 further inside
  unsigned flipped;
  SC_FN void operator()(Border b, Out<double, N> q) const {
    for (int k = 0; k < N; ++k) {
      const double value = component<N>(q, k)[b.inside(first)];
      component<N>(q, k)[b.ghost(1)] = flipped >> k & 1U ? -value : value;
    }
  }
};

/// The components of a vector that change sign in a mirror: the normal one, or the tangential ones.
constexpr unsigned normal_flipped(int axis) { return 1U << axis; }
constexpr unsigned tangential_flipped(int axis) { return 7U & ~normal_flipped(axis); }

template <int N>
void set_face(Field<double, N>& field, Face face, FaceKind kind, Half half, unsigned flipped_by_mirror,
              unsigned flipped_by_equator, const std::array<double, std::size_t(N)>& wind) {
  switch (kind) {
    case FaceKind::periodic:
      return;
    case FaceKind::wind:
      return boundary(field, face, Held<N>{wind});
    case FaceKind::free:
      return boundary(field, face, Leaving<N>{false});
    case FaceKind::oblique:
      return boundary(field, face, Leaving<N>{true}, 1);
    case FaceKind::mirror:
    case FaceKind::equator: {
      const int first = half == Half::nodes ? 2 : face.side == 0 ? 1 : 3;
      const unsigned flipped = kind == FaceKind::mirror ? flipped_by_mirror : flipped_by_equator;
      return boundary(field, face, Reflected<N>{first, flipped});
    }
  }
}

inline void set_faces(Plasma& q, Half half, const MagnetosphereOptions& o) {
  for_each_face([&](Face face, std::size_t f) {
    const FaceKind kind = o.faces[f];
    const unsigned normal = normal_flipped(face.axis);
    set_face<1>(q.rho, face, kind, half, 0, 0, {o.wind.rho});
    set_face<3>(q.v, face, kind, half, normal, normal, o.wind.v);
    set_face<1>(q.p, face, kind, half, 0, 0, {o.wind.p});
    set_face<3>(q.B, face, kind, half, normal, tangential_flipped(face.axis), o.wind.B);
  });
}

}  // namespace sc::magnetosphere
