// SPDX-License-Identifier: Apache-2.0
// Strategies against `blocking`: Jacobi sweeps of the cavity's pressure equation on a grid divided along z,
// over a network that is slow enough for overlap to matter.
//   emulated-cluster with 2 100mbit overlap_bench NX NY NZ [sweeps a turn] [turns] [balance] [--trial]
// All strategies take turns in one process. `ordered` measures C_shell, C_core and M in situ, from its
// timeline. The largest possible gain over `blocking` is (C + M) / (max(C_core, M) + C_shell). With
// `balance`, NZ is first changed so that C_core equals the time of a sweep's messages on the link, where
// overlap gains most. That time is measured with the token bucket empty, in exchanges without a pause: in
// `ordered` the bucket fills during the core and passes the next 64 KiB at once, which does not happen to
// strategies that keep the link busy.
#include <memory>

#include "bench/arguments.hpp"
#include "bench/measure.hpp"
#include "engine/move/exchange.hpp"
#include "engine/move/parcels/halo_parcels.hpp"
#include "solvers/cavity/levels.hpp"

namespace {

using namespace sc;
using namespace sc::cavity;
using Points = SevenPoints<double>;
using Level = PoissonLevel<Points>;

auto jacobi(Level& l, const std::string& name) {
  return Sweep(name, JacobiSweep<double, Points>{}, writes(l.x.next()), reads(l.x.now(), Points::reach),
               reads(l.b.now()), reads(l.a.now(), Points::coefficient_reach),
               reads(l.inverse_diagonal.now()));
}

/// One set of fields, shared by all strategies with the same number of threads.
struct Fields {
  Fields(Context& context, Int3 cells)
      : grid(context, {.cells = cells, .halo = 1, .split = {1, 1, context.size()}}), level(grid) {
    level.a.fill([](int, int, int, int) { return 1.0; });
    level.inverse_diagonal.fill([](int, int, int) { return 1.0 / 6; });
    level.x.fill([](int x, int y, int z) { return 1e-2 * ((x * y + z) % 17); });
    level.b.fill([](int, int, int) { return 0.0; });
  }
  Grid grid;
  Level level;
};

class Run {
 public:
  Run(Fields& fields, Strategy strategy)
      : level_(fields.level),
        context_(fields.grid.context()),
        name_(strategy.name),
        sweep_(jacobi(level_, name_)),
        runner_(context_, {.strategy = strategy}) {}
  const std::string& name() const { return name_; }
  void sweeps(int count) {
    for (int n = 0; n < count; ++n) {
      runner_.run(sweep_, {0.98});
      level_.x.advance();
    }
  }
  /// Seconds in a phase so far, mean over the ranks.
  double total(Phase phase) {
    Timeline& timeline = context_.timeline();
    double seconds = timeline.total(timeline.name(name_), phase).seconds;
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_SUM, context_.comm()));
    return seconds / context_.size();
  }

 private:
  Level& level_;
  Context& context_;
  std::string name_;
  decltype(jacobi(std::declval<Level&>(), "")) sweep_;
  Runner runner_;
};

/// Times of `ordered` for a sweep, one for each turn.
struct Terms {
  std::vector<double> shell, core, movement;
  double C_shell() const { return bench::median(shell); }
  double C_core() const { return bench::median(core); }
  double M() const { return bench::median(movement); }
  double ceiling() const { return (C_shell() + C_core() + M()) / (std::max(C_core(), M()) + C_shell()); }
};

void note(Terms& terms, Run& run, int sweeps) {
  const double shell = run.total(Phase::shell) / sweeps, core = run.total(Phase::core) / sweeps;
  const double movement = (run.total(Phase::start) + run.total(Phase::wait)) / sweeps;
  terms.shell.push_back(shell);
  terms.core.push_back(core);
  terms.movement.push_back(movement);
}

Terms measure(Context& context, Int3 cells, int sweeps) {
  Terms terms;
  Fields fields(context, cells);
  Run ordered(fields, Strategy::ordered);
  ordered.sweeps(3);
  for (int turn = 0; turn < 11; ++turn) {
    context.barrier();
    context.timeline().clear();
    ordered.sweeps(sweeps);
    note(terms, ordered, sweeps);
  }
  return terms;
}

