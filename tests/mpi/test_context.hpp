// SPDX-License-Identifier: Apache-2.0
// Contexts of tests: of all ranks for the duration of one test, and of one rank for the duration of a call.
#pragma once

#include "engine/base/context.hpp"

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

}  // namespace sc::test
