// SPDX-License-Identifier: Apache-2.0
// The time step: modified leap-frog. A cycle of l steps begins with a two-step Lax-Wendroff step, followed by
// leap-frog steps, in which each set of points leaps over the other. Each of the two stages has its own halo
// exchange, from its declared reads.
#include "solvers/magnetosphere/solver.hpp"

namespace sc::magnetosphere {

StepReport Magnetosphere::step() {
  runner_.begin_step();
  if (clock_.place == 0) begin_cycle();  // dt is fixed for a cycle, because leap-frog needs equal steps
  const double dt = clock_.dt, end = clock_.time + dt;

  hold_present_wind();
  hold_wind(centres_, end - dt / 2);
  if (clock_.place == 0)
    // centres(n + 1/2) = mean of nodes(n) + dt/2 F(nodes(n))
    run(stages_.predict, numbers(dt / 2, Half::centres));
  else
    // centres(n + 1/2) = centres(n - 1/2) + dt F(nodes(n)) + dt diffusion(centres(n - 1/2))
    run(stages_.first, numbers(dt, Half::centres));
  centres_.advance();

  // nodes(n + 1) = nodes(n) + dt F(centres(n + 1/2)) + dt diffusion(nodes(n))
  hold_wind(nodes_, end);
  run(stages_.second, numbers(dt, Half::nodes));
  nodes_.advance();

  const std::int64_t floors = end_step();
  const auto place = static_cast<int>(clock_.place);
  clock_.time = end;
  clock_.steps += 1;
  clock_.floors += floors;
  clock_.place = (clock_.place + 1) % options_.cycle;
  return {.step = clock_.steps,
          .time = clock_.time,
          .dt = dt,
          .courant = clock_.signal * dt / options_.spacing,
          .place = place,
          .floors = floors};
}

}  // namespace sc::magnetosphere
