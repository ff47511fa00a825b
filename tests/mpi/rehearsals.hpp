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

/// Bytes that pass between files and memory.
struct FileBytes {
  std::int64_t read = 0, written = 0;
  bool operator==(const FileBytes&) const = default;
};

/// Of all copies of a rehearsal.
inline FileBytes file_bytes(const Rehearsal& rehearsal) {
  FileBytes sum;
  const auto add = [&](const RehearsedCopy& copy) {
    if (copy.begins) (copy.in ? sum.read : sum.written) += copy.bytes;
  };
  for (const RehearsedEvent& event : rehearsal.events) {
    if (const auto* copy = std::get_if<RehearsedCopy>(&event)) add(*copy);
    if (const auto* run = std::get_if<RehearsedRun>(&event))
      for (const RehearsedRun::Slab& slab : run->slabs) {
        for (const RehearsedCopy& copy : slab.before) add(copy);
        for (const RehearsedCopy& copy : slab.after) add(copy);
      }
  }
  return sum;
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
