// SPDX-License-Identifier: Apache-2.0
// The benchmark's iteration; each equation precedes its stage.
#include "solvers/cg/benchmark.hpp"

#include <cmath>

#include "engine/stage/global_value.hpp"
#include "solvers/cg/kernels.hpp"
#include "solvers/common/stage_of.hpp"

namespace sc::cg {

namespace {

constexpr int solver_steps = 25;
constexpr double tolerance = 1e-10;
using F = Field<double>&;

auto residual_stage(F r, F q) {
  return Sweep("residual", Reduced{}, SweepOptions{.reduce = Reduce::sum, .flops = 4}, updates(r.now()),
               reads(q.now()));
}
auto solution_stage(F z, F p) {
  return Sweep("solution", Add{}, SweepOptions{.flops = 2}, updates(z.now()), reads(p.now()));
}
auto direction_stage(F p, F r) {
  return Sweep("direction", NextDirection{}, SweepOptions{.flops = 2}, updates(p.now()), reads(r.now()));
}
auto next_stage(F x, F z) {
  return Sweep("next x", Scale{}, SweepOptions{.flops = 1}, writes(x.now()), reads(z.now()));
}
std::unique_ptr<Stage> sum_stage(const char* name, auto kernel, double flops, F a, F b) {
  return stage_of(name, kernel, SweepOptions{.reduce = Reduce::sum, .flops = flops}, reads(a.now()),
                  reads(b.now()));
}

}  // namespace

struct Benchmark::Parts {
  Parts(Context& context_in, const Class& c_in, const Partition& partition, const LocalRows& rows,
        const Settings& settings)
      : context(context_in), c(c_in), product(context_in, partition, rows, settings) {}

  Context& context;
  Class c;
  Product product;
  Field<double>& p = product.x();
  Field<double>& q = product.y();
  Field<double> x{product.grid(), "iterate"}, z{product.grid(), "z"}, r{product.grid(), "r"};
  std::unique_ptr<Stage> start = stage_of("start", Start{}, SweepOptions{.reduce = Reduce::sum, .flops = 2},
                                          writes(z.now()), writes(r.now()), writes(p.now()), reads(x.now()));
  std::unique_ptr<Stage> curvature = sum_stage("p q", Dot{}, 2, p, q);
  decltype(residual_stage(r, q)) residual = residual_stage(r, q);
  decltype(solution_stage(z, p)) solution = solution_stage(z, p);
  decltype(direction_stage(p, r)) direction = direction_stage(p, r);
  std::unique_ptr<Stage> norms = sum_stage("norms", Norms{}, 4, x, z);
  std::unique_ptr<Stage> copy = stage_of("copy", Copy{}, writes(p.now()), reads(z.now()));
  std::unique_ptr<Stage> distance = sum_stage("distance", Distance{}, 3, x, q);
  decltype(next_stage(x, z)) next = next_stage(x, z);
  GlobalValue dot{context}, length{context}, printed{context};

  // A z = x by conjugate gradients.
  void solve() {
    Runner& runner = product.runner();
    // z = 0, r = p = x, rho = r^T r
    runner.run(*start);
    double rho = dot.reduce(start->accumulators());
    for (int step = 0; step < solver_steps; ++step) {
      // q = A p, alpha = rho / p^T q
      const double alpha = rho / dot.reduce(product.run(*curvature));
      // r = r - alpha q; the reduction of rho = r^T r overlaps with z = z + alpha p
      runner.run(residual, Reduced{alpha});
      dot.start(residual.accumulators());
      runner.run(solution, Add{alpha});
      const double before = rho;
      rho = dot.value();
      // p = r + beta p
      runner.run(direction, NextDirection{rho / before});
    }
  }

  // The rest of an outer iteration. The reduction of its results |x - A z|^2 and x^T z overlaps with the
  // next.
  void advance() {
    Runner& runner = product.runner();
    // x^T z, z^T z; the reduction of the length overlaps with |x - A z|
    runner.run(*norms);
    length.start(norms->accumulators().subspan(1, 1));
    runner.run(*copy);
    printed.start(std::array{product.run(*distance)[0], norms->accumulators()[0]});
    // x = z / |z|
    runner.run(next, Scale{1 / std::sqrt(length.value())});
  }

  /// The results of the last iteration.
  OuterIteration report(int iteration) {
    const double distance2 = printed.value(0), xz = printed.value(1);
    return {iteration, std::sqrt(distance2), c.shift + 1 / xz};
  }
  void begin() {
    x.fill([](int, int, int) { return 1.0; });
  }
};

Benchmark::Benchmark(Context& context, const Class& c, const Settings& settings) {
  const Partition partition(settings.partition, row_weights(c), context.size());
  LocalRows rows;
  context.together([&] { rows = make_matrix(c, partition, context.rank()); });
  parts_ = std::make_unique<Parts>(context, c, partition, rows, settings);
}

Benchmark::~Benchmark() = default;
Product& Benchmark::product() { return parts_->product; }

void Benchmark::step() {
  Ledger& ledger = parts_->product.ledger();
  ledger.open();
  parts_->solve();
  parts_->advance();
  parts_->printed.value();
  ledger.close();
}

BenchmarkResult Benchmark::run(const std::function<void(const OuterIteration&)>& each) {
  Parts& w = *parts_;
  BenchmarkResult result;
  w.begin();
  w.solve();  // not timed
  w.advance();
  w.printed.value();
  w.begin();
  const auto tell = [&](int iteration) {
    if (w.context.rank() != 0) return;
    result.history.push_back(w.report(iteration));
    if (each) each(result.history.back());
  };
  Ledger& ledger = w.product.ledger();
  w.context.barrier();
  ledger.restart();
  ledger.open();
  const double begin = w.context.timeline().now();
  for (int iteration = 1; iteration <= w.c.iterations; ++iteration) {
    w.solve();
    if (iteration > 1) tell(iteration - 1);
    w.advance();
  }
  w.printed.value();
  ledger.close();
  result.seconds = w.context.max(w.context.timeline().now() - begin);
  tell(w.c.iterations);
  result.zeta = w.report(w.c.iterations).zeta;
  result.error = std::abs(result.zeta - w.c.zeta) / std::abs(w.c.zeta);
  result.verified = result.error <= tolerance;
  result.mops = million_operations(w.c) / result.seconds;
  const double sent = ledger.terms().of(Resource::messages).bytes;
  result.sent = static_cast<double>(w.context.sum(static_cast<std::uint64_t>(sent)));
  return result;
}

double million_operations(const Class& c) {
  const double nz = c.nonzer * (c.nonzer + 1.0);
  return 1e-6 * 2 * c.iterations * c.n * (3 + nz + solver_steps * (5 + nz) + 3);
}

}  // namespace sc::cg
