// SPDX-License-Identifier: Apache-2.0
// The fields of a compressible flow and the stages over them: what each reads and writes.
#pragma once

#include "engine/subcurrent.hpp"
#include "solvers/compressible/diagnostics.hpp"
#include "solvers/compressible/forcing.hpp"

namespace sc::compressible {

template <class Real>
struct Fields {
  Fields(const Grid& grid, bool filtered)
      : q(grid, "conserved", {.levels = filtered ? 2 : 1}),
        total(grid, "total"),
        rate(grid, "rate"),
        s(grid, "state"),
        X(grid, "slopes along x"),
        Y(grid, "slopes along y"),
        Z(grid, "slopes along z") {}
  Field<Real, 5> q;      ///< rho, rho u, rho v, rho w, E; the second level for the filter
  Field<Real, 5> total;  ///< of a Runge-Kutta step
  Field<Real, 5> rate;
  Field<Real, state_size> s;
  Field<Real, 3> X, Y, Z;
};

/// What files show.
template <class Real>
struct Shown {
  explicit Shown(const Grid& grid)
      : density(grid, "density"),
        velocity(grid, "velocity"),
        pressure(grid, "pressure"),
        dilatation(grid, "dilatation"),
        vorticity(grid, "vorticity") {}
  Field<Real> density;
  Field<Real, 3> velocity;
  Field<Real> pressure, dilatation;
  Field<Real, 3> vorticity;
};

/// The same in either precision.
struct ShownFields {
  AnyField &density, &velocity, &pressure, &dilatation, &vorticity;
};

using System = std::shared_ptr<const LineSystem>;
using Systems = std::array<System, 3>;

template <class Real>
auto gradient_stage(const char* name, int axis, const Systems& systems, Field<Real, 3>& G, Fields<Real>& f) {
  return LineSolve(name, axis, systems[static_cast<std::size_t>(axis)], Gradient{}, LineOptions{.flops = 40},
                   writes(G.now()), reads(f.s.now(), star(reach_of_derivative)));
}

/// 6 derivatives and 4 diffusions.
template <int axis, bool viscous, class Real>
auto flux_stage(const char* name, const Systems& systems, Fields<Real>& f) {
  using Op = Flux<axis, viscous>;
  const LineOptions options{.scratch = Op::scratch, .flops = viscous ? 320 : 140};
  const Reach around = star(viscous ? reach_of_diffusion : reach_of_derivative);
  const Reach slopes = viscous ? star(reach_of_derivative) : point;
  const auto make = [&](auto rate) {
    return LineSolve(name, axis, systems[axis], Op{}, options, rate, reads(f.s.now(), around),
                     reads(f.X.now(), slopes), reads(f.Y.now(), slopes), reads(f.Z.now(), slopes));
  };
  if constexpr (axis == 0)
    return make(writes(f.rate.now()));
  else
    return make(updates(f.rate.now()));
}

template <Part part, class Real>
auto update_stage(const char* name, Fields<Real>& f) {
  const SweepOptions options{.reduce = Reduce::max, .flops = 40};
  const auto make = [&](auto to, Field<Real, 5>& from) {
    return Sweep(name, Update<part>{}, options, to, writes(f.s.now()), reads(f.rate.now()),
                 reads(from.now()));
  };
  if constexpr (part == Part::first)
    return make(writes(f.total.now()), f.q);
  else if constexpr (part == Part::middle)
    return make(updates(f.total.now()), f.q);
  else
    return make(writes(f.q.now()), f.total);
}

template <class Real>
auto decode_stage(Fields<Real>& f) {
  return Sweep("state", Decode{}, SweepOptions{.reduce = Reduce::max, .flops = 20}, writes(f.s.now()),
               reads(f.q.now()));
}
template <class Real>
auto filter_stage(const char* name, int axis, const Systems& systems, Fields<Real>& f) {
  return LineSolve(name, axis, systems[static_cast<std::size_t>(axis)], Filter{}, LineOptions{.flops = 100},
                   writes(f.q.next()), reads(f.q.now(), star(4)));
}
template <class Real>
auto limits_stage(Fields<Real>& f) {
  return Sweep("limits", Limits{}, SweepOptions{.reduce = Reduce::max, .flops = 20}, reads(f.s.now()));
}
template <class Real>
auto totals_stage(Fields<Real>& f) {
  return Sweep("totals", Totals{}, SweepOptions{.reduce = Reduce::sum, .flops = 60}, reads(f.s.now()),
               reads(f.X.now()), reads(f.Y.now()), reads(f.Z.now()));
}
template <class Real>
auto extremes_stage(Fields<Real>& f) {
  return Sweep("extremes", Extremes{}, SweepOptions{.reduce = Reduce::max}, reads(f.s.now()),
               reads(f.X.now()), reads(f.Y.now()), reads(f.Z.now()));
}
template <class Real>
auto show_stage(Fields<Real>& f, Shown<Real>& shown) {
  return Sweep("show", Show{}, writes(shown.density.now()), writes(shown.velocity.now()),
               writes(shown.pressure.now()), writes(shown.dilatation.now()), writes(shown.vorticity.now()),
               reads(f.s.now()), reads(f.X.now()), reads(f.Y.now()), reads(f.Z.now()));
}

template <class Real>
auto push_stage(Fields<Real>& f) {
  return Sweep("forcing", Push{}, SweepOptions{.flops = 60}, updates(f.rate.now()), reads(f.s.now()));
}

template <bool viscous, class Real>
struct Stages {
  Stages(const Systems& derivatives, Fields<Real>& f)
      : gradient_x(gradient_stage("gradient along x", 0, derivatives, f.X, f)),
        gradient_y(gradient_stage("gradient along y", 1, derivatives, f.Y, f)),
        gradient_z(gradient_stage("gradient along z", 2, derivatives, f.Z, f)),
        flux_x(flux_stage<0, viscous>("flux along x", derivatives, f)),
        flux_y(flux_stage<1, viscous>("flux along y", derivatives, f)),
        flux_z(flux_stage<2, viscous>("flux along z", derivatives, f)),
        first(update_stage<Part::first>("update (first)", f)),
        middle(update_stage<Part::middle>("update", f)),
        last(update_stage<Part::last>("update (last)", f)),
        decode(decode_stage(f)),
        limits(limits_stage(f)),
        totals(totals_stage(f)),
        extremes(extremes_stage(f)) {}
  decltype(gradient_stage("", 0, std::declval<const Systems&>(), std::declval<Field<Real, 3>&>(),
                          std::declval<Fields<Real>&>())) gradient_x,
      gradient_y, gradient_z;
  decltype(flux_stage<0, viscous>("", std::declval<const Systems&>(), std::declval<Fields<Real>&>())) flux_x;
  decltype(flux_stage<1, viscous>("", std::declval<const Systems&>(), std::declval<Fields<Real>&>())) flux_y;
  decltype(flux_stage<2, viscous>("", std::declval<const Systems&>(), std::declval<Fields<Real>&>())) flux_z;
  decltype(update_stage<Part::first>("", std::declval<Fields<Real>&>())) first;
  decltype(update_stage<Part::middle>("", std::declval<Fields<Real>&>())) middle;
  decltype(update_stage<Part::last>("", std::declval<Fields<Real>&>())) last;
  decltype(decode_stage(std::declval<Fields<Real>&>())) decode;
  decltype(limits_stage(std::declval<Fields<Real>&>())) limits;
  decltype(totals_stage(std::declval<Fields<Real>&>())) totals;
  decltype(extremes_stage(std::declval<Fields<Real>&>())) extremes;
};

/// Of forced runs alone.
template <class Real>
struct Forced {
  Forced(const ForcingOptions& options, Fields<Real>& f)
      : forcing(f.q.grid(), options, LineSystem::usual_block), push(push_stage(f)) {}
  Forcing<Real> forcing;
  decltype(push_stage(std::declval<Fields<Real>&>())) push;
};

/// Of runs with a filter alone.
template <class Real>
struct Filters {
  Filters(const Systems& systems, Fields<Real>& f)
      : x(filter_stage("filter along x", 0, systems, f)),
        y(filter_stage("filter along y", 1, systems, f)),
        z(filter_stage("filter along z", 2, systems, f)) {}
  decltype(filter_stage("", 0, std::declval<const Systems&>(), std::declval<Fields<Real>&>())) x, y, z;
};

}  // namespace sc::compressible
