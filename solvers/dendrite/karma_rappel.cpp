// SPDX-License-Identifier: Apache-2.0
// Stages of the model of Karma and Rappel, in both precisions, with and without rotated crystals.
#include "solvers/dendrite/karma_rappel.hpp"

#include "solvers/dendrite/model.hpp"

namespace sc::dendrite {

template <class Real, class... Orientation>
void make_karma_rappel(Stages& stages, const DendriteOptions& o, double dt, Field<Real>& phi,
                       Field<Real>& theta, Orientation&... orientation) {
  const KarmaRappel& m = *o.karma_rappel;
  constexpr double flops = sizeof...(orientation) > 0 ? karma_rappel_rotated_flops : karma_rappel_flops;
  const AdvanceKarmaRappel<Real> kernel{{coefficients_of<Real>(o, m, dt)}};
  stages.advance = set_stage<std::int64_t>(
      stage_of("advance", kernel, SweepOptions{.flops = flops}, writes(phi.next()), writes(theta.next()),
               reads(phi.now(), box(1)), reads(theta.now(), star(1)), reads(orientation.now(), star(1))...),
      [kernel](std::int64_t) { return kernel; });
  const double scaled = m.interface_width / o.spacing;
  stages.sums =
      stage_of("sums", SumsKarmaRappel<Real>{Anisotropy<double>(m.anisotropy), scaled * scaled, m.coupling},
               SweepOptions{.reduce = Reduce::sum, .flops = 50}, reads(phi.now(), star(1)),
               reads(theta.now()), reads(orientation.now())...);
}

template void make_karma_rappel(Stages&, const DendriteOptions&, double, Field<float>&, Field<float>&);
template void make_karma_rappel(Stages&, const DendriteOptions&, double, Field<double>&, Field<double>&);
template void make_karma_rappel(Stages&, const DendriteOptions&, double, Field<float>&, Field<float>&,
                                Field<float, 4>&);
template void make_karma_rappel(Stages&, const DendriteOptions&, double, Field<double>&, Field<double>&,
                                Field<double, 4>&);

}  // namespace sc::dendrite
