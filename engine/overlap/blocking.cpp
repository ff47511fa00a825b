// SPDX-License-Identifier: Apache-2.0
// blocking: the usual code, "normal" in the papers. All cells; exchange; wait.
#include "engine/overlap/strategy.hpp"

namespace sc {

void blocking(Work& w) {
  w.inputs().wait();
  w.compute(w.all());
  w.start(w.outputs());
  w.outputs().wait();
}

}  // namespace sc
