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

constexpr int most_layers = 3;  ///< that are read beyond a face

template <int N>
struct Held {
  std::array<std::array<double, std::size_t(N)>, std::size_t(most_layers)> layer;  ///< from the face outwards
  SC_FN void operator()(Border b, Out<double, N> q) const {
    for (int n = 1; n <= b.layers && n <= most_layers; ++n)
      for (int k = 0; k < N; ++k) component<N>(q, k)[b.ghost(n)] = layer[std::size_t(n - 1)][std::size_t(k)];
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

/// The wind in the layers beyond a face, from the face outwards, for the time level `time`. A table holds on
/// the plane of the first nodes along x: d upstream of it is what arrives there d / v_x later.
inline std::array<PointState, std::size_t(most_layers)> wind_beyond(Face face, Half half, double time,
                                                                    const MagnetosphereOptions& o) {
  std::array<PointState, std::size_t(most_layers)> layers;
  layers.fill(o.winds ? o.winds->at(time) : o.wind);
  if (!o.winds || face.axis != 0 || face.side != 0) return layers;
  const double speed = layers[0].v[0];
  double upstream = half == Half::nodes ? o.spacing : 0.5 * o.spacing;
  for (PointState& layer : layers) {
    layer = o.winds->at(time + upstream / speed);
    upstream += o.spacing;
  }
  return layers;
}

/// Sets the conditions of all faces of kind `wind` for the time level `time`.
inline void set_wind(Plasma& q, Half half, double time, const MagnetosphereOptions& o) {
  for_each_face([&](Face face, std::size_t f) {
    if (o.faces[f] != FaceKind::wind) return;
    Held<1> rho{}, p{};
    Held<3> v{}, B{};
    std::size_t n = 0;
    for (const PointState& wind : wind_beyond(face, half, time, o)) {
      rho.layer[n] = {wind.rho};
      v.layer[n] = wind.v;
      p.layer[n] = {wind.p};
      B.layer[n] = wind.B;
      ++n;
    }
    boundary(q.rho, face, rho);
    boundary(q.v, face, v);
    boundary(q.p, face, p);
    boundary(q.B, face, B);
  });
}

template <int N>
void set_face(Field<double, N>& field, Face face, FaceKind kind, Half half, unsigned flipped_by_mirror,
              unsigned flipped_by_equator) {
  switch (kind) {
    case FaceKind::periodic:
    case FaceKind::wind:  // see set_wind
      return;
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
    set_face<1>(q.rho, face, kind, half, 0, 0);
    set_face<3>(q.v, face, kind, half, normal, normal);
    set_face<1>(q.p, face, kind, half, 0, 0);
    set_face<3>(q.B, face, kind, half, normal, tangential_flipped(face.axis));
  });
  set_wind(q, half, 0, o);
}

}  // namespace sc::magnetosphere
