// SPDX-License-Identifier: Apache-2.0
// Fields and stages in one precision, with or without rotated crystals.
#include "solvers/dendrite/stages.hpp"

#include "engine/exec/face_kernel.hpp"
#include "solvers/dendrite/advance.hpp"

namespace sc::dendrite {

namespace {

/// The largest values of both fields and, negated, the smallest ones; NaN if either is not finite.
template <class Real>
struct Extremes {
  SC_FN std::array<double, 4> operator()(At c, In<Real> phi, In<Real> theta) const {
    const double p = double(phi[c]), t = double(theta[c]);
    const double lost = (p - p) + (t - t);
    return {p + lost, -p, t, -t};
  }
};

/// An insulated face and a mirror plane are the same condition: equal values on both sides. Between two such
/// faces an axis may have one cell, of which then all layers are images.
template <class Real, int N>
struct Images {
  int cells;  ///< along the axis
  SC_FN void operator()(Border b, Out<Real, N> q) const {
    for (int n = 1; n <= b.layers; ++n) {
      const At inside = b.inside(n < cells ? n : cells);
      if constexpr (N == 1)
        q[b.ghost(n)] = q[inside];
      else
        for (int k = 0; k < N; ++k) q[k][b.ghost(n)] = q[k][inside];
    }
  }
};
template <class Real, int N>
void close_faces(Field<Real, N>& field, const DendriteOptions& o) {
  for_each_face([&](Face face, std::size_t f) {
    if (o.faces[f] != FaceKind::periodic) boundary(field, face, Images<Real, N>{o.cells[face.axis]});
  });
}

/// Creates `advance` and `sums`.
template <class Differences, class Real>
void make_advance(Stages& stages, const DendriteOptions& o, double dt, const Fields<Real>& fields) {
  if (o.karma_rappel)
    make_karma_rappel<Differences>(stages, o, dt, fields);
  else
    make_kobayashi<Differences>(stages, o, dt, fields);
}

template <class Real>
Stages stages_of(const Grid& grid, const DendriteOptions& o, const FieldOptions& where, double dt) {
  FieldOptions two = where;
  two.levels = 2;
  auto phi = std::make_unique<Field<Real>>(grid, "phase", two);
  auto theta = std::make_unique<Field<Real>>(grid, "heat", two);
  close_faces(*phi, o);
  close_faces(*theta, o);

  Stages stages;
  std::unique_ptr<Field<Real, 4>> orientation;
  if (o.rotated()) {
    orientation = std::make_unique<Field<Real, 4>>(grid, "orientation", where);
    close_faces(*orientation, o);
  }
  const Fields<Real> fields{*phi, *theta, orientation.get()};
  if (o.divergence == Divergence::fourth)
    make_advance<FourthOrder>(stages, o, dt, fields);
  else
    make_advance<SecondOrder>(stages, o, dt, fields);
  stages.extremes = stage_of("extremes", Extremes<Real>{}, SweepOptions{.reduce = Reduce::max, .flops = 4},
                             reads(phi->now()), reads(theta->now()));
  stages.orientation = std::move(orientation);
  stages.phi = std::move(phi);
  stages.theta = std::move(theta);
  return stages;
}

}  // namespace

Stages make_stages(const Grid& grid, const DendriteOptions& o, const FieldOptions& where, double dt) {
  return o.single ? stages_of<float>(grid, o, where, dt) : stages_of<double>(grid, o, where, dt);
}

}  // namespace sc::dendrite
