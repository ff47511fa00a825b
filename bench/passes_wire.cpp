// SPDX-License-Identifier: Apache-2.0
// Several steps a pass between ranks: the heat equation (7 points, double) between walls, ranks along z.
// Every number of steps a pass, with messages under way while cells are computed and without, against the
// fastest strategy of one step a pass. With DELAY the messages of a node arrive so many milliseconds late.
//   mpirun -n 2 passes_wire [turns] [cells] [delay in ms] [--trial]
//   emulated-cluster with 2 100mbit passes_wire [turns] [cells]
#include <memory>

#include "bench/arguments.hpp"
#include "bench/heat_kernel.hpp"
#include "bench/measure.hpp"
#include "engine/subcurrent.hpp"

namespace {

using namespace sc;
using bench::Diffuse;

constexpr int steps = 16;  // of a turn

class Heat {
 public:
  Heat(Context& context, int n, Strategy strategy, int steps_per_pass)
      : length(steps_per_pass),
        overlaps(strategy.overlaps),
        grid_(context, {.cells = {n, n, n}, .halo = steps_per_pass, .split = {1, 1, context.size()}}),
        T_(grid_, "temperature", {.levels = 2}),
        diffuse_("diffuse", Diffuse{0.1}, writes(T_.next()), reads(T_.now(), star(1))),
        runner_(context, {.strategy = strategy, .steps_per_pass = steps_per_pass}) {
    T_.fill([](int x, int y, int z) { return 1e-2 * ((x + 3 * y + 7 * z) % 11); });
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side) boundary(T_, {axis, side}, Fixed<double>{0});
  }
  void turn() {
    const Traffic before = traffic();
    runner_.steps(steps, [&](int) {
      runner_.run(diffuse_);
      T_.advance();
    });
    const Traffic after = traffic();
    sent = {after.messages - before.messages, after.bytes - before.bytes};
  }

  int length;
  bool overlaps;
  Traffic sent;  ///< of the last turn, by this rank

 private:
  Traffic traffic() const {
    Traffic sum;
    for (int transport = 1; transport < transport_count; ++transport) {  // all but this rank's own cells
      const Traffic one = runner_.traffic(static_cast<Transport>(transport));
      sum.messages += one.messages;
      sum.bytes += one.bytes;
    }
    return sum;
  }

  Grid grid_;
  Field<double> T_;
  Sweep<Diffuse, decltype(writes(std::declval<Level<double, 1>>())),
        decltype(reads(std::declval<Level<double, 1>>()))>
      diffuse_;
  Runner runner_;
};

void compare(const bench::Arguments& arguments) {
  const int turns = arguments.number(1, "turns", 5, 2), n = arguments.number(2, "cells", 64, 24);
  const double delay = 1e-3 * arguments.number(3, "delay in ms", 0, 1, 0);
  const TransportPolicy transport = delay > 0 ? TransportPolicy::delayed : TransportPolicy::automatic;
  Context context(MPI_COMM_WORLD, {.transport = transport, .delay = delay});
  {
    std::vector<std::unique_ptr<Heat>> all;
    std::vector<bench::Way> ways;
    const auto add = [&](const Strategy& strategy, int length) {
      Heat& heat = *all.emplace_back(std::make_unique<Heat>(context, n, strategy, length));
      ways.push_back({std::string(strategy.name), [&heat] { heat.turn(); }});
    };
    const std::vector<Strategy> singly{Strategy::blocking, Strategy::boundary_first, Strategy::interior_first,
                                       Strategy::pipelined};
    for (const Strategy& strategy : singly) add(strategy, 1);
    for (const int length : {2, 4, 8})
      for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first}) add(strategy, length);
    bench::take_turns(context, ways, turns, 1);
    std::size_t best = 0;
    for (std::size_t k = 1; k < singly.size(); ++k)
      if (bench::median(ways[k]) < bench::median(ways[best])) best = k;
    for (std::size_t k = 0; k < ways.size() && context.rank() == 0; ++k) {
      const Heat& heat = *all[k];
      std::printf("%d a pass, %s: %.4g ms a step, %.3g messages, %.4g kB\n", heat.length,
                  ways[k].name.c_str(), 1e3 * bench::median(ways[k]) / steps,
                  double(heat.sent.messages) / steps, 1e-3 * double(heat.sent.bytes) / steps);
      if (heat.length == 1) continue;
      const std::string name = "heat " + std::to_string(n) + "^3, " + std::to_string(heat.length) +
                               " a pass, " + (heat.overlaps ? "overlapped" : "waiting") +
                               ": fastest one by one / it";
      char goal[32] = "for the record";
      if (delay > 0)
        std::snprintf(goal, sizeof goal, "goal >= %g", (heat.overlaps ? 0.9 : 0.75) * heat.length);
      bench::report(name, bench::ratio(ways[best], ways[k]), goal);
    }
    context.barrier();
    all.clear();
  }
  context.close();
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  MPI_Init(&argc, &argv);
  compare(arguments);
  MPI_Finalize();
}
