// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients, and their pipelined form; the equation before each stage.
#include "solvers/cg/solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/move/gather.hpp"
#include "engine/stage/global_value.hpp"
#include "solvers/cg/kernels.hpp"

namespace sc::cg {

namespace {

using F = Field<double>&;
constexpr SweepOptions summed{.reduce = Reduce::sum};

auto dots_stage(const char* name, F x, F y) {
  return Sweep(name, Dots{}, summed, reads(x.now()), reads(y.now()));
}
auto reduced_stage(F r, F q) {
  return Sweep("residual", Reduced{}, summed, updates(r.now()), reads(q.now()));
}
auto add_stage(F x, F p) { return Sweep("solution", Add{}, updates(x.now()), reads(p.now())); }
auto turn_stage(F p, F u) { return Sweep("direction", Turn{}, updates(p.now()), reads(u.now())); }
auto copy_stage(F to, F from) { return Sweep("copy", Copy{}, writes(to.now()), reads(from.now())); }
auto distance_stage(F b, F q) {
  return Sweep("distance", Distance{}, summed, reads(b.now()), reads(q.now()));
}

std::string at_iteration(int iteration) { return " at iteration " + std::to_string(iteration + 1); }

/// Largest |a_ij| of all ranks: a measure of A that is right to a factor n.
double largest_entry(Context& context, const LocalRows& rows) {
  double largest = 0;
  for (const double value : rows.value) largest = std::max(largest, std::abs(value));
  return context.max(largest);
}

}  // namespace

LocalRows keep_own(const LocalRows& rows, const Partition& partition, int rank) {
  std::vector<std::int64_t> weight(static_cast<std::size_t>(partition.n()));
  for (const std::int64_t c : rows.column) {
    if (c < 0 || c >= partition.n())
      refuse("the matrix has a value in column " + std::to_string(c + 1) + " of " +
             std::to_string(partition.n()));
    ++weight[static_cast<std::size_t>(c)];
  }
  std::vector<char> mine(weight.size());
  for (const auto& [first, last] : partition.columns(rank, weight))
    std::fill(mine.begin() + first, mine.begin() + last, char{1});
  LocalRows kept;
  kept.first = rows.first;
  for (std::size_t r = 0; r + 1 < rows.begin.size(); ++r) {
    for (auto k = static_cast<std::size_t>(rows.begin[r]); k < static_cast<std::size_t>(rows.begin[r + 1]);
         ++k)
      if (mine[static_cast<std::size_t>(rows.column[k])]) {
        kept.column.push_back(rows.column[k]);
        kept.value.push_back(rows.value[k]);
      }
    kept.begin.push_back(static_cast<std::int64_t>(kept.column.size()));
  }
  return kept;
}

struct Solver::Parts {
  Parts(Context& context_in, const Partition& partition, const LocalRows& rows, const SolverOptions& given)
      : context(context_in),
        options(given),
        product(context_in, partition, rows, given.settings),
        largest(largest_entry(context_in, rows)) {
    if (options.iterations < 1)
      options.iterations = static_cast<int>(
          std::min<std::int64_t>(10 * std::int64_t{partition.n()} + 100, std::numeric_limits<int>::max()));
  }
  virtual ~Parts() = default;
  virtual void iterate(double norm, Solution& solution, const std::function<void(int, double)>& each) = 0;

  /// Takes a residual down; true where the iteration ends with it.
  bool ends(double residual, Solution& solution, const std::function<void(int, double)>& each) const {
    solution.residuals.push_back(residual);
    if (each) each(solution.iterations(), residual);
    if (!std::isfinite(residual))
      solution.breakdown = "the residual is no longer a number" + at_iteration(solution.iterations() - 1);
    solution.converged = residual <= options.tolerance;
    return solution.converged || !solution.breakdown.empty() || solution.iterations() >= options.iterations;
  }
  /// Whether p^T A p says that A is positive definite; `pp` is p^T p.
  bool curved(double pap, double pp, Solution& solution) const {
    const double least = 4 * std::numeric_limits<double>::epsilon() * largest * pp;
    if (pap > least) return true;
    const std::string where = at_iteration(solution.iterations());
    if (pap < -least)
      solution.breakdown = "the matrix is not positive definite: p^T A p < 0" + where;
    else if (std::isfinite(pap))
      solution.breakdown = "the matrix is singular to working precision: p^T A p = 0" + where;
    else
      solution.breakdown = "p^T A p is not a number" + where;
    return false;
  }

