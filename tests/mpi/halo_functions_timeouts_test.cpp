// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// timeout: 120
// timed: yes
// label: sanitize
// Ranks that never come to a call of the halo functions: the others have a timeout with a sentence, and
// neither hang nor abort then or later.
#include <cstdint>

#include "tests/mpi/halo_ring.hpp"

namespace {

using namespace sc::test;

/// Both towards +x, as in a loop that forgets opposite directions: no rank sends the awaited message.
TEST(Timeouts, TheSameDirectionAtBothEndsIsATimeoutNotAHang) {
  Ring ring(0.3);
  ASSERT_TRUE(ok(ring.init()));
  halo_request receive = HALO_REQUEST_NULL, send = HALO_REQUEST_NULL, help = HALO_REQUEST_NULL;
  ASSERT_TRUE(ok(halo_irecv(ring.handle, up.data(), nullptr, nullptr, &receive)));
  ASSERT_TRUE(ok(halo_isend(ring.handle, up.data(), nullptr, nullptr, &send)));
  EXPECT_TRUE(fails(halo_wait(ring.handle, &receive), HALO_ERR_TIMEOUT, "receive in direction (1, 0)"));
  EXPECT_NE(receive, HALO_REQUEST_NULL) << "a timeout leaves the request as it was";
  MPI_Barrier(MPI_COMM_WORLD);
  // The missing calls complete the exchange.
  halo_request other = HALO_REQUEST_NULL;
  ASSERT_TRUE(ok(halo_isend(ring.handle, down.data(), nullptr, nullptr, &help)));
  ASSERT_TRUE(ok(halo_irecv(ring.handle, down.data(), nullptr, nullptr, &other)));
  for (halo_request* r : {&receive, &send, &help, &other}) EXPECT_TRUE(ok(halo_wait(ring.handle, r)));
  ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
}

/// A rank that calls later does not hang either.
TEST(Timeouts, APeerThatNeverComesToHaloInitIsATimeout) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  Ring ring(0.3);
  for (const bool late : {false, true}) {
    if (late == (rank() > 0)) {
      EXPECT_TRUE(fails(halo_init(&ring.handle, comm, &ring.array, 1, &ring.options), HALO_ERR_TIMEOUT,
                        "have not come to halo_init"));
      EXPECT_EQ(ring.handle, HALO_NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// A rank that calls after another has timed out does not wait forever.
TEST(Timeouts, APeerThatNeverFinalisesIsATimeout) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  Ring ring(0.3);
  ASSERT_TRUE(ok(ring.init()));
  for (const bool late : {false, true}) {
    if (late == (rank() > 0)) {
      EXPECT_TRUE(fails(halo_finalize(&ring.handle), HALO_ERR_TIMEOUT, "have not come to halo_finalize"));
      EXPECT_EQ(ring.handle, HALO_NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// One rank makes a step more than the others. No call aborts the program or waits for ever afterwards.
TEST(Timeouts, AStepOfOneRankAloneIsATimeout) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  Ring ring(0.3), copy;
  ring.array.next = copy.memory.data();
  ASSERT_TRUE(ok(ring.init()));
  for (int step = 0; step < 3; ++step)
    ASSERT_TRUE(ok(halo_step(ring.handle, HALO_BLOCKING, keep_values, nullptr)));
  if (rank() == 0) {
    EXPECT_TRUE(
        fails(halo_step(ring.handle, HALO_BLOCKING, keep_values, nullptr), HALO_ERR_TIMEOUT, "has waited"));
    EXPECT_TRUE(fails(halo_step(ring.handle, HALO_BLOCKING, keep_values, nullptr), HALO_ERR_BUSY,
                      "only halo_finalize"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_TRUE(fails(halo_finalize(&ring.handle), HALO_ERR_TIMEOUT, "this handle is given up"));
  EXPECT_EQ(ring.handle, HALO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// A first halo_step makes its exchanges, for which all ranks are needed.
TEST(Timeouts, AFirstStepWithoutOneRankIsATimeout) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  for (const int transport : {HALO_AUTOMATIC, HALO_MESSAGES}) {
    Ring ring(rank() == 0 ? 0.3 : 0.2, 4, transport), copy;  // the longest holds
    ring.array.next = copy.memory.data();
    ASSERT_TRUE(ok(ring.init()));
    if (rank() == 1)
      EXPECT_TRUE(fails(halo_step(ring.handle, HALO_BLOCKING, nullptr, nullptr), HALO_ERR_ARGUMENT, "null"));
    else
      EXPECT_TRUE(fails(halo_step(ring.handle, HALO_BLOCKING, keep_values, nullptr), HALO_ERR_TIMEOUT,
                        "has waited 0.3"));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_TRUE(fails(halo_finalize(&ring.handle), HALO_ERR_TIMEOUT, "this handle is given up"));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// The timeout is that of the latest handle with arrays in it.
TEST(Timeouts, APeerThatNeverFreesIsATimeout) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  Ring ring(0.3);
  void* memory = nullptr;
  ASSERT_TRUE(ok(halo_allocate(MPI_COMM_WORLD, sizeof ring.memory, &memory)));
  ring.array.data = memory;
  ASSERT_TRUE(ok(ring.init()));
  ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
  const std::array<void*, 1> copy{memory};
  for (const bool late : {false, true}) {
    if (late == (rank() > 0)) {
      EXPECT_TRUE(fails(halo_free(&memory), HALO_ERR_TIMEOUT, "0.3"));
      EXPECT_EQ(memory, nullptr);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void* again = copy[0];
  EXPECT_TRUE(fails(halo_free(&again), HALO_ERR_ARGUMENT, "freed already"));
}

}  // namespace
