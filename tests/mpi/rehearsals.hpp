// SPDX-License-Identifier: Apache-2.0
// Rehearsals for tests: a program on a single rank of a larger run, and a small stencil.
#pragma once

#include "engine/plan/rehearsal.hpp"
#include "engine/subcurrent.hpp"

namespace sc::test {

/// The rehearsal of the calls that `program(context, note)` passes to `note`.
template <class Program>
Rehearsal rehearsed(const Rehearsed& part, Program&& program) {
  Context context(MPI_COMM_SELF, {.rehearsed = part});
  Rehearsal rehearsal;
  program(context, [&](const auto& step) {
    context.set_rehearsal(&rehearsal);
    step();
    context.set_rehearsal(nullptr);
  });
  context.close();
  return rehearsal;
}

struct Mean {
  SC_FN void operator()(At c, Out<double> next, In<double> now) const {
    next[c] = (now[c] + now[c.x(1)] + now[c.x(-1)] + now[c.z(1)] + now[c.z(-1)]) / 5;
  }
};

/// T_next = mean of T_now.
inline auto mean_of(Field<double>& T) {
  return Sweep("mean", Mean{}, SweepOptions{.flops = 5}, writes(T.next()), reads(T.now(), star(1)));
}

}  // namespace sc::test
