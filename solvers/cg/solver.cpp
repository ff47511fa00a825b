// SPDX-License-Identifier: Apache-2.0
// Solver: iterates until |b - A x| itself is below the tolerance. It restarts the iteration if only the
// recursive residual is, and reports when restarts no longer help.
#include "solvers/cg/solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "engine/move/output/gather.hpp"
#include "solvers/cg/iteration.hpp"

namespace sc::cg {

namespace {

/// A restart must reduce the residual to this fraction to count as useful.
constexpr double gain = 0.5;

auto scaled_stage(Field<double>& x, Field<double>& z) {
  return Sweep("scale", Scaled{}, SweepOptions{.reduce = Reduce::max}, writes(x.now()), reads(z.now()));
}

std::string fell_back(double residual, int iteration) {
  char text[160];
  std::snprintf(text, sizeof text,
                "the pipelined iteration came to |b - A x| = %.2g |b| at iteration %d and no further: plain "
                "conjugate gradients went on from there",
                residual, iteration);
  return text;
}

}  // namespace

LocalRows keep_own(const LocalRows& rows, const Partition& partition, int rank) {
  for (const std::int64_t c : rows.column)
    if (c < 0 || c >= partition.n())
      refuse("the matrix has a value in column " + std::to_string(c + 1) + " of " +
             std::to_string(partition.n()));
  if (!partition.sends_sums()) return rows;  // whole rows
  std::vector<std::int64_t> weight(static_cast<std::size_t>(partition.n()));
  for (const std::int64_t c : rows.column) ++weight[static_cast<std::size_t>(c)];
  std::vector<char> mine(weight.size());
  for (const auto& [first, last] : partition.columns(rank, weight))
    std::fill(mine.begin() + first, mine.begin() + last, char{1});
  LocalRows kept;
  kept.first = rows.first;
  // Reserves the exact size: growing would need twice the memory.
  const auto count = std::ranges::count_if(
      rows.column, [&](std::int64_t c) { return mine[static_cast<std::size_t>(c)] != 0; });
  kept.column.reserve(static_cast<std::size_t>(count));
  kept.value.reserve(static_cast<std::size_t>(count));
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
  Parts(Context& context, const Partition& partition, const LocalRows& rows, const SolverOptions& options)
      : system(context, partition, rows, options), plain(make_plain(system, rows)) {
    if (options.pipelined) pipelined = make_pipelined(system, rows);
  }

  System system;
  std::unique_ptr<Iteration> plain, pipelined;  // `pipelined` only if requested
  Field<double> best{system.product.grid(), "nearest x"};
  double lowest = 1;  // |b - A x| / |b| of `best`; initially that of x = 0
  decltype(stages::copy(best, system.x)) keep = stages::copy(best, system.x),
                                         go_back = stages::copy(system.x, best);
  decltype(scaled_stage(system.x, best)) scaled = scaled_stage(system.x, best);
  decltype(stages::dot("b b", system.b, system.b)) norm_of_b = stages::dot("b b", system.b, system.b);

  /// b and r = b / 2^exponent, so that no square overflows or underflows; x = 0. Returns |b|.
  double begin(std::span<const double> right_side, int exponent);
  void iterate(Progress& progress);
  /// Sets x to the vector with the smallest residual so far.
  void take_best(Solution& solution);
  /// Scales x back to the units of b.
  void scale_back(int exponent, Solution& solution);
};

double Solver::Parts::begin(std::span<const double> right_side, int exponent) {
  // Two factors, because 2^-exponent may overflow or be subnormal.
  const double half = std::ldexp(1.0, -exponent / 2), rest = std::ldexp(1.0, -exponent - -exponent / 2);
  const Out<double> b = system.b.modify(), r = system.r.modify(), x = system.x.modify(),
                    nearest = best.modify();
  for (std::size_t i = 0; i < right_side.size(); ++i) {
    b.base[i] = r.base[i] = right_side[i] * half * rest;
    x.base[i] = nearest.base[i] = 0;
  }
  lowest = 1;
  system.product.runner().run(norm_of_b);
  return std::sqrt(system.sums.reduce(norm_of_b.accumulators()));
}

void Solver::Parts::iterate(Progress& progress) {
  Solution& solution = progress.solution;
  Iteration* method = pipelined ? pipelined.get() : plain.get();
  for (double before = std::numeric_limits<double>::infinity();;) {
    const bool helps = method->run(progress);
    // r = b - A x
    progress.correct(system.residual());
    solution.converged = progress.reached();
    if (solution.converged) solution.breakdown.clear();
    const double now = progress.residual();
    if (now < lowest) {
      system.product.runner().run(keep);
      lowest = now;
    }
    if (solution.converged || progress.exhausted()) return;
    const bool gained = solution.breakdown.empty() && helps && now <= gain * before;
    if (!gained && (method == plain.get() || progress.indefinite)) {
      solution.stagnated = solution.breakdown.empty();
      return;
    }
    if (!gained) {
      solution.note = fell_back(lowest, solution.iterations());
      solution.breakdown.clear();
      method = plain.get();
      system.product.runner().run(go_back);
      progress.correct(system.residual());
    }
    ++solution.restarts;
    before = gained ? now : std::numeric_limits<double>::infinity();
  }
}

void Solver::Parts::take_best(Solution& solution) {
  solution.residual = solution.residuals.back();
  if (solution.residual <= lowest) return;
  system.product.runner().run(go_back);
  solution.residual = lowest;
}

void Solver::Parts::scale_back(int exponent, Solution& solution) {
  if (exponent == 0) return;
  system.product.runner().run(keep);
  system.product.runner().run(scaled, Scaled{std::ldexp(1.0, exponent)});
  if (std::isfinite(system.sums.reduce(scaled.accumulators()))) return;
  solution.converged = false;
  solution.breakdown = "the solution has entries that are too large for a number";
}

Solver::Solver(Context& context, const Partition& partition, const LocalRows& rows,
               const SolverOptions& options) {
  if (!(options.tolerance > 0 && options.tolerance < 1))
    refuse("tol is " + std::to_string(options.tolerance) + "; allowed is more than 0 and less than 1");
  parts_ = std::make_unique<Parts>(context, partition, rows, options);
}

Solver::~Solver() = default;
Product& Solver::product() { return parts_->system.product; }

Solution Solver::solve(std::span<const double> right_side, const std::function<void(int, double)>& each) {
  Parts& w = *parts_;
  Context& context = w.system.context;
  double largest = 0;
  context.together([&] {
    const int own = w.system.product.grid().own().hi.x;
    if (static_cast<int>(right_side.size()) != own)
      refuse("a rank was given " + std::to_string(right_side.size()) + " entries of b and owns " +
             std::to_string(own));
    for (std::size_t i = 0; i < right_side.size(); ++i) {
      if (!std::isfinite(right_side[i]))
        refuse("entry " + std::to_string(w.system.product.grid().origin().x + static_cast<int>(i) + 1) +
               " of b is not a finite number");
      largest = std::max(largest, std::abs(right_side[i]));
    }
  });
  Ledger& ledger = w.system.product.ledger();
  ledger.open();
  largest = context.max(largest);
  const int exponent = largest > 0 ? std::ilogb(largest) : 0;
  const double norm = w.begin(right_side, exponent);
  Solution solution;
  if (largest == 0) {  // b = 0, so x = 0
    solution.residuals = {0.0};
    solution.converged = true;
  } else {
    Progress progress{w.system, norm, solution, each};
    solution.residuals = {1.0};
    if (each) each(0, 1.0);
    w.iterate(progress);
    w.take_best(solution);
    w.scale_back(exponent, solution);
  }
  if (const std::string note = w.plain->note(); !note.empty())
    solution.note = note + (solution.note.empty() ? "" : "; ") + solution.note;
  ledger.close();
  return solution;
}

std::vector<double> Solver::own() const {
  const In<double> x = parts_->system.x.read();
  std::vector<double> values(static_cast<std::size_t>(parts_->system.x.grid().own().hi.x));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = x.base[i];
  return values;
}

std::vector<double> Solver::gathered() const {
  Storage& storage = parts_->system.x.storage(0);
  const std::vector<std::byte> on_root = gather(storage);
  std::string bytes(reinterpret_cast<const char*>(on_root.data()), on_root.size());
  parts_->system.context.broadcast(bytes);
  std::vector<double> x(bytes.size() / sizeof(double));
  std::memcpy(x.data(), bytes.data(), bytes.size());
  return x;
}

}  // namespace sc::cg
