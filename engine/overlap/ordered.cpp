// SPDX-License-Identifier: Apache-2.0
// ordered: the work of boundary_first without its overlap, so that C_shell, M and C_core can each be
// measured.
#include "engine/overlap/strategy.hpp"

namespace sc {

void ordered(Work& w) {
  w.start(w.inputs());
  w.inputs().wait();
  for (const Box& b : w.shell()) w.compute(b);
  w.start(w.outputs());
  w.arrive(w.outputs());
  w.compute(w.core());
  w.outputs().wait();
}

}  // namespace sc