/// Seconds of an exchange, in a sequence without pauses.
double sustained(Context& context, Int3 cells) {
  constexpr int unpaused = 20;
  Fields fields(context, cells);
  std::vector<HaloItem> items{{&fields.level.x.now().storage(), star(1)}};
  Exchange exchange(fields.grid.context(), halo_parcels(fields.grid, std::move(items), {}));
  std::vector<bench::Way> ways{{.name = "exchange", .run = [&] {
                                  for (int n = 0; n < unpaused; ++n) {
                                    exchange.start();
                                    exchange.wait();
                                  }
                                }}};
  bench::take_turns(context, ways, 5);
  return bench::median(ways[0]) / unpaused;
}

/// The number of planes for which the core takes as long as the messages. Because of caches, C_core grows
/// faster than the grid, so it is found by bisection.
int balanced(Context& context, Int3 cells, int sweeps) {
  const double link = sustained(context, cells);
  int low = 32, high = cells.z;
  for (int trial = 0; trial < 6; ++trial) {
    cells.z = (low + high) / 2 / 16 * 16;
    const Terms terms = measure(context, cells, sweeps);
    (terms.C_core() < link ? low : high) = cells.z;
  }
  if (context.rank() == 0)
    std::printf("%d planes: the link alone takes %.2f ms for the messages of a sweep\n", cells.z, link * 1e3);
  return cells.z;
}

void print(const std::string& name, const std::vector<bench::Way>& ways, const std::vector<Terms>& seen,
           int sweeps) {
  const Terms& terms = seen[1];
  std::printf("%s: C_shell %.2f ms, C_core %.2f ms, M %.2f ms, ceiling %.2f\n", name.c_str(),
              terms.C_shell() * 1e3, terms.C_core() * 1e3, terms.M() * 1e3, terms.ceiling());
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const double gain = bench::ratio(ways[0], ways[i]);
    std::printf("  %-15s %8.2f ms a sweep, blocking / it %.2f, %.0f %% of the ceiling", ways[i].name.c_str(),
                bench::median(ways[i]) / sweeps * 1e3, gain, 100 * gain / terms.ceiling());
    if (i > 0)
      std::printf("; core %.2f ms, starting and waiting %.2f ms", seen[i].C_core() * 1e3, seen[i].M() * 1e3);
    std::printf("\n");
  }
  char ceiling[64];
  std::snprintf(ceiling, sizeof ceiling, "possible: %.2f", terms.ceiling());
  const bool worth = terms.ceiling() > 1.3;
  for (const bench::Way& way : ways) {
    const double gain = bench::ratio(ways[0], way);
    if (way.name == "blocking" || way.name == "ordered") continue;
    bench::report("blocking / " + way.name + ", " + name, gain, ceiling);
    if (way.name == "boundary_first")
      bench::report("boundary_first, gain / possible gain, " + name, gain / terms.ceiling(),
                    worth ? "goal >= 0.85" : "no goal; little can be gained");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  Int3 cells{arguments.number(1, "NX", 128, 16), arguments.number(2, "NY", 128, 16),
             arguments.number(3, "NZ", 1024, 64)};
  const int sweeps = arguments.number(4, "sweeps", 10, 2), turns = arguments.number(5, "turns", 9, 2);
  const std::string balance = arguments.word(6, "");
  if (!balance.empty() && balance != "balance") arguments.refuse("the last word", balance, "balance");
  Context one(MPI_COMM_WORLD, {.threads = 1});
  Context two(MPI_COMM_WORLD, {.threads = 2});
  if (!balance.empty()) cells.z = balanced(one, cells, sweeps);
  {
    Fields fields(one, cells), fields_of_two(two, cells);
    std::vector<std::unique_ptr<Run>> runs;
    for (const Strategy strategy : {Strategy::blocking, Strategy::ordered, Strategy::boundary_first,
                                    Strategy::interior_first, Strategy::pipelined})
      runs.push_back(std::make_unique<Run>(fields, strategy));
    runs.push_back(std::make_unique<Run>(fields_of_two, Strategy::halo_thread));
    std::vector<Terms> seen(runs.size());
    std::vector<bench::Way> ways;
    for (auto& run : runs) {
      ways.push_back({.name = run->name(),
                      .run = [&run, sweeps] { run->sweeps(sweeps); },
                      .before =
                          [&] {
                            run->sweeps(1);  // the halos are then in the state of this strategy
                            one.timeline().clear();
                            two.timeline().clear();
                          }});
      ways.back().after = [&, i = ways.size() - 1] { note(seen[i], *run, sweeps); };
    }
    bench::take_turns(one, ways, turns, 0);
    if (one.rank() == 0)
      print(std::to_string(cells.x) + "x" + std::to_string(cells.y) + "x" + std::to_string(cells.z), ways,
            seen, sweeps);
  }
  two.close();
  one.close();
}
