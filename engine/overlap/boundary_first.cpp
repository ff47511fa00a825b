// SPDX-License-Identifier: Apache-2.0
// boundary_first: the shell, whose values the neighbours wait for, then the core while they travel.
#include "engine/overlap/strategy.hpp"

namespace sc {

void boundary_first(Work& w) {
  w.inputs().wait();
  for (const Box& b : w.shell()) w.compute(b);
  w.start(w.outputs());
  w.compute(w.core(), w.outputs());
  w.outputs().wait();
}

}  // namespace sc
