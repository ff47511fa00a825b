// SPDX-License-Identifier: Apache-2.0
// Fields of a compressible flow in one precision and the stages over them: what each reads and writes.
#pragma once

#include "engine/subcurrent.hpp"
#include "solvers/common/stage_of.hpp"
#include "solvers/compressible/diagnostics.hpp"
#include "solvers/compressible/forcing.hpp"
#include "solvers/compressible/stages.hpp"

namespace sc::compressible {

template <class Real>
struct Fields {
  Fields(const Grid& grid, bool filtered, const std::shared_ptr<FarPlace>& where)
      : place(where),
        q(grid, "conserved", {.levels = filtered ? 2 : 1, .place = where}),
        total(grid, "total", {.place = where}),
        rate(grid, "rate", {.place = where}),
        s(grid, "state", {.place = where}),
        X(grid, "slopes along x", {.place = where}),
        Y(grid, "slopes along y", {.place = where}),
        Z(grid, "slopes along z", {.place = where}) {}
  std::shared_ptr<FarPlace> place;
  Field<Real, 5> q;      ///< rho, rho u, rho v, rho w, E; the second level for the filter
  Field<Real, 5> total;  ///< of a Runge-Kutta step
  Field<Real, 5> rate;
  Field<Real, state_size> s;
  Field<Real, 3> X, Y, Z;
  /// Where sums of lines along z wait, when the fields lie in files.
  std::shared_ptr<std::vector<double>> sums = std::make_shared<std::vector<double>>();
};

template <class Real>
struct ShownFields {
  ShownFields(const Grid& grid, const std::shared_ptr<FarPlace>& where)
      : density(grid, "density", {.place = where}),
        velocity(grid, "velocity", {.place = where}),
        pressure(grid, "pressure", {.place = where}),
        dilatation(grid, "dilatation", {.place = where}),
        vorticity(grid, "vorticity", {.place = where}) {}
  Field<Real> density;
  Field<Real, 3> velocity;
  Field<Real> pressure, dilatation;
  Field<Real, 3> vorticity;
};

using Systems = std::array<std::shared_ptr<const LineSystem>, 3>;

/// LineSolve(of...) on the heap.
template <class... Of>
auto lines_of(const Of&... of) {
  return std::make_unique<decltype(LineSolve(of...))>(of...);
}

template <class Real>
auto gradient_stage(const char* name, int axis, const Systems& systems, Field<Real, 3>& G, Fields<Real>& f,
                    double per_h) {
  return lines_of(name, axis, systems[static_cast<std::size_t>(axis)], Gradient{per_h},
                  LineOptions{.flops = 40, .sums = f.sums}, writes(G.now()),
                  reads(f.s.now(), star(reach_of_derivative)));
}

template <Part part, class Real>
auto update_stage(const char* name, Fields<Real>& f) {
  const SweepOptions options{.reduce = Reduce::max, .flops = 40};
  const auto make = [&](auto to, Field<Real, 5>& from) {
    return stage_of(name, Update<part>{}, options, to, writes(f.s.now()), reads(f.rate.now()),
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
auto decode_stage(Fields<Real>& f, const Gas& gas) {
  return stage_of("state", Decode{gas}, SweepOptions{.reduce = Reduce::max, .flops = 20}, writes(f.s.now()),
                  reads(f.q.now()));
}
template <class Real>
auto filter_stage(const char* name, int axis, const Systems& systems, Fields<Real>& f, double alpha) {
  return lines_of(name, axis, systems[static_cast<std::size_t>(axis)], Filter{alpha},
                  LineOptions{.flops = 100, .sums = f.sums}, writes(f.q.next()), reads(f.q.now(), star(4)));
}
template <class Real>
auto limits_stage(Fields<Real>& f, const Limits& limits) {
  return stage_of("limits", limits, SweepOptions{.reduce = Reduce::max, .flops = 20}, reads(f.s.now()));
}
template <class Real>
auto kinetic_stage(Fields<Real>& f) {
  return stage_of("kinetic energy", Kinetic{}, SweepOptions{.reduce = Reduce::sum, .flops = 7},
                  reads(f.s.now()));
}
template <class Real>
auto totals_stage(Fields<Real>& f, const Totals& totals) {
  const bool viscous = totals.gas.viscosity > 0;  // friction is that of pairs of cells
  const Reach reach = viscous ? star(reach_of_diffusion) : point;
  return stage_of("totals", totals, SweepOptions{.reduce = Reduce::sum, .flops = viscous ? 250.0 : 60.0},
                  reads(f.s.now(), reach), reads(f.X.now()), reads(f.Y.now()), reads(f.Z.now()));
}
template <class Real>
auto extremes_stage(Fields<Real>& f) {
  return stage_of("extremes", Extremes{}, SweepOptions{.reduce = Reduce::max}, reads(f.s.now()),
                  reads(f.X.now()), reads(f.Y.now()), reads(f.Z.now()));
}
template <class Real>
auto show_stage(Fields<Real>& f, ShownFields<Real>& shown) {
  return stage_of("show", Show{}, writes(shown.density.now()), writes(shown.velocity.now()),
                  writes(shown.pressure.now()), writes(shown.dilatation.now()), writes(shown.vorticity.now()),
                  reads(f.s.now()), reads(f.X.now()), reads(f.Y.now()), reads(f.Z.now()));
}
template <class Real>
auto push_stage(Fields<Real>& f) {
  return stage_of("forcing", Push{}, SweepOptions{.flops = 60}, updates(f.rate.now()), reads(f.s.now()));
}

}  // namespace sc::compressible
