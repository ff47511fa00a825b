// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// timeout: 120
// optimise: no
// label: sanitize
// Guarantees of halo_isend: it does not wait for other ranks, and sub-ranges arrive at their positions.
#include <chrono>
#include <cstdint>
#include <thread>

#include "tests/mpi/halo_ring.hpp"

namespace {

using namespace sc::test;
using std::chrono::milliseconds;

class Sends : public testing::TestWithParam<int> {};  // transport

TEST_P(Sends, SubRangesThatDisagreeAreAnError) {
  Ring ring(20, 4, GetParam());
  ASSERT_TRUE(ok(ring.init()));
  const std::array<std::int64_t, 2> lo{0, 1}, hi{0, 3}, less{0, 2};
  halo_request receive = HALO_REQUEST_NULL, send = HALO_REQUEST_NULL;
  ASSERT_TRUE(ok(halo_irecv(ring.handle, down.data(), lo.data(), less.data(), &receive)));
  ASSERT_TRUE(ok(halo_isend(ring.handle, up.data(), lo.data(), hi.data(), &send)));
  EXPECT_TRUE(fails(halo_wait(ring.handle, &receive), HALO_ERR_MISMATCH, "16 bytes"));
  EXPECT_EQ(receive, HALO_REQUEST_NULL);
  EXPECT_TRUE(ok(halo_wait(ring.handle, &send)));
  EXPECT_TRUE(ok(halo_exchange(ring.handle))) << "the handle is as good as before";
  ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
}

/// The face in three parts, all sent before any is awaited, each with the values at the time of its send.
TEST_P(Sends, SubRangesTravelOneBehindTheOther) {
  Ring ring(20, 4, GetParam());
  ASSERT_TRUE(ok(ring.init()));
  const std::array<std::int64_t, 4> cuts{0, 1, 3, 4};
  for (int round = 0; round < 3; ++round) {
    std::array<halo_request, 3> sends{}, receives{};
    for (std::size_t part = 0; part < 3; ++part) {
      const std::array<std::int64_t, 2> lo{0, cuts[part]}, hi{0, cuts[part + 1]};
      for (std::int64_t y = 0; y < n; ++y)
        ring.at(n - 1, y) = 1000 * rank() + 100 * round + 10 * double(part) + double(y);
      ASSERT_TRUE(ok(halo_irecv(ring.handle, down.data(), lo.data(), hi.data(), &receives[part])));
      ASSERT_TRUE(ok(halo_isend(ring.handle, up.data(), lo.data(), hi.data(), &sends[part])));
      ASSERT_TRUE(ok(halo_wait(ring.handle, &sends[part])));  // from here on the cells may be overwritten
    }
    for (std::size_t part = 0; part < 3; ++part) ASSERT_TRUE(ok(halo_wait(ring.handle, &receives[part])));
    const int below = (rank() + ranks() - 1) % ranks();
    for (std::int64_t y = 0; y < n; ++y) {
      const double part = y < 1 ? 0 : y < 3 ? 1 : 2;
      EXPECT_EQ(ring.at(-1, y), 1000 * below + 100 * round + 10 * part + double(y)) << "round " << round;
    }
    EXPECT_EQ(ring.at(-1, -1), -1);
    EXPECT_EQ(ring.at(-1, n), -1);
  }
  ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
}

/// The receiver is late: isend and test return immediately, and the received values are those at the time of
/// the send.
TEST_P(Sends, WaitForNobody) {
  Ring ring(20, 4, GetParam());
  ASSERT_TRUE(ok(ring.init()));
  const auto late = milliseconds(200);
  const int below = (rank() + ranks() - 1) % ranks();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() % 2 == 1) std::this_thread::sleep_for(late);
  std::array<halo_request, 4> sends{}, receives{};
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::int64_t y = 0; y < n; ++y) ring.at(n - 1, y) = 100 * rank() + double(i);
    ASSERT_TRUE(ok(halo_isend(ring.handle, up.data(), nullptr, nullptr, &sends[i])));
    int done = 0;
    ASSERT_TRUE(ok(halo_test(ring.handle, &sends[i], &done)));
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took, late / 2);
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(ok(halo_irecv(ring.handle, down.data(), nullptr, nullptr, &receives[i])));
    ASSERT_TRUE(ok(halo_wait(ring.handle, &receives[i])));
    for (std::int64_t y = 0; y < n; ++y) EXPECT_EQ(ring.at(-1, y), 100 * below + double(i));
  }
  for (halo_request& send : sends) {
    if (send == HALO_REQUEST_NULL) continue;
    ASSERT_TRUE(ok(halo_wait(ring.handle, &send)));
  }
  ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
}

/// The second send may end first; the third uses the buffer of the first.
TEST_P(Sends, AreAwaitedTheOldestFirst) {
  Ring ring(20, 2, GetParam());
  ASSERT_TRUE(ok(ring.init()));
  std::array<halo_request, 3> sends{}, receives{};
  const auto send = [&](std::size_t i) {
    return halo_isend(ring.handle, up.data(), nullptr, nullptr, &sends[i]);
  };
  for (const std::size_t i : {0U, 1U}) {
    ASSERT_TRUE(ok(send(i)));
    ASSERT_TRUE(ok(halo_irecv(ring.handle, down.data(), nullptr, nullptr, &receives[i])));
  }
  for (const std::size_t i : {0U, 1U}) ASSERT_TRUE(ok(halo_wait(ring.handle, &receives[i])));
  ASSERT_TRUE(ok(halo_wait(ring.handle, &sends[1])));
  EXPECT_TRUE(fails(send(2), HALO_ERR_BUSY, "started 2 before this one"));
  ASSERT_TRUE(ok(halo_wait(ring.handle, sends.data())));
  ASSERT_TRUE(ok(send(2)));
  ASSERT_TRUE(ok(halo_irecv(ring.handle, down.data(), nullptr, nullptr, &receives[2])));
  ASSERT_TRUE(ok(halo_wait(ring.handle, &receives[2])));
  ASSERT_TRUE(ok(halo_wait(ring.handle, &sends[2])));
  ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
}

INSTANTIATE_TEST_SUITE_P(Transports, Sends, testing::Values(HALO_AUTOMATIC, HALO_MESSAGES));

}  // namespace
