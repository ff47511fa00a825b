// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// timeout: 120
// label: sanitize
// The halo functions misused: every mistake comes back as a status and a sentence, on every rank, and never
// as a hang; and what isend promises: it waits for nobody, and sub-ranges arrive where they belong.
#include <gtest/gtest.h>
#include <mpi.h>
#include <subcurrent/halo.h>

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

using std::chrono::milliseconds;

int rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}
int ranks() {
  int n = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}

testing::AssertionResult ok(int status) {
  if (status == HALO_OK) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "status " << status << ": " << halo_error_text(status);
}

testing::AssertionResult fails(int status, int expected, const std::string& words) {
  const std::string text = halo_error_text(status);
  if (status == expected && text.find(words) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "status " << status << " (expected " << expected << "): " << text
                                     << " (expected: " << words << ")";
}

constexpr std::int64_t n = 4;  // own cells along x and y

/// A 2-D array of doubles split along dimension 0, a ring of all ranks.
struct Ring {
  explicit Ring(double timeout = 20, int outstanding = 4, int transport = HALO_AUTOMATIC) {
    const std::array<std::int64_t, 2> own{n, n};
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = -1;
    array = halo_array_of(memory.data(), HALO_REAL64, 2, own.data(), 1);
    options = halo_options_of(2);
    options.processes[0] = ranks();
    options.processes[1] = 1;
    options.periodic[0] = 1;
    options.timeout = timeout;
    options.outstanding = outstanding;
    options.transport = transport;
  }
  int init() { return halo_init(&handle, MPI_COMM_WORLD, &array, 1, &options); }
  double& at(std::int64_t x, std::int64_t y) {
    return memory[static_cast<std::size_t>((x + 1) * (n + 2) + y + 1)];
  }

  std::array<double, (n + 2) * (n + 2)> memory;
  halo_array array;
  halo_options options;
  halo_handle handle = HALO_NULL;
};

constexpr std::array<int, 2> up{1, 0}, down{-1, 0}, nowhere{0, 0}, far{2, 0};

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
    {"a halo of 4 layers", HALO_ERR_ARGUMENT, [](Ring& r) { r.array.low[0] = 4; }},
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

/// One rank alone is wrong: the others are told, and nobody waits for anybody.
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

/// Both towards +x, as a loop without opposites would have it: nobody sends what is waited for.
TEST(Misuse, TheSameDirectionAtBothEndsIsATimeoutNotAHang) {
  Ring ring(0.3);
  ASSERT_TRUE(ok(ring.init()));
  halo_request receive = HALO_REQUEST_NULL, send = HALO_REQUEST_NULL, help = HALO_REQUEST_NULL;
  ASSERT_TRUE(ok(halo_irecv(ring.handle, up.data(), nullptr, nullptr, &receive)));
  ASSERT_TRUE(ok(halo_isend(ring.handle, up.data(), nullptr, nullptr, &send)));
  EXPECT_TRUE(fails(halo_wait(ring.handle, &receive), HALO_ERR_TIMEOUT, "receive in direction (1, 0)"));
  EXPECT_NE(receive, HALO_REQUEST_NULL) << "a timeout leaves the request as it was";
  MPI_Barrier(MPI_COMM_WORLD);
  // What was missing puts it right.
  halo_request other = HALO_REQUEST_NULL;
  ASSERT_TRUE(ok(halo_isend(ring.handle, down.data(), nullptr, nullptr, &help)));
  ASSERT_TRUE(ok(halo_irecv(ring.handle, down.data(), nullptr, nullptr, &other)));
  for (halo_request* r : {&receive, &send, &help, &other}) EXPECT_TRUE(ok(halo_wait(ring.handle, r)));
  ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
}

TEST(Misuse, APeerThatNeverFinalisesIsATimeout) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  Ring ring(0.3);
  ASSERT_TRUE(ok(ring.init()));
  if (rank() == 0) {
    EXPECT_TRUE(fails(halo_finalize(&ring.handle), HALO_ERR_TIMEOUT, "have not come to halo_finalize"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

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

/// The face in three parts, all sent before any is waited for, each with the values of its moment.
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

/// The receiver comes late; isend and test return at once, and what arrives is what was there when it was
/// sent.
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

INSTANTIATE_TEST_SUITE_P(Transports, Sends, testing::Values(HALO_AUTOMATIC, HALO_MESSAGES));

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
