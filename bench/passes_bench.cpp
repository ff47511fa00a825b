// SPDX-License-Identifier: Apache-2.0
// Passes of several steps in memory: the heat equation (7 points), the wave equation (4th order, 13 points),
// a step of two stages and the dendrite, on one rank between walls, and MHD in a periodic box. T steps in a
// pass against one; heat also against a plain loop nest over the same fields, and a copy, with non-temporal
// stores, of as many bytes as a step must read and write. The fastest passes of kernels are also compared
// with the same in a block that stays in the caches, without boundary conditions.
// Rows and planes of a tile may be given.
//   passes_bench [turns] [threads] [heat cells] [wave cells] [dendrite cells] [rows] [planes] [MHD cells]
//                [--trial]
#include <algorithm>
#include <cmath>
#include <memory>

#include "bench/arguments.hpp"
#include "bench/in_caches.hpp"
#include "bench/measure.hpp"
#include "bench/problems.hpp"
#include "bench/single_sweeps.hpp"
#include "engine/overlap/window.hpp"
#include "engine/subcurrent.hpp"
#include "solvers/dendrite/solver.hpp"
#include "solvers/magnetosphere/solver.hpp"

namespace {

using namespace sc;
using bench::Heat;
using bench::Wave;

constexpr int steps = 16;                        // in a turn
const std::vector<int> lengths{1, 2, 4, 8, 16};  // steps a pass
constexpr const char* plain_order = "one step a pass, plain order of rows";
constexpr int trial_steps = 200;                     // in which a runner chooses the length of its passes
constexpr const char* again = "the same once more";  // in other memory: how far equal programs differ

/// The heat equation with the midpoint rule.
struct TwoStages {
  static constexpr int reach = 1;
  explicit TwoStages(const Grid& grid) : T(grid, "temperature"), half(grid, "half a step later") {
    bench::fill_between_walls(T);
    bench::fill_between_walls(half);
    predict = stage_of("predict", bench::Diffuse<double>{0.05}, writes(half.now()), reads(T.now(), star(1)));
    correct = stage_of("correct", Correct{0.1}, updates(T.now()), reads(half.now(), star(1)));
  }
  void step(Runner& runner) {
    runner.run(*predict);
    runner.run(*correct);
  }
  std::vector<const Stage*> stages() const { return {predict.get(), correct.get()}; }
  struct Correct {
    double a;
    SC_FN void operator()(At c, InOut<double> T, In<double> q) const {
      T[c] += a * (q[c.x(1)] + q[c.x(-1)] + q[c.y(1)] + q[c.y(-1)] + q[c.z(1)] + q[c.z(-1)] - 6 * q[c]);
    }
  };
  Field<double> T, half;
  std::unique_ptr<Stage> predict, correct;
};

/// The kernels of a step on a block that stays in the caches, computed without a runner.
template <class Problem>
class Cached {
 public:
  Cached(Context& context, int n)
      : threads_(context.threads()),
        grid_(context, {.cells = {n, n, n}, .halo = Problem::reach}),
        problem_(grid_) {
    for (const Stage* stage : problem_.stages()) stages_.emplace_back(*stage, 0);
  }
  void steps(int count) const {
    for (int n = 0; n < count; ++n)
      for (const Recorded& run : stages_)
        run.stage.compute(run.places, grid_.own(), grid_.origin(), threads_, {});
  }

