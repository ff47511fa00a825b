// SPDX-License-Identifier: Apache-2.0
// Rank 1 aborts while the others wait: in a barrier, for a halo, for a halo in a team of threads, or asleep.
// Or it throws in run_main, while they wait in a barrier.
#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>

#include "engine/base/run_main.hpp"
#include "engine/subcurrent.hpp"

using namespace sc;

struct Next {
  SC_FN void operator()(At c, Out<double> out, In<double> u) const { out[c] = u[c.z(1)]; }
};

void throw_on_one(Context& context, Arguments) {
  if (context.rank() == 1) throw Error(Exit::storage, "rank 1 lost its disk");
  context.barrier();
  std::printf("rank %d came through\n", context.rank());
}

int main(int argc, char** argv) {
  const std::string_view others = argc > 1 ? argv[1] : "barrier";
  if (others == "run_main") return run_main(argc, argv, throw_on_one);
  Context context(MPI_COMM_WORLD, {.threads = others == "team" ? 2 : 1});
  const Grid grid(context, {.cells = {8, 8, 24}, .periodic = {true, true, true}, .halo = 1});
  Field<double> u(grid, "u"), out(grid, "out");
  Runner runner(context, {.strategy = others == "team" ? Strategy::halo_thread : Strategy::blocking});
  Sweep next("next", Next{}, writes(out.now()), reads(u.now(), star(1)));
  runner.run(next);
  u.fill([](int, int, int z) { return double(z); });
  if (context.rank() == 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the others are waiting by then
    context.abort("rank 1 lost its disk", Exit::storage);
  }
  if (others == "barrier")
    context.barrier();
  else if (others == "sleep")
    std::this_thread::sleep_for(std::chrono::seconds(60));
  else
    runner.run(next);
  std::printf("rank %d came through\n", context.rank());
  context.close();
}