  Context& context;
  SolverOptions options;
  Product product;
  double largest;
  F operand = product.x();
  F image = product.y();
  Field<double> b{product.grid(), "b"}, x{product.grid(), "solution"}, r{product.grid(), "r"},
      u{product.grid(), "u"}, diagonal{product.grid(), "1 / diagonal"};
  GlobalValue sums{context};
  decltype(copy_stage(operand, x)) take_x = copy_stage(operand, x);
  decltype(distance_stage(b, image)) distance = distance_stage(b, image);
  decltype(dots_stage("b b", b, b)) norm_of_b = dots_stage("b b", b, b);
};

namespace {

/// One product, one preconditioning and two reductions an iteration.
struct Plain final : Solver::Parts {
  Plain(Context& c, const Partition& partition, const LocalRows& rows, const SolverOptions& o)
      : Parts(c, partition, rows, o),
        precondition(make_preconditioner(o.preconditioner, rows, o.block, u, r, diagonal)) {}

  F p = operand, q = image;
  std::unique_ptr<Stage> precondition;
  decltype(copy_stage(p, u)) first = copy_stage(p, u);
  decltype(dots_stage("r u", r, u)) dots = dots_stage("r u", r, u);
  decltype(dots_stage("p q", p, q)) curvature = dots_stage("p q", p, q);
  decltype(reduced_stage(r, q)) residual = reduced_stage(r, q);
  decltype(add_stage(x, p)) forward = add_stage(x, p);
  decltype(turn_stage(p, u)) turn = turn_stage(p, u);

  void iterate(double norm, Solution& solution, const std::function<void(int, double)>& each) override {
    Runner& runner = product.runner();
    // u = M^-1 r, p = u, rho = r^T u
    runner.run(*precondition);
    runner.run(first);
    runner.run(dots);
    double rho = sums.reduce(dots.accumulators());
    while (!ends(std::sqrt(sums.value(1)) / norm, solution, each)) {
      // q = A p
      product.run();
      // alpha = rho / p^T q
      runner.run(curvature);  // p^T q, p^T p
      const double pq = sums.reduce(curvature.accumulators());
      if (!curved(pq, sums.value(1), solution)) return;
      const double alpha = rho / pq;
      // r = r - alpha q, u = M^-1 r; rho = r^T u travels while x = x + alpha p
      runner.run(residual, Reduced{alpha});
      runner.run(*precondition);
      runner.run(dots);
      sums.start(dots.accumulators());
      runner.run(forward, Add{alpha});
      const double before = rho;
      rho = sums.value();
      // p = u + beta p
      runner.run(turn, Turn{rho / before});
    }
  }
};

auto pipelined_dots(F r, F u, F w) {
  return Sweep("r u, w u, r r", PipelinedDots{}, summed, reads(r.now()), reads(u.now()), reads(w.now()));
}
auto pipelined_turn(F z, F q, F s, F p, F n, F m, F w, F u) {
  return Sweep("directions", PipelinedTurn{}, updates(z.now()), updates(q.now()), updates(s.now()),
               updates(p.now()), reads(n.now()), reads(m.now()), reads(w.now()), reads(u.now()));
}
auto pipelined_step(F x, F r, F u, F w, F p, F s, F q, F z) {
  return Sweep("step", PipelinedStep{}, updates(x.now()), updates(r.now()), updates(u.now()),
               updates(w.now()), reads(p.now()), reads(s.now()), reads(q.now()), reads(z.now()));
}

/// P. Ghysels and W. Vanroose, "Hiding global synchronization latency in the preconditioned conjugate
/// gradient algorithm", Parallel Computing 40 (2014): one reduction an iteration, under preconditioning and
/// product.
struct Pipelined final : Solver::Parts {
  Pipelined(Context& c, const Partition& partition, const LocalRows& rows, const SolverOptions& o)
      : Parts(c, partition, rows, o),
        first(make_preconditioner(o.preconditioner, rows, o.block, u, r, diagonal)),
        precondition(make_preconditioner(o.preconditioner, rows, o.block, operand, w, diagonal)) {}

