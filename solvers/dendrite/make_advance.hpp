// SPDX-License-Identifier: Apache-2.0
// Definitions of advance.hpp, for the files that instantiate them.
#pragma once

#include "solvers/dendrite/advance.hpp"
#include "solvers/dendrite/karma_rappel.hpp"
#include "solvers/dendrite/model.hpp"

namespace sc::dendrite {

/// phi, and theta - (L / C) h(phi).
template <class Real>
struct Sums {
  double latent;
  SC_FN std::array<double, 2> operator()(At c, In<Real> phi, In<Real> theta) const {
    const double p = double(phi[c]);
    return {p, double(theta[c]) - latent * latent_share(p)};
  }
};

/// Calls make(orientation), or make() if no crystal is rotated: only rotated crystals declare that field.
template <class Real, class Make>
void with_orientation(const Fields<Real>& fields, const Make& make) {
  fields.orientation ? make(*fields.orientation) : make();
}

template <class Differences>
constexpr double more_flops = Differences::reach > 1 ? fourth_order_flops : 0;

template <class Differences, bool noisy, class Real>
void make_kobayashi_advance(Stages& stages, const DendriteOptions& o, double dt, const Fields<Real>& fields) {
  const auto coefficients = [o, dt](std::int64_t step) {
    return Advance<Real, noisy, Differences>{coefficients_of<Real>(o, dt, step)};
  };
  with_orientation(fields, [&](auto&... orientation) {
    constexpr double flops = (sizeof...(orientation) > 0 ? rotated_flops : advance_flops) +
                             (noisy ? noise_flops : 0) + more_flops<Differences>;
    stages.advance = set_stage<std::int64_t>(
        stage_of("advance", coefficients(0), SweepOptions{.flops = flops}, writes(fields.phi.next()),
                 writes(fields.theta.next()), reads(fields.phi.now(), box(Differences::reach)),
                 reads(fields.theta.now(), star(1)), reads(orientation.now(), star(1))...),
        coefficients);
  });
}

template <class Differences, class Real>
void make_kobayashi(Stages& stages, const DendriteOptions& o, double dt, const Fields<Real>& fields) {
  if (o.material.noise > 0)
    make_kobayashi_advance<Differences, true>(stages, o, dt, fields);
  else
    make_kobayashi_advance<Differences, false>(stages, o, dt, fields);
  stages.sums = stage_of("sums", Sums<Real>{model_of(o.material).latent},
                         SweepOptions{.reduce = Reduce::sum, .flops = 9}, reads(fields.phi.now()),
                         reads(fields.theta.now()));
}

template <class Differences, class Real>
void make_karma_rappel(Stages& stages, const DendriteOptions& o, double dt, const Fields<Real>& fields) {
  const KarmaRappel& m = *o.karma_rappel;
  const AdvanceKarmaRappel<Real, Differences> kernel{{coefficients_of<Real>(o, m, dt)}};
  const double scaled = m.interface_width / o.spacing;
  with_orientation(fields, [&](auto&... orientation) {
    constexpr double flops = (sizeof...(orientation) > 0 ? karma_rappel_rotated_flops : karma_rappel_flops) +
                             more_flops<Differences> +
                             (Differences::reach > 1 ? fourth_order_slopes_flops : 0);
    stages.advance = set_stage<std::int64_t>(
        stage_of("advance", kernel, SweepOptions{.flops = flops}, writes(fields.phi.next()),
                 writes(fields.theta.next()), reads(fields.phi.now(), box(Differences::reach)),
                 reads(fields.theta.now(), star(1)), reads(orientation.now(), star(1))...),
        [kernel](std::int64_t) { return kernel; });
    stages.sums =
        stage_of("sums", SumsKarmaRappel<Real>{Anisotropy<double>(m.anisotropy), scaled * scaled, m.coupling},
                 SweepOptions{.reduce = Reduce::sum, .flops = 50}, reads(fields.phi.now(), star(1)),
                 reads(fields.theta.now()), reads(orientation.now())...);
  });
}

}  // namespace sc::dendrite
