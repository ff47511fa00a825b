// SPDX-License-Identifier: Apache-2.0
// The NAS kernel CG: the smallest eigenvalue of a random sparse matrix by inverse power iteration; each solve
// is 25 steps of conjugate gradients.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "solvers/cg/makea.hpp"
#include "solvers/cg/product.hpp"

namespace sc::cg {

/// The results of an outer iteration on rank 0: |x - A z| and zeta.
struct OuterIteration {
  int iteration = 0;
  double residual = 0;
  double zeta = 0;
};

/// Equal on all ranks, except `history`.
struct BenchmarkResult {
  std::vector<OuterIteration> history;  ///< on rank 0
  double zeta = 0;
  double error = 0;  ///< |zeta - reference| / |reference|
  bool verified = false;
  double seconds = 0;  ///< on the slowest rank, without matrix generation and the untimed iteration
  double mops = 0;     ///< 10^6 operations per second, by the benchmark's formula
  double sent = 0;     ///< bytes sent by all ranks in the timed products
};

class Benchmark {
 public:
  /// Collective: generates the matrix.
  Benchmark(Context& context, const Class& c, const Settings& settings);
  ~Benchmark();
  Benchmark(const Benchmark&) = delete;
  Benchmark& operator=(const Benchmark&) = delete;

  /// Collective: one untimed outer iteration, then the timed ones. On rank 0, `each` is called with their
  /// results, one iteration late.
  BenchmarkResult run(const std::function<void(const OuterIteration&)>& each = {});

  /// Collective: an outer iteration from the current state, without results. A prediction rehearses it.
  void step();

  Product& product();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Operations of a run, in millions, by the benchmark's formula.
double million_operations(const Class& c);

}  // namespace sc::cg