 private:
  int threads_;
  Grid grid_;
  Problem problem_;
  std::vector<Recorded> stages_;
};

/// The fastest way with several steps in a pass; the first `count` ways are those of all lengths.
const bench::Way& best_of(const std::vector<bench::Way>& ways, std::size_t count) {
  const auto end = ways.begin() + std::ptrdiff_t(count);
  return *std::min_element(ways.begin() + 1, end, [](const bench::Way& a, const bench::Way& b) {
    return bench::median(a) < bench::median(b);
  });
}

template <class Problem>
class Bed {
 public:
  Bed(Context& context, const std::string& name, Int3 cells, Int3 tile)
      : name_(name + " " + std::to_string(cells.x) + "^3, " + std::to_string(context.threads()) + " threads"),
        context_(context),
        grid_(context, {.cells = cells, .halo = Problem::reach}),
        problem_(grid_) {
    for (const int n : bench::cached_cells) {
      const auto& block = *cached_.emplace_back(std::make_unique<Cached<Problem>>(context, n));
      blocks_.push_back({std::pow(double(n), 3), [&block](int count) { block.steps(count); }});
    }
    for (const int length : lengths) {
      Runner& runner = add({.steps_per_pass = length, .pass_tile = length > 1 ? tile : Int3{}});
      ways_.push_back({std::to_string(length) + " a pass", [&] { run(runner, steps); }});
    }
    Runner& finding = add({.steps_per_pass = lengths.back(), .finds_length = true, .pass_tile = tile});
    run(finding, trial_steps);
    std::printf("%s: %s\n", name_.c_str(), finding.passes().found.c_str());
    ways_.push_back({"as found", [&] { run(finding, steps); }});
  }
  Problem& problem() { return problem_; }
  void also(bench::Way way) { ways_.push_back(std::move(way)); }
  void compare(int turns, const std::string& goal) {
    const double cells = double(grid_.own().cells());
    const double cached = bench::beside_caches(context_, name_, ways_, blocks_, cells, steps, turns);
    const bench::Way& best = best_of(ways_, lengths.size());
    bench::report(name_ + ", best / in the caches", steps * cells / bench::median(best) / cached,
                  "goal >= 0.8");
    bench::report(name_ + ", one step a pass / best", bench::ratio(ways_[0], best), goal);
    bench::report(name_ + ", one step a pass / as found", bench::ratio(ways_[0], ways_[lengths.size()]),
                  "goal >= 0.97");
    for (std::size_t k = lengths.size() + 1; k < ways_.size(); ++k) {
      if (ways_[k].name == plain_order)
        bench::report(name_ + ", plain order of rows / one step a pass", bench::ratio(ways_[k], ways_[0]),
                      "goal >= 0.98");
      bench::report(name_ + ", " + ways_[k].name + " / best", bench::ratio(ways_[k], best),
                    ways_[k].name == plain_order ? "goal >= 1.8" : "for the record");
    }
  }

 private:
  Runner& add(const RunnerOptions& options) {
    return *runners_.emplace_back(std::make_unique<Runner>(context_, options));
  }
  void run(Runner& runner, int count) {
    runner.steps(count, [&](int) { problem_.step(runner); });
  }

  std::string name_;
  Context& context_;
  Grid grid_;
  Problem problem_;
  std::vector<std::unique_ptr<Cached<Problem>>> cached_;
  std::vector<bench::CachedBlock> blocks_;
  std::vector<std::unique_ptr<Runner>> runners_;
  std::vector<bench::Way> ways_;
};

/// Single steps as they were before a sweep chose its order of rows.
class PlainOrder {
 public:
  PlainOrder(int n, int threads)
      : context_(MPI_COMM_WORLD, {.threads = threads, .past_caches = PastCaches::never}),
        heat_(std::make_unique<Heat>(Grid(context_, {.cells = {n, n, n}, .halo = Heat::reach}))),
        runner_(std::make_unique<Runner>(context_, RunnerOptions{})) {}
  ~PlainOrder() {
    runner_.reset();
    heat_.reset();
    context_.close();
  }
  void run() {
    for (int step = 0; step < steps; ++step) heat_->step(*runner_);
  }

