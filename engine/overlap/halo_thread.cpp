// SPDX-License-Identifier: Apache-2.0
// halo_thread: thread 0 exchanges the inputs and computes the shell, the others take core tiles from a queue;
// thread 0 joins them when it is done (or, as in paper 001, does not). One synchronisation a stage; only
// thread 0 calls MPI.
#include "engine/base/error.hpp"
#include "engine/exec/team.hpp"
#include "engine/overlap/strategy.hpp"

namespace sc {

namespace {

constexpr int tiles_per_thread = 16;

struct Times {
  double begin = 0, end = 0;
};

void take_tiles(Work& w, TileQueue& tiles, int thread, Times& times) {
  times.begin = w.now();
  while (const auto tile = tiles.next()) w.compute_alone(*tile, thread);
  times.end = w.now();
}

void with_halo_thread(Work& w, bool join) {
  w.start(w.inputs());
  w.inputs().fill_beside_own();
  TileQueue tiles(w.core(), tiles_per_thread * w.threads(), w.whole_axis());
  std::vector<Times> core(static_cast<std::size_t>(w.threads()));
  Times shell;
  w.weigh(1.0 / w.threads());
  team(w.threads(), [&](int thread) {
    if (thread == 0) {
      w.inputs().wait();
      shell.begin = w.now();
      for (const Box& b : w.shell()) w.compute_alone(b, 0);
      shell.end = w.now();
    }
    if (thread != 0 || join) take_tiles(w, tiles, thread, core[static_cast<std::size_t>(thread)]);
  });
  w.book(Phase::shell, shell.begin, shell.end, 0);
  for (int thread = 0; thread < w.threads(); ++thread) {
    const Times& t = core[static_cast<std::size_t>(thread)];
    if (t.end > t.begin) w.book(Phase::core, t.begin, t.end, thread);
  }
  w.weigh(1);
  w.join();
}

}  // namespace

void halo_thread(Work& w) { with_halo_thread(w, true); }

void halo_thread_no_join(Work& w) {
  if (w.threads() < 2)
    refuse("strategy halo_thread_no_join needs engine.threads of at least 2: thread 0 computes no core");
  with_halo_thread(w, false);
}

}  // namespace sc
