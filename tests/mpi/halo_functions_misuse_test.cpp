// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// timeout: 120
// label: sanitize
// Misuse of the halo functions: every error is returned as a status with a sentence, on every rank, and never
// causes a hang.
#include <cstdint>
#include <functional>
#include <vector>

#include "tests/mpi/halo_ring.hpp"

namespace {

using namespace sc::test;

constexpr std::array<int, 2> nowhere{0, 0}, far{2, 0};

struct Mistake {
  const char* words;
  int status;
  std::function<void(Ring&)> make;
};

const std::vector<Mistake> mistakes{
    {"data is null", HALO_ERR_ARGUMENT, [](Ring& r) { r.array.data = nullptr; }},
    {"type is 9", HALO_ERR_ARGUMENT, [](Ring& r) { r.array.type = 9; }},
    {"dims is 5", HALO_ERR_ARGUMENT, [](Ring& r) { r.array.dims = 5; }},
    {"order is 2", HALO_ERR_ARGUMENT, [](Ring& r) { r.array.order = 2; }},
    {"cells is 0", HALO_ERR_ARGUMENT, [](Ring& r) { r.array.cells[1] = 0; }},
    {"a halo of 65 layers", HALO_ERR_ARGUMENT, [](Ring& r) { r.array.low[0] = 65; }},
    {"a halo of -1 layers", HALO_ERR_ARGUMENT, [](Ring& r) { r.array.high[0] = -1; }},
    {"allocated is 5", HALO_ERR_ARGUMENT, [](Ring& r) { r.array.allocated[0] = 5; }},
    {"split is 3", HALO_ERR_ARGUMENT, [](Ring& r) { r.array.split[0] = 3; }},
    {"as dimension 0 is already", HALO_ERR_ARGUMENT, [](Ring& r) { r.array.split[1] = 1; }},
    {"no process dimension", HALO_ERR_ARGUMENT, [](Ring& r) { r.array.split[1] = 0; }},
    {"no array is split over process dimension 3", HALO_ERR_ARGUMENT, [](Ring& r) { r.options.dims = 3; }},
    {"halo_array.size is 8", HALO_ERR_ARGUMENT, [](Ring& r) { r.array.size = 8; }},
    {"halo_options.size is 0", HALO_ERR_ARGUMENT, [](Ring& r) { r.options.size = 0; }},
    {"options.version is 7", HALO_ERR_UNSUPPORTED, [](Ring& r) { r.options.version = 7; }},
    {"options.dims is 0", HALO_ERR_ARGUMENT, [](Ring& r) { r.options.dims = 0; }},
    {"cannot multiply to", HALO_ERR_ARGUMENT, [](Ring& r) { r.options.processes[0] = ranks() + 1; }},
    {"options.processes[0] is -2", HALO_ERR_ARGUMENT, [](Ring& r) { r.options.processes[0] = -2; }},
    {"options.outstanding is 0", HALO_ERR_ARGUMENT, [](Ring& r) { r.options.outstanding = 0; }},
    {"options.transport is 5", HALO_ERR_ARGUMENT, [](Ring& r) { r.options.transport = 5; }},
    {"options.threads is 0", HALO_ERR_ARGUMENT, [](Ring& r) { r.options.threads = 0; }},
    {"options.piece_bytes is 0", HALO_ERR_ARGUMENT, [](Ring& r) { r.options.piece_bytes = 0; }},
};

TEST(Misuse, EveryWrongRegistrationIsNamed) {
  for (const Mistake& mistake : mistakes) {
    Ring ring;
    mistake.make(ring);
    EXPECT_TRUE(fails(ring.init(), mistake.status, mistake.words));
    EXPECT_EQ(ring.handle, HALO_NULL);
  }
}

/// An error on one rank only: the others get it too, and no rank waits for another.
TEST(Misuse, OfOneRankAloneReachesAll) {
  for (const Mistake& mistake : mistakes) {
    Ring ring;
    const int wrong = ranks() - 1;
    if (rank() == wrong) mistake.make(ring);
    if (rank() == wrong)
      EXPECT_TRUE(fails(ring.init(), mistake.status, mistake.words));
    else
      EXPECT_TRUE(fails(ring.init(), HALO_ERR_MISMATCH, "could not be initialised"));
  }
}

TEST(Misuse, SizesThatDisagreeAreFoundAtInit) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  const bool odd = rank() == ranks() - 1;
  struct Difference {
    const char* words;
    std::function<void(Ring&)> make;
  };
  const std::vector<Difference> differences{
      {"low is", [](Ring& r) { r.array.low[0] = 0; }},
      {"type is", [](Ring& r) { r.array.type = HALO_INT64; }},
      {"periodic[1]", [](Ring& r) { r.options.periodic[1] = 1; }},
      {"own cells along process dimension 2", [](Ring& r) { r.array.cells[1] = 3; }},
      {"order is", [](Ring& r) { r.array.order = HALO_FORTRAN_ORDER; }},
  };
  for (const Difference& d : differences) {
    Ring ring;
    if (odd) d.make(ring);
    EXPECT_TRUE(fails(ring.init(), HALO_ERR_MISMATCH, d.words));
  }
  Ring ring;
  if (odd) ring.array.cells[0] = 1;
  ring.array.low[0] = ring.array.high[0] = 2;
  EXPECT_TRUE(fails(ring.init(), HALO_ERR_MISMATCH, "fewer than the halo of 2"));
}

