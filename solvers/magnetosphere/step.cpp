// SPDX-License-Identifier: Apache-2.0
// The time step: modified leap-frog. A cycle of l steps begins with a two-step Lax-Wendroff step, followed by
// leap-frog steps, in which each set of points leaps over the other. Each of the two stages has its own halo
// exchange, from its declared reads; in a pass of several steps there is one for all stages.
#include "solvers/magnetosphere/solver.hpp"

namespace sc::magnetosphere {

StepReport Magnetosphere::steps(int n) {
  const std::int64_t before = clock_.floors;
  found_.clear();  // of a call that failed
  runner_.steps(n, [this](int) { advance(); });
  reduce_found();
  StepReport report{{.step = clock_.steps, .time = clock_.time, .dt = clock_.dt}};
  report.courant = clock_.signal * clock_.dt / options_.spacing;
  report.place = static_cast<int>((clock_.place + options_.cycle - 1) % options_.cycle);
  report.floors = last_floors_;
  report.all_floors = clock_.floors - before;
  return report;
}

void Magnetosphere::advance() {
  runner_.begin_step();
  const double dt = next_dt(), end = clock_.time + dt;  // fixed for a cycle: leap-frog needs equal steps
  const auto found = std::make_shared<Found>(Found{.step = clock_.steps + 1, .time = end});

  hold_present_wind();
  hold_wind(centres_, end - dt / 2);
  if (clock_.place == 0)
    // centres(n + 1/2) = mean of nodes(n) + dt/2 F(nodes(n))
    run(stages_.predict, numbers(dt / 2, Half::centres), found);
  else
    // centres(n + 1/2) = centres(n - 1/2) + dt F(nodes(n)) + dt diffusion(centres(n - 1/2))
    run(stages_.first, numbers(dt, Half::centres), found);
  centres_.advance();

  // nodes(n + 1) = nodes(n) + dt F(centres(n + 1/2)) + dt diffusion(nodes(n))
  hold_wind(nodes_, end);
  run(stages_.second, numbers(dt, Half::nodes), found);
  nodes_.advance();

  clock_.time = end;
  clock_.steps += 1;
  clock_.place = (clock_.place + 1) % options_.cycle;
  cycle_begun_ = false;
  end_step(found);
}

}  // namespace sc::magnetosphere
