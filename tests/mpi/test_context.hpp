// SPDX-License-Identifier: Apache-2.0
// Contexts of tests: of all ranks for the duration of one test, and of one rank for the duration of a call;
// the strategies that a context allows.
#pragma once

#include <vector>

#include "engine/base/context.hpp"
#include "engine/plan/strategy.hpp"

namespace sc::test {

class TestContext : public Context {
 public:
  explicit TestContext(ContextOptions options = {}) : Context(MPI_COMM_WORLD, options) {}
  ~TestContext() { close(); }
};

/// What `run` returns in a context of this rank alone.
template <class Run>
auto on_one_rank(Run&& run) {
  Context alone(MPI_COMM_SELF);
  auto result = run(alone);
  alone.close();
  return result;
}

/// The strategies with an order of their own that compute with all threads of a rank, as on devices and in
/// transforms.
inline std::vector<Strategy> undivided_strategies() {
  std::vector<Strategy> all;
  for (const Strategy* s : Strategy::all())
    if (!s->chooses && !s->divides_threads) all.push_back(*s);
  return all;
}
/// All with an order of their own that a runner on so many threads takes.
inline std::vector<Strategy> all_strategies(int threads) {
  std::vector<Strategy> all;
  for (const Strategy* s : Strategy::all()) {
    if (s->chooses) continue;
    all.push_back(*s);
    if (s->divides_threads && threads > 1) all.push_back(s->not_joining());
  }
  return all;
}
inline std::vector<Strategy> all_strategies(const Context& context) {
  return context.device() ? undivided_strategies() : all_strategies(context.threads());
}

}  // namespace sc::test