TEST(Misuse, NullsAndDeadHandles) {
  Ring ring;
  halo_request request = HALO_REQUEST_NULL;
  int done = 0;
  EXPECT_TRUE(
      fails(halo_init(nullptr, MPI_COMM_WORLD, &ring.array, 1, &ring.options), HALO_ERR_ARGUMENT, ""));
  EXPECT_TRUE(
      fails(halo_init(&ring.handle, MPI_COMM_WORLD, nullptr, 1, &ring.options), HALO_ERR_ARGUMENT, "array"));
  EXPECT_TRUE(fails(halo_init(&ring.handle, MPI_COMM_WORLD, &ring.array, 0, &ring.options), HALO_ERR_ARGUMENT,
                    "array"));
  EXPECT_TRUE(
      fails(halo_init(&ring.handle, MPI_COMM_WORLD, &ring.array, 1, nullptr), HALO_ERR_ARGUMENT, "options"));
  EXPECT_TRUE(fails(halo_init(&ring.handle, MPI_COMM_NULL, &ring.array, 1, &ring.options), HALO_ERR_MISMATCH,
                    "MPI_COMM_NULL"));
  EXPECT_TRUE(fails(halo_isend(HALO_NULL, up.data(), nullptr, nullptr, &request), HALO_ERR_HANDLE, "null"));
  EXPECT_TRUE(fails(halo_exchange(HALO_NULL), HALO_ERR_HANDLE, "null"));
  EXPECT_TRUE(fails(halo_finalize(nullptr), HALO_ERR_ARGUMENT, "null"));
  EXPECT_TRUE(fails(halo_finalize(&ring.handle), HALO_ERR_HANDLE, "null"));
  ASSERT_TRUE(ok(ring.init()));
  EXPECT_TRUE(fails(halo_isend(ring.handle, nullptr, nullptr, nullptr, &request), HALO_ERR_ARGUMENT,
                    "direction is null"));
  EXPECT_TRUE(fails(halo_isend(ring.handle, up.data(), nullptr, nullptr, nullptr), HALO_ERR_ARGUMENT,
                    "request is null"));
  EXPECT_TRUE(fails(halo_test(ring.handle, &request, &done), HALO_ERR_REQUEST, "HALO_REQUEST_NULL"));
  EXPECT_TRUE(fails(halo_wait(ring.handle, nullptr), HALO_ERR_ARGUMENT, "request is null"));
  EXPECT_TRUE(fails(halo_step(ring.handle, HALO_BLOCKING, nullptr, nullptr), HALO_ERR_ARGUMENT, "callback"));
  const halo_handle copy = ring.handle;
  ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
  EXPECT_EQ(ring.handle, HALO_NULL);
  halo_handle again = copy;
  EXPECT_TRUE(fails(halo_finalize(&again), HALO_ERR_HANDLE, "has been finalised"));
  EXPECT_TRUE(fails(halo_exchange(copy), HALO_ERR_HANDLE, "has been finalised"));
  int not_a_handle = 0;
  EXPECT_TRUE(fails(halo_exchange(reinterpret_cast<halo_handle>(&not_a_handle)), HALO_ERR_HANDLE,
                    "not made by halo_init"));
}

