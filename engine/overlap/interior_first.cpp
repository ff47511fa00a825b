// SPDX-License-Identifier: Apache-2.0
// interior_first: what needs no halo while the inputs' halos travel, then the shell.
#include "engine/overlap/strategy.hpp"

namespace sc {

void interior_first(Work& w) {
  w.start(w.inputs());
  w.inputs().fill_beside_own();
  w.compute(w.core(), w.inputs());
  w.inputs().wait();
  for (const Box& b : w.shell()) w.compute(b);
}

}  // namespace sc