  F m = operand, n = image;
  Field<double> w{product.grid(), "w"}, z{product.grid(), "z"}, q{product.grid(), "q"},
      s{product.grid(), "s"}, p{product.grid(), "p"};
  std::unique_ptr<Stage> first, precondition;
  decltype(copy_stage(m, u)) take_u = copy_stage(m, u);
  decltype(copy_stage(w, n)) give_w = copy_stage(w, n);
  decltype(pipelined_dots(r, u, w)) dots = pipelined_dots(r, u, w);
  decltype(pipelined_turn(z, q, s, p, n, m, w, u)) turn = pipelined_turn(z, q, s, p, n, m, w, u);
  decltype(pipelined_step(x, r, u, w, p, s, q, z)) step = pipelined_step(x, r, u, w, p, s, q, z);

  void iterate(double norm, Solution& solution, const std::function<void(int, double)>& each) override {
    Runner& runner = product.runner();
    for (Field<double>* f : {&z, &q, &s, &p}) f->fill([](int, int, int) { return 0.0; });
    // u = M^-1 r, w = A u
    runner.run(*first);
    runner.run(take_u);
    product.run();
    runner.run(give_w);
    double gamma_before = 1, alpha = 1, beta = 0;
    for (;;) {
      // gamma = r^T u, delta = w^T u travel under m = M^-1 w, n = A m
      runner.run(dots);
      sums.start(dots.accumulators());
      runner.run(*precondition);
      product.run();
      const double gamma = sums.value(0), delta = sums.value(1);
      if (ends(std::sqrt(sums.value(2)) / norm, solution, each)) return;
      if (solution.iterations() > 0) beta = gamma / gamma_before;
      // p^T A p = delta - beta gamma / alpha
      const double pap = delta - beta * gamma / alpha;
      if (!(pap > 0)) {
        solution.breakdown = "p^T A p is not positive" + at_iteration(solution.iterations()) +
                             ": the matrix is not positive definite, or the pipelined iteration can get no "
                             "closer to the solution";
        return;
      }
      alpha = gamma / pap;
      gamma_before = gamma;
      // z = n + beta z, q = m + beta q, s = w + beta s, p = u + beta p
      runner.run(turn, PipelinedTurn{beta});
      // x = x + alpha p, r = r - alpha s, u = u - alpha q, w = w - alpha z
      runner.run(step, PipelinedStep{alpha});
    }
  }
};

}  // namespace

Solver::Solver(Context& context, const Partition& partition, const LocalRows& rows,
               const SolverOptions& options) {
  if (!(options.tolerance > 0 && options.tolerance < 1))
    refuse("tol is " + std::to_string(options.tolerance) + "; allowed is more than 0 and less than 1");
  if (options.pipelined)
    parts_ = std::make_unique<Pipelined>(context, partition, rows, options);
  else
    parts_ = std::make_unique<Plain>(context, partition, rows, options);
}

Solver::~Solver() = default;
Product& Solver::product() { return parts_->product; }

Solution Solver::solve(std::span<const double> right_side, const std::function<void(int, double)>& each) {
  Parts& w = *parts_;
  const int first = w.product.grid().origin().x;
  w.context.together([&] {
    if (static_cast<int>(right_side.size()) != w.product.grid().own().hi.x)
      refuse("a rank was given " + std::to_string(right_side.size()) + " entries of b and owns " +
             std::to_string(w.product.grid().own().hi.x));
  });
  const auto given = [&](int i, int, int) { return right_side[static_cast<std::size_t>(i - first)]; };
  w.b.fill(given);
  w.r.fill(given);
  w.x.fill([](int, int, int) { return 0.0; });
  Runner& runner = w.product.runner();
  runner.run(w.norm_of_b);
  const double norm = std::sqrt(w.sums.reduce(w.norm_of_b.accumulators()));
  Solution solution;
  if (norm == 0) {  // x = 0
    solution.residuals = {0.0};
    solution.converged = true;
    return solution;
  }
  w.iterate(norm, solution, each);
  // |b - A x|
  runner.run(w.take_x);
  w.product.run();
  runner.run(w.distance);
  solution.residual = std::sqrt(w.sums.reduce(w.distance.accumulators())) / norm;
  return solution;
}

std::vector<double> Solver::gathered() const {
  const auto& storage = parts_->x.storage(0);
  const std::vector<std::byte> on_root = gather(storage);
  std::string bytes(reinterpret_cast<const char*>(on_root.data()), on_root.size());
  parts_->context.broadcast(bytes);
  std::vector<double> x(bytes.size() / sizeof(double));
  std::memcpy(x.data(), bytes.data(), bytes.size());
  return x;
}

}  // namespace sc::cg
