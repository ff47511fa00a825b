// SPDX-License-Identifier: Apache-2.0
// The NAS kernel CG: the smallest eigenvalue of a random sparse matrix by inverse power iteration, each solve
// 25 steps of conjugate gradients.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solvers/cg/makea.hpp"
#include "solvers/cg/product.hpp"

namespace sc::cg {

/// One outer iteration as rank 0 knows it: |x - A z| and zeta.
struct OuterIteration {
  int iteration = 0;
  double residual = 0;
  double zeta = 0;
};

/// The same on all ranks, but for `history`.
struct BenchmarkResult {
  std::vector<OuterIteration> history;  ///< on rank 0
  double zeta = 0;
  double error = 0;  ///< |zeta - reference| / |reference|
  bool verified = false;
  double seconds = 0;  ///< of the slowest rank, without matrix and untimed iteration
  double mops = 0;     ///< 10^6 operations a second by the benchmark's formula
  double sent = 0;     ///< bytes of all ranks in the timed products
};

class Benchmark {
 public:
  /// Collective: makes the matrix.
  Benchmark(Context& context, const Class& c, const Settings& settings);
  ~Benchmark();
  Benchmark(const Benchmark&) = delete;
  Benchmark& operator=(const Benchmark&) = delete;

  /// Collective: one untimed outer iteration, then the timed ones. `each` is told on rank 0 what came out of
  /// them, one iteration late.
  BenchmarkResult run(const std::function<void(const OuterIteration&)>& each = {});

  /// Collective: an outer iteration from where it stands; nothing comes out of it. What a prediction
  /// rehearses.
  void step();

  Product& product();
  const Class& parameters() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Operations of a run, in millions, as the benchmark counts them.
double million_operations(const Class& c);

}  // namespace sc::cg
