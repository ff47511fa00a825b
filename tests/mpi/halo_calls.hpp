// SPDX-License-Identifier: Apache-2.0
// Common parts of the tests of the halo functions: the rank, and the expected result of a call.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>
#include <subcurrent/halo.h>

#include <string>

namespace sc::test {

inline int rank(MPI_Comm comm = MPI_COMM_WORLD) {
  int r = 0;
  MPI_Comm_rank(comm, &r);
  return r;
}
inline int ranks() {
  int n = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}

/// Fails with the library's error text.
inline testing::AssertionResult ok(int status) {
  if (status == HALO_OK) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "status " << status << ": " << halo_error_text(status);
}

inline testing::AssertionResult fails(int status, int expected, const std::string& words) {
  const std::string text = halo_error_text(status);
  if (status == expected && text.find(words) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "status " << status << " (expected " << expected << "): " << text
                                     << " (expected: " << words << ")";
}

}  // namespace sc::test
