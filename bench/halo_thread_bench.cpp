// SPDX-License-Identifier: Apache-2.0
// Table 2 of paper 001 for the two stages of the magnetosphere's step: the times of a halo thread beside
// computing threads, the prediction that it pays if t_add < t_com, and the measured result. On two ranks,
// divided along z:
//   mpirun -n 2 halo_thread_bench CELLS THREADS [seconds] [--trial]      CELLS^3 a rank
// bench/halo_thread.py runs it over sizes, threads and links. The ways take turns on the same fields.
#include <cstdlib>
#include <memory>

#include "bench/arguments.hpp"
#include "bench/measure.hpp"
#include "solvers/magnetosphere/faces.hpp"
#include "solvers/magnetosphere/stages.hpp"

namespace {

using namespace sc;
using namespace sc::magnetosphere;

struct Fields {
  explicit Fields(const Grid& grid) : nodes(grid, "", Space::host), centres(grid, "centres' ", Space::host) {
    MagnetosphereOptions open;
    open.faces = {FaceKind::free, FaceKind::free,     FaceKind::free,
                  FaceKind::free, FaceKind::periodic, FaceKind::periodic};
    set_faces(nodes, Half::nodes, open);
    set_faces(centres, Half::centres, open);
    for (Plasma* set : {&nodes, &centres}) {
      set->rho.fill([](int, int, int) { return 1.0; });
      set->v.fill([](int k, int, int, int) { return 0.1 * (k + 1); });
      set->p.fill([](int, int, int) { return 0.6; });
      set->B.fill([](int k, int, int, int) { return 0.2 * (k + 1); });
    }
  }
  Plasma nodes, centres;
};

double slowest(double seconds, const Context& context) {
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, context.comm()));
  return seconds;
}

/// Seconds of a step, from one turn on this rank.
struct Terms {
  double elapsed = 0;  ///< on the slowest rank
  double start = 0, wait = 0, shell = 0, core = 0;
};

class Way {
 public:
  Way(Fields& fields, Strategy strategy)
      : fields_(fields),
        context_(fields.nodes.rho.grid().context()),
        stages_(stages_with<Diffusion::constant>(fields.nodes, fields.centres, false)),
        runner_(context_, {.strategy = strategy}) {
    Numbers numbers;
    numbers.dt = 1e-4;
    numbers.D = numbers.D_p = numbers.mu = numbers.eta = 1e-4;
    numbers.rho_floor = numbers.p_floor = 1e-6;
    stages_.first.set(numbers);
    stages_.second.set(numbers);
  }
  void steps(int count) {
    for (int n = 0; n < count; ++n) {
      runner_.run(stages_.first);
      fields_.centres.advance();
      runner_.run(stages_.second);
      fields_.nodes.advance();
    }
  }
  void turn(int count) {
    Timeline& timeline = context_.timeline();
    context_.barrier();
    timeline.clear();
    const double begin = timeline.now();
    steps(count);
    Terms t;
    t.elapsed = slowest(timeline.now() - begin, context_) / count;
    const auto total = [&](Phase phase) {
      double seconds = 0;
      for (const char* stage : {"first", "second"})
        seconds += timeline.total(timeline.name(stage), phase).seconds;
      return seconds / count;
    };
    t.start = total(Phase::start);
    t.wait = total(Phase::wait);
    t.shell = total(Phase::shell);
    t.core = total(Phase::core);
    turns_.push_back(t);
  }
  double median(double Terms::*term) const {
    std::vector<double> values;
    for (const Terms& t : turns_) values.push_back(t.*term);
    return bench::median(values);
  }

 private:
  Fields& fields_;
  Context& context_;
  Stages stages_;
  Runner runner_;
  std::vector<Terms> turns_;
};

/// Prints one row, in ms for a step, in the format of bench/halo_thread.py.
void print_row(int cells, int threads, const Way& blocking, const Way& ordered, const Way& apart,
               const Way& joined) {
  // During a team's work the timeline counts a second of one thread as 1 / threads (halo_table.py).
  const double T = threads;
  const double communication = apart.median(&Terms::start) + T * apart.median(&Terms::wait);
  const double shell = T * apart.median(&Terms::shell);
  const double core = T * apart.median(&Terms::core) / (T - 1);
  const double t_add = core - ordered.median(&Terms::shell) - ordered.median(&Terms::core);
  const double t_com = ordered.median(&Terms::start) + ordered.median(&Terms::wait);
  const double usual = blocking.median(&Terms::elapsed);
  std::printf("row: %d %d %.4g %.4g %.4g %.4g %.4g %.4g %.4g %.4g %.4g\n", cells, threads,
              1e3 * communication, 1e3 * shell, 1e3 * (communication + shell), 1e3 * core, 1e3 * t_add,
              1e3 * t_com, 1e3 * usual, usual / apart.median(&Terms::elapsed),
              usual / joined.median(&Terms::elapsed));
  std::fflush(stdout);
}

void measure(Context& context, int cells, int threads, double seconds) {
  constexpr int turns = 3;
  const Grid grid(context, {.cells = {cells, cells, cells * context.size()},
                            .periodic = {false, false, true},
                            .halo = 1,
                            .split = {1, 1, context.size()}});
  Fields fields(grid);
  std::vector<std::unique_ptr<Way>> ways;
  for (const Strategy s :
       {Strategy::blocking, Strategy::ordered, Strategy::halo_thread.not_joining(), Strategy::halo_thread})
    ways.push_back(std::make_unique<Way>(fields, s));
  const double begin = context.timeline().now();
  for (const auto& way : ways) way->steps(1);
  const double step = slowest(context.timeline().now() - begin, context) / double(ways.size());
  const int count = std::max(1, int(seconds / (double(ways.size()) * turns * step)));
  for (int n = 0; n < turns; ++n)
    for (const auto& way : ways) way->turn(count);
  if (context.rank() == 0) print_row(cells, threads, *ways[0], *ways[1], *ways[2], *ways[3]);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int cells = arguments.number(1, "CELLS", 64, 16), threads = arguments.number(2, "THREADS", 2, 2, 2);
  const double seconds = arguments.real(3, "seconds", 10, 0.1);
  Context context(MPI_COMM_WORLD, {.threads = threads});
  measure(context, cells, threads, seconds);
  context.close();
}
