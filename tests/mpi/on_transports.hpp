// SPDX-License-Identifier: Apache-2.0
// A test suite for all transports between ranks.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/base/context.hpp"

namespace sc::test {

class OnTransport : public testing::TestWithParam<TransportPolicy> {
 protected:
  explicit OnTransport(double delay = 0)
      : context(std::make_unique<Context>(MPI_COMM_WORLD,
                                          ContextOptions{.transport = GetParam(), .delay = delay})) {}
  void TearDown() override { context->close(); }
  std::unique_ptr<Context> context;
};

inline const auto all_transports =
    testing::Values(TransportPolicy::automatic, TransportPolicy::mpi, TransportPolicy::delayed);

inline std::string policy_name(const testing::TestParamInfo<TransportPolicy>& policy) {
  return policy.param == TransportPolicy::automatic ? "automatic"
         : policy.param == TransportPolicy::mpi     ? "mpi"
                                                    : "delayed";
}

}  // namespace sc::test
