// SPDX-License-Identifier: Apache-2.0
// What tests rehearse: a program as one rank of a run that is not there, and a small stencil for it.
#pragma once

#include "engine/plan/rehearsal.hpp"
#include "engine/subcurrent.hpp"

namespace sc::test {

/// What `program(context, note)` has noted: what `note` is given to do.
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
