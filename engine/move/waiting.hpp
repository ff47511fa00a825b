// SPDX-License-Identifier: Apache-2.0
// Waiting for another rank: spins briefly, then yields (there may be more ranks than cores), and makes
// progress on all operations of this rank, MPI included, because otherwise other ranks could deadlock.
#pragma once

#include <sched.h>

#include <chrono>

#include "engine/base/context.hpp"
#include "engine/base/error.hpp"
#include "engine/base/mpi_check.hpp"

namespace sc {

/// True when done() returned true; false if that took longer than `timeout_seconds` (0: no limit).
template <class Done>
bool wait_until(const Context& context, Done&& done, double timeout_seconds = 0) {
  using Clock = std::chrono::steady_clock;
  constexpr int spins = 100;
  constexpr int yields_per_drive = 8;
  Clock::time_point begin{};
  for (int round = 0; !done(); ++round) {
    if (round < spins) {
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
      continue;
    }
    if (timeout_seconds > 0) {
      if (round == spins) begin = Clock::now();
      if (std::chrono::duration<double>(Clock::now() - begin).count() > timeout_seconds) return false;
    }
    if (round % yields_per_drive == 0) {
      int found = 0;
      mpi::check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, context.comm(), &found, MPI_STATUS_IGNORE));
      context.drive();
    }
    sched_yield();
  }
  return true;
}

/// Waits until done() returns true. Throws Error (failure) after ContextOptions::timeout_seconds.
template <class Done>
void wait_for_peers(const Context& context, Done&& done) {
  const double timeout_seconds = context.options().timeout_seconds;
  if (wait_until(context, done, timeout_seconds)) return;
  throw Error(Exit::failure, "rank " + std::to_string(context.rank()) + " has waited " +
                                 std::to_string(timeout_seconds) + " s for its neighbours' halos");
}

}  // namespace sc
