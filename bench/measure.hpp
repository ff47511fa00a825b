// SPDX-License-Identifier: Apache-2.0
// The measurement method of all benchmarks: the ways to be compared take turns in one process, so that other
// programs disturb all equally. Results are ratios of medians.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/context.hpp"
#include "engine/base/mpi_check.hpp"
#include "engine/exec/row_trial.hpp"

namespace sc::bench {

/// One way: the timed function, and functions before and after it that are not timed.
struct Way {
  std::string name;
  std::function<void()> run;
  std::function<void()> before = [] {};
  std::function<void()> after = [] {};
  std::vector<double> seconds = {};
  /// CPU seconds, which exclude the time of other programs. For ways with one thread only: the kernel updates
  /// the CPU time of running threads at its ticks (4 ms).
  std::vector<double> busy = {};
};

/// Runs of a stage after which it has chosen its order of rows: before, it tries orders, and the slower ones
/// would be measured, too.
constexpr int until_rows_chosen = RowTrial::first_runs;

inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// The median; or the quantile given in SUBCURRENT_BENCH_QUANTILE, of which smaller values suppress
/// disturbances by other programs.
inline double median(std::vector<double> values) {
  const char* text = std::getenv("SUBCURRENT_BENCH_QUANTILE");
  const double share = text ? std::clamp(std::atof(text), 0.0, 1.0) : 0.5;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * double(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}
inline double median(const Way& way) { return median(way.seconds); }
inline double ratio(const Way& a, const Way& b) { return median(a) / median(b); }

/// Collective: `turns` turns of every way after `warm` turns that do not count. Records the time of the
/// slowest rank, from a barrier on. The first way changes from turn to turn, so that no way always follows
/// the same one.
inline void take_turns(Context& context, std::vector<Way>& ways, int turns, int warm = 1) {
  for (int n = -warm; n < turns; ++n)
    for (std::size_t k = 0; k < ways.size(); ++k) {
      Way& way = ways[(k + static_cast<std::size_t>(n + warm)) % ways.size()];
      way.before();
      context.barrier();
      const double begin = context.timeline().now(), cpu = cpu_seconds();
      way.run();
      double seconds = context.timeline().now() - begin;
      const double busy = cpu_seconds() - cpu;
      way.after();
      mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, context.comm()));
      if (n < 0) continue;
      way.seconds.push_back(seconds);
      way.busy.push_back(busy);
    }
}

/// Prints the line that bench/run.py collects: a name, the result, and its goal.
inline void report(const std::string& name, double figure, const std::string& goal) {
  std::printf("result: %s: %.4g (%s)\n", name.c_str(), figure, goal.c_str());
}

}  // namespace sc::bench
