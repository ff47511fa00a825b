// SPDX-License-Identifier: Apache-2.0
// Fields and stages in one precision, with or without noise and rotated crystals.
#include "solvers/dendrite/stages.hpp"

#include "engine/exec/face_kernel.hpp"
#include "solvers/dendrite/karma_rappel.hpp"
#include "solvers/dendrite/kernels.hpp"
#include "solvers/dendrite/model.hpp"

namespace sc::dendrite {

namespace {

/// phi, and theta - (L / C) h(phi).
template <class Real>
struct Sums {
  double latent;
  SC_FN std::array<double, 2> operator()(At c, In<Real> phi, In<Real> theta) const {
    const double p = double(phi[c]);
    return {p, double(theta[c]) - latent * latent_share(p)};
  }
};
/// The largest values of both fields and, negated, the smallest ones; NaN if either is not finite.
template <class Real>
struct Extremes {
  SC_FN std::array<double, 4> operator()(At c, In<Real> phi, In<Real> theta) const {
    const double p = double(phi[c]), t = double(theta[c]);
    const double lost = (p - p) + (t - t);
    return {p + lost, -p, t, -t};
  }
};

// An insulated face and a mirror plane are the same condition: equal values on both sides.
template <class Real, int N>
void close_faces(Field<Real, N>& field, const DendriteOptions& o) {
  for_each_face([&](Face face, std::size_t f) {
    if (o.faces[f] != FaceKind::periodic) boundary(field, face, Mirrored<Real, N>{});
  });
}

/// Creates `advance` and `sums` with these terms; only rotated crystals declare `orientation`.
template <bool noisy, class Real, class... Orientation>
void make_kobayashi(Stages& stages, const DendriteOptions& o, double dt, Field<Real>& phi, Field<Real>& theta,
                    Orientation&... orientation) {
  constexpr double flops =
      (sizeof...(orientation) > 0 ? rotated_flops : advance_flops) + (noisy ? noise_flops : 0);
  const auto coefficients = [o, dt](std::int64_t step) {
    return Advance<Real, noisy>{coefficients_of<Real>(o, dt, step)};
  };
  stages.advance =
      set_stage<std::int64_t>(stage_of("advance", coefficients(0), SweepOptions{.flops = flops},
                                       writes(phi.next()), writes(theta.next()), reads(phi.now(), box(1)),
                                       reads(theta.now(), star(1)), reads(orientation.now(), star(1))...),
                              coefficients);
  stages.sums =
      stage_of("sums", Sums<Real>{model_of(o.material).latent},
               SweepOptions{.reduce = Reduce::sum, .flops = 9}, reads(phi.now()), reads(theta.now()));
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
  const auto make = [&](auto&... orientation) {
    if (o.karma_rappel)
      make_karma_rappel(stages, o, dt, *phi, *theta, orientation...);
    else if (o.material.noise > 0)
      make_kobayashi<true>(stages, o, dt, *phi, *theta, orientation...);
    else
      make_kobayashi<false>(stages, o, dt, *phi, *theta, orientation...);
  };
  if (o.rotated()) {
    auto orientation = std::make_unique<Field<Real, 4>>(grid, "orientation", where);
    close_faces(*orientation, o);
    make(*orientation);
    stages.orientation = std::move(orientation);
  } else {
    make();
  }
  stages.extremes = stage_of("extremes", Extremes<Real>{}, SweepOptions{.reduce = Reduce::max, .flops = 4},
                             reads(phi->now()), reads(theta->now()));
  stages.phi = std::move(phi);
  stages.theta = std::move(theta);
  return stages;
}

}  // namespace

Stages make_stages(const Grid& grid, const DendriteOptions& o, const FieldOptions& where, double dt) {
  return o.single ? stages_of<float>(grid, o, where, dt) : stages_of<double>(grid, o, where, dt);
}

}  // namespace sc::dendrite
