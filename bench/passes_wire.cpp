// SPDX-License-Identifier: Apache-2.0
// Passes of several steps between ranks: the heat equation (7 points, double) between walls, ranks along z.
// Every number of steps in a pass, with and without overlap, against the fastest strategy with one step. With
// DELAY, messages within a node are delayed by so many milliseconds.
//   mpirun -n 2 passes_wire [turns] [cells] [delay in ms] [--trial]
//   emulated-cluster with 2 100mbit passes_wire [turns] [cells]
#include <memory>

#include "bench/measure.hpp"
#include "bench/problems.hpp"
#include "engine/subcurrent.hpp"

namespace {

using namespace sc;

constexpr int steps = 16;         // in a turn
constexpr int trial_steps = 250;  // in which a runner chooses the length of its passes

/// A field on a grid with halos wide enough for its passes, and its turns.
class Bed {
 public:
  Bed(Context& context, int n, Strategy strategy, int steps_per_pass, bool finds = false)
      : length(steps_per_pass),
        overlaps(strategy.overlaps),
        grid_(context,
              {.cells = {n, n, n}, .halo = steps_per_pass, .wall_halo = 1, .split = {1, 1, context.size()}}),
        heat_(grid_),
        runner_(context, {.strategy = strategy, .steps_per_pass = steps_per_pass, .finds_length = finds}) {}
  void find_length() {
    runner_.steps(trial_steps, [&](int) { heat_.step(runner_); });
  }
  void turn() {
    const Traffic before = traffic();
    runner_.steps(steps, [&](int) { heat_.step(runner_); });
    const Traffic after = traffic();
    sent = {after.messages - before.messages, after.bytes - before.bytes};
  }

  int length;
  bool overlaps;
  Traffic sent;  ///< by this rank in the last turn

 private:
  Traffic traffic() const {
    Traffic sum;
    for (int transport = 1; transport < transport_count; ++transport) {  // all except copies within this rank
      const Traffic one = runner_.traffic(static_cast<Transport>(transport));
      sum.messages += one.messages;
      sum.bytes += one.bytes;
    }
    return sum;
  }

  Grid grid_;
  bench::Heat heat_;
  Runner runner_;
};

void compare(const bench::Arguments& arguments) {
  const int turns = arguments.number(1, "turns", 5, 2), n = arguments.number(2, "cells", 64, 24);
  const double delay = 1e-3 * arguments.number(3, "delay in ms", 0, 1, 0);
  const TransportPolicy transport = delay > 0 ? TransportPolicy::delayed : TransportPolicy::automatic;
  Context context(MPI_COMM_WORLD, {.transport = transport, .delay = delay});
  {
    std::vector<std::unique_ptr<Bed>> all;
    std::vector<bench::Way> ways;
    const auto add = [&](const Strategy& strategy, int length) {
      Bed& bed = *all.emplace_back(std::make_unique<Bed>(context, n, strategy, length));
      ways.push_back({std::string(strategy.name), [&bed] { bed.turn(); }});
    };
    const std::vector<Strategy> singly{Strategy::blocking, Strategy::boundary_first, Strategy::interior_first,
                                       Strategy::pipelined};
    for (const Strategy& strategy : singly) add(strategy, 1);
    for (const int length : {2, 4, 8})
      for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first}) add(strategy, length);
    if (delay == 0) {  // passes must not be chosen where they are slower
      all.push_back(std::make_unique<Bed>(context, n, Strategy::boundary_first, 8, true));
      all.back()->find_length();
      ways.push_back({"as found", [&bed = *all.back()] { bed.turn(); }});
    }
    bench::take_turns(context, ways, turns, 1);
    std::size_t best = 0;
    for (std::size_t k = 1; k < singly.size(); ++k)
      if (bench::median(ways[k]) < bench::median(ways[best])) best = k;
    for (std::size_t k = 0; k < ways.size() && context.rank() == 0; ++k) {
      const Bed& bed = *all[k];
      if (ways[k].name == "as found") {
        bench::report("heat " + std::to_string(n) + "^3, boundary_first, one by one / length as found",
                      bench::ratio(ways[1], ways[k]), "goal >= 0.97");
        continue;
      }
      std::printf("%d a pass, %s: %.4g ms a step, %.3g messages, %.4g kB\n", bed.length, ways[k].name.c_str(),
                  1e3 * bench::median(ways[k]) / steps, double(bed.sent.messages) / steps,
                  1e-3 * double(bed.sent.bytes) / steps);
      if (bed.length == 1) continue;
      const std::string name = "heat " + std::to_string(n) + "^3, " + std::to_string(bed.length) +
                               " a pass, " + (bed.overlaps ? "overlapped" : "waiting") +
                               ": fastest one by one / it";
      char goal[32] = "for the record";
      if (delay > 0) std::snprintf(goal, sizeof goal, "goal >= %g", (bed.overlaps ? 0.9 : 0.75) * bed.length);
      bench::report(name, bench::ratio(ways[best], ways[k]), goal);
    }
    context.barrier();
    all.clear();
  }
  context.close();
}

}  // namespace

int main(int argc, char** argv) { compare(bench::Arguments(argc, argv)); }
