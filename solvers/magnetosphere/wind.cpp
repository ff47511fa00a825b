// SPDX-License-Identifier: Apache-2.0
// The wind over time, and the conditions that hold it on both sets of points.
#include <algorithm>

#include "solvers/magnetosphere/faces.hpp"
#include "solvers/magnetosphere/solver.hpp"

namespace sc::magnetosphere {

// a + w (b - a) is a where the rows are equal, so that a constant table gives the bits of a constant wind.
PointState WindTable::at(double time) const {
  const auto next = std::upper_bound(times.begin(), times.end(), time);
  if (next == times.begin()) return states.front();
  if (next == times.end()) return states.back();
  const auto n = static_cast<std::size_t>(next - times.begin());
  const PointState &a = states[n - 1], &b = states[n];
  const double w = (time - times[n - 1]) / (times[n] - times[n - 1]);
  const auto between = [w](double from, double to) { return from + w * (to - from); };
  PointState q{.rho = between(a.rho, b.rho), .v = {}, .p = between(a.p, b.p), .B = {}};
  for (std::size_t k = 0; k < 3; ++k) {
    q.v[k] = between(a.v[k], b.v[k]);
    q.B[k] = between(a.B[k], b.B[k]);
  }
  return q;
}

// Conditions that are set again are others, which would end a pass.
void Magnetosphere::hold_wind(Plasma& set, double time) {
  const bool nodes = &set == &nodes_;
  if (!options_.winds || winds_at_[nodes] == time) return;
  winds_at_[nodes] = time;
  set_wind(set, nodes ? Half::nodes : Half::centres, time, options_);
}

// A checkpoint has no halos, nor has what a pass leaves. Those of both sets get the wind of the time level
// that they have: n dt for nodes, half a step before for centres, whose next level has another wind.
void Magnetosphere::hold_present_wind() {
  if (!options_.winds) return;
  hold_wind(nodes_, clock_.time);
  if (clock_.place == 0) return;  // centres are about to be computed from the nodes
  hold_wind(centres_, clock_.time - clock_.dt / 2);
  runner_.hold(reads(centres_.rho.now(), star(1)), reads(centres_.v.now(), star(1)),
               reads(centres_.p.now(), star(1)), reads(centres_.B.now(), star(1)));
}

}  // namespace sc::magnetosphere