TEST(Misuse, DirectionsRangesAndRequests) {
  Ring ring(20, 2);
  ASSERT_TRUE(ok(ring.init()));
  halo_request request = HALO_REQUEST_NULL, made_up = 12345678;
  EXPECT_TRUE(fails(halo_isend(ring.handle, nowhere.data(), nullptr, nullptr, &request), HALO_ERR_DIRECTION,
                    "nowhere"));
  EXPECT_TRUE(fails(halo_irecv(ring.handle, far.data(), nullptr, nullptr, &request), HALO_ERR_DIRECTION,
                    "direction[0] is 2"));
  const std::array<std::int64_t, 2> lo{0, 2}, hi{0, n + 1}, reversed{0, 1};
  EXPECT_TRUE(
      fails(halo_isend(ring.handle, up.data(), lo.data(), hi.data(), &request), HALO_ERR_RANGE, "2 to 5"));
  EXPECT_TRUE(fails(halo_isend(ring.handle, up.data(), lo.data(), reversed.data(), &request), HALO_ERR_RANGE,
                    "2 to 1"));
  EXPECT_TRUE(
      fails(halo_isend(ring.handle, up.data(), lo.data(), nullptr, &request), HALO_ERR_ARGUMENT, "both"));
  EXPECT_TRUE(fails(halo_wait(ring.handle, &made_up), HALO_ERR_REQUEST, "nothing is under way"));
  std::array<halo_request, 3> sends{}, receives{};
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(
        ok(halo_isend(ring.handle, up.data(), nullptr, nullptr, &sends[static_cast<std::size_t>(i)])));
    ASSERT_TRUE(
        ok(halo_irecv(ring.handle, down.data(), nullptr, nullptr, &receives[static_cast<std::size_t>(i)])));
  }
  EXPECT_TRUE(fails(halo_isend(ring.handle, up.data(), nullptr, nullptr, &sends[2]), HALO_ERR_BUSY,
                    "options.outstanding"));
  EXPECT_TRUE(fails(halo_finalize(&ring.handle), HALO_ERR_BUSY, "still under way"));
  const halo_request copy = sends[0];
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(ok(halo_wait(ring.handle, &receives[static_cast<std::size_t>(i)])));
    ASSERT_TRUE(ok(halo_wait(ring.handle, &sends[static_cast<std::size_t>(i)])));
  }
  EXPECT_EQ(sends[0], HALO_REQUEST_NULL);
  halo_request stale = copy;
  EXPECT_TRUE(fails(halo_wait(ring.handle, &stale), HALO_ERR_REQUEST, "has been waited for"));
  ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
}

/// The engine's grids have one width of halo; halo_exchange takes each dimension's own.
TEST(Misuse, AStepOfBlocksThinnerThanTheWidestHaloIsNamed) {
  Ring ring, copy;
  ring.array.next = copy.memory.data();
  ring.array.cells[0] = 3;
  ring.array.cells[1] = 1;
  ring.array.low[0] = 2;
  ring.array.low[1] = ring.array.high[1] = 0;
  ring.options.periodic[1] = 1;
  ASSERT_TRUE(ok(ring.init()));
  EXPECT_TRUE(ok(halo_exchange(ring.handle)));
  EXPECT_TRUE(fails(halo_step(ring.handle, HALO_BLOCKING, keep_values, nullptr), HALO_ERR_UNSUPPORTED,
                    "a block of 1 cells along process dimension 2 is thinner than the widest halo"));
  EXPECT_TRUE(ok(halo_exchange(ring.handle)));
  ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
}

TEST(Abi, ALaterCallersStructIsReadAsFarAsItIsKnown) {
  struct Later {
    halo_array known;
    double unknown[2];
  };
  Ring ring;
  std::array<Later, 2> later{};
  std::array<double, (n + 2) * (n + 2)> second{};
  for (Later& l : later) {
    l.known = ring.array;
    l.known.size = sizeof(Later);
  }
  later[1].known.data = second.data();
  ASSERT_TRUE(ok(halo_init(&ring.handle, MPI_COMM_WORLD, &later[0].known, 2, &ring.options)));
  for (std::int64_t y = 0; y < n; ++y) second[static_cast<std::size_t>(n * (n + 2) + y + 1)] = 5;
  ASSERT_TRUE(ok(halo_exchange(ring.handle)));
  for (std::int64_t y = 0; y < n; ++y) EXPECT_EQ(second[static_cast<std::size_t>(y + 1)], 5);
  ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
  later[1].unknown[1] = 1;
  EXPECT_TRUE(fails(halo_init(&ring.handle, MPI_COMM_WORLD, &later[0].known, 2, &ring.options),
                    HALO_ERR_UNSUPPORTED, "does not know"));
}

}  // namespace
