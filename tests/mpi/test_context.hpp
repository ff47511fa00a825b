// SPDX-License-Identifier: Apache-2.0
// A Context for the duration of one test: closed at its end on all ranks.
#pragma once

#include "engine/base/context.hpp"

namespace sc::test {

class TestContext : public Context {
 public:
  explicit TestContext(ContextOptions options = {}) : Context(MPI_COMM_WORLD, options) {}
  ~TestContext() { close(); }
};

}  // namespace sc::test
