// SPDX-License-Identifier: Apache-2.0
// Fields and stages of one precision: their kernels take long to compile, a file for each.
#pragma once

#include <numbers>

#include "solvers/compressible/fluxes.hpp"
#include "solvers/compressible/stages.hpp"

namespace sc::compressible {

inline Systems systems_of(Int3 cells, double beside) {
  Systems all;
  for (int a = 0; a < 3; ++a)
    all[static_cast<std::size_t>(a)] =
        std::make_shared<const LineSystem>(tridiagonal(cells[a], beside, 1, true));
  return all;
}

template <class Real>
std::array<StageOf, 3> filter_stages(const CompressibleOptions& o, Fields<Real>& f) {
  if (!(o.filter > 0)) return {};
  const Systems systems = systems_of(o.cells, o.filter);
  return {filter_stage("filter along x", 0, systems, f, o.filter),
          filter_stage("filter along y", 1, systems, f, o.filter),
          filter_stage("filter along z", 2, systems, f, o.filter)};
}

template <class Real>
void add_forcing(Stages& stages, const ForcingOptions& o, Fields<Real>& f) {
  if (!(o.power > 0)) return;
  auto push = push_stage(f);
  const auto forcing = std::make_shared<Forcing>(f.s, o, LineSystem::usual_block);
  stages.start_force = [forcing](GlobalValue& global) { forcing->start(global); };
  stages.set_force = [forcing, push = push.get()](GlobalValue& global) { push->set(forcing->push(global)); };
  stages.push = std::move(push);
}

template <class Real>
Stages stages_of(const Grid& grid, const CompressibleOptions& o, const Gas& gas,
                 const std::shared_ptr<FarPlace>& place) {
  const auto fields = std::make_shared<Fields<Real>>(grid, o.filter > 0, place);
  Fields<Real>& f = *fields;
  const Systems systems = systems_of(o.cells, beside_derivative);
  std::array<double, 3> per_h;
  for (int a = 0; a < 3; ++a) per_h[static_cast<std::size_t>(a)] = o.cells[a] / (2 * std::numbers::pi);
  auto first = update_stage<Part::first>("update (first)", f);
  auto second = update_stage<Part::middle>("update", f), third = update_stage<Part::middle>("update", f);
  auto last = update_stage<Part::last>("update (last)", f);
  const auto set_step = [first = first.get(), second = second.get(), third = third.get(), last = last.get(),
                         gas](double dt) {
    first->set({dt, 0.5, gas});
    second->set({dt, 0.5, gas});
    third->set({dt, 1, gas});
    last->set({dt, 0, gas});
  };
  Stages stages{.owner = fields,
                .q = f.q,
                .s = f.s,
                .gradients = {gradient_stage("gradient along x", 0, systems, f.X, f, per_h[0]),
                              gradient_stage("gradient along y", 1, systems, f.Y, f, per_h[1]),
                              gradient_stage("gradient along z", 2, systems, f.Z, f, per_h[2])},
                .fluxes = flux_stages(systems, f, gas, per_h),
                .filters = filter_stages(o, f),
                .push = nullptr,
                .first = std::move(first),
                .second = std::move(second),
                .third = std::move(third),
                .last = std::move(last),
                .decode = decode_stage(f, gas),
                .kinetic = nullptr,
                .limits = limits_stage(f, {gas, per_h}),
                .totals = totals_stage(f, {gas, per_h}),
                .extremes = extremes_stage(f),
                .set_step = set_step,
                .start_force = {},
                .set_force = {}};
  if (o.filter > 0) stages.kinetic = kinetic_stage(f);
  add_forcing(stages, o.forcing, f);
  return stages;
}

template <class Real>
Shown shown_of(Stages& stages) {
  auto& f = *static_cast<Fields<Real>*>(stages.owner.get());
  const auto shown = std::make_shared<ShownFields<Real>>(f.q.grid(), f.place);
  return {.owner = shown,
          .density = shown->density,
          .velocity = shown->velocity,
          .pressure = shown->pressure,
          .dilatation = shown->dilatation,
          .vorticity = shown->vorticity,
          .show = show_stage(f, *shown)};
}

extern template Stages stages_of<float>(const Grid&, const CompressibleOptions&, const Gas&,
                                        const std::shared_ptr<FarPlace>&);
extern template Stages stages_of<double>(const Grid&, const CompressibleOptions&, const Gas&,
                                         const std::shared_ptr<FarPlace>&);
extern template Shown shown_of<float>(Stages&);
extern template Shown shown_of<double>(Stages&);

}  // namespace sc::compressible