 private:
  Context context_;
  std::unique_ptr<Heat> heat_;
  std::unique_ptr<Runner> runner_;
};

void heat(Context& context, int n, int turns, Int3 tile) {
  Bed<Heat> bed(context, "heat", {n, n, n}, tile);
  Field<double>& T = bed.problem().field();
  const int threads = context.threads();
  bed.also({"plain loop", [&T, threads] {
              for (int step = 0; step < steps; ++step) {
                bench::plain_heat(T, threads);
                T.advance();
              }
            }});
  double* const first = T.now().view().base;
  double* const second = T.next().view().base;
  const Layout& layout = T.grid().layout();
  const auto count = layout.elements - layout.origin - 8;
  bed.also({"streaming copy",
            [=] {
              for (int step = 0; step < steps; ++step)
                step % 2 ? bench::streaming_copy(second, first, count, threads)
                         : bench::streaming_copy(first, second, count, threads);
            },
            [&T] { T.modify(); }});
  PlainOrder plain(n, threads);
  bed.also({plain_order, [&plain] { plain.run(); }});
  bed.compare(turns, n < 512 ? "goal >= 1.6" : "goal >= 1.35");
}

/// A solver in a box, and what its passes should gain.
struct SolverInBox {
  std::string name;
  int cells;    // along each axis
  int longest;  // steps a pass, at most
  std::string goal;
};

/// A complete solver, made by make(cells along an axis, options of the engine).
template <class Make>
void solver(Context& context, const SolverInBox& what, int turns, Int3 tile, const Make& make) {
  const int n = what.cells;
  std::vector<decltype(make(n, {}))> solvers;
  std::vector<bench::Way> ways;
  const auto add = [&](const std::string& way, int length, bool finds) {
    auto& one = *solvers.emplace_back(make(n, {.strategy = Strategy::boundary_first,
                                               .steps_per_pass = length,
                                               .finds_length = finds,
                                               .pass_tile = length > 1 ? tile : Int3{}}));
    one.steps(trial_steps);  // all, because the work of a step may depend on the state
    ways.push_back({way, [&one] { one.steps(steps); }});
  };
  for (const int length : lengths)
    if (length <= what.longest) add(std::to_string(length) + " a pass", length, false);
  add("as found", what.longest, true);
  const std::size_t found = ways.size() - 1;
  add(again, 1, false);
  std::vector<bench::CachedBlock> blocks;
  for (const int few : bench::cached_cells) {
    auto& one = *solvers.emplace_back(make(few, {.strategy = Strategy::boundary_first}));
    blocks.push_back({std::pow(double(few), 3), [&one](int count) { one.steps(count); }});
  }
  const std::string name =
      what.name + " " + std::to_string(n) + "^3, " + std::to_string(context.threads()) + " threads";
  const double cells = std::pow(double(n), 3);
  const double cached = bench::beside_caches(context, name, ways, blocks, cells, steps, turns);
  const bench::Way& best = best_of(ways, found);
  bench::report(name + ", best / in the caches", steps * cells / bench::median(best) / cached, "goal >= 0.8");
  bench::report(name + ", one step a pass / best", bench::ratio(ways[0], best), what.goal);
  bench::report(name + ", one step a pass / as found", bench::ratio(ways[0], ways[found]), "goal >= 0.97");
  bench::report(name + ", one step a pass / " + again, bench::ratio(ways[0], ways.back()), "for the record");
  std::printf("%s: %s\n", name.c_str(), solvers[found]->runner().passes().found.c_str());
}

/// One crystal in a box with walls, single precision.
void crystal(Context& context, int n, int turns, Int3 tile) {
  solver(context, {"dendrite f32", n, 16, "goal >= 1.15"}, turns, tile,
         [&](int cells, const RunnerOptions& engine) {
           dendrite::DendriteOptions options;
           options.cells = {cells, cells, cells};
           options.single = true;
           options.seeds = {dendrite::Seed{}};
           options.faces.fill(dendrite::FaceKind::insulated);
           options.engine = engine;
           return std::make_unique<dendrite::Dendrite>(context, options);
         });
}

/// A wave in a periodic box, of ideal MHD.
void plasma(Context& context, int n, int turns, Int3 tile) {
  // Wider halos would take more than half as much memory again: the limit of a case file too.
  solver(context, {"MHD f64", n, 4, "for the record"}, turns, tile,
         [&](int cells, const RunnerOptions& engine) {
           magnetosphere::MagnetosphereOptions options;
           options.cells = {cells, cells, cells};
           options.spacing = 1.0 / cells;
           options.dt = 0.1 / cells;
           options.initial = magnetosphere::Initial::linear_wave;
           options.faces.fill(magnetosphere::FaceKind::periodic);
           options.engine = engine;
           return std::make_unique<magnetosphere::Magnetosphere>(context, options);
         });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int turns = arguments.number(1, "turns", 5, 2), threads = arguments.number(2, "threads", 2, 2);
  const int n = arguments.number(3, "heat cells", 256, 24, 0),
            m = arguments.number(4, "wave cells", 256, 24, 0),
            l = arguments.number(5, "dendrite cells", 160, 24, 0),
            p = arguments.number(8, "MHD cells", 96, 24, 0);
  const Int3 tile{0, arguments.number(6, "rows", 0, 0, 0), arguments.number(7, "planes", 0, 0, 0)};
  Context context(MPI_COMM_WORLD, {.threads = threads});
  if (n > 0) heat(context, n, turns, tile);
  if (n > 0) Bed<TwoStages>(context, "two stages", {n, n, n}, tile).compare(turns, "goal >= 1.8");
  if (m > 0) Bed<Wave<double>>(context, "wave f64", {m, m, m}, tile).compare(turns, "goal >= 1.6");
  const int k = m * 3 / 2;
  if (m > 0) Bed<Wave<float>>(context, "wave f32", {k, k, k}, tile).compare(turns, "goal >= 1.6");
  if (l > 0) crystal(context, l, turns, tile);
  if (p > 0) plasma(context, p, turns, tile);
  context.close();
}
