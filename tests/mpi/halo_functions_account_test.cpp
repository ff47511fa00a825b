// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// timeout: 120
// label: sanitize
// halo_get_account: bytes by the formula, measured times, and times reported as unknown.
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/mpi/halo_calls.hpp"

namespace {

using namespace sc::test;

constexpr std::int64_t n = 40;

class Accounts : public testing::Test {
 protected:
  Accounts() {
    const std::array<std::int64_t, 1> own{n};
    array_ = halo_array_of(now_.data(), HALO_REAL64, 1, own.data(), 1);
    array_.next = next_.data();
    options_ = halo_options_of(1);
    options_.periodic[0] = 1;
    options_.timeout = 60;
    EXPECT_TRUE(ok(halo_init(&handle, MPI_COMM_WORLD, &array_, 1, &options_)));
  }
  ~Accounts() override { EXPECT_TRUE(ok(halo_finalize(&handle))); }
  halo_account account() const {
    halo_account a{};
    a.size = sizeof a;
    EXPECT_TRUE(ok(halo_get_account(handle, &a)));
    return a;
  }
  halo_handle handle = HALO_NULL;
  const std::int64_t others = ranks() > 1 ? 1 : 0;  // messages of a rank to itself are not counted

 private:
  std::vector<double> now_ = std::vector<double>(n + 2), next_ = now_;
  halo_array array_{};
  halo_options options_{};
};

TEST_F(Accounts, AreEmptyAtFirst) {
  const halo_account a = account();
  EXPECT_EQ(a.messages, 0);
  EXPECT_EQ(a.bytes, 0);
  EXPECT_EQ(a.moving, 0);
  EXPECT_EQ(a.waiting, 0);
  EXPECT_TRUE(std::isnan(a.hidden)) << "nothing has moved";
}

TEST_F(Accounts, OfAnExchangeAreAllMovingAndHideNothing) {
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(ok(halo_exchange(handle)));
  const halo_account a = account();
  EXPECT_EQ(a.messages, 20 * others);
  EXPECT_EQ(a.bytes, 20 * others * static_cast<std::int64_t>(sizeof(double)));
  EXPECT_GT(a.moving, 0);
  EXPECT_NEAR(a.waiting, a.moving, 1e-6 * a.moving);
  EXPECT_NEAR(a.hidden, 0, 1e-6);
}

TEST_F(Accounts, OfOwnSendsSayThatMovingWasNotMeasured) {
  const int up = 1, down = -1;
  for (const int* direction : {&up, &down}) {
    const int back = -*direction;
    halo_request receive = HALO_REQUEST_NULL, send = HALO_REQUEST_NULL;
    ASSERT_TRUE(ok(halo_irecv(handle, &back, nullptr, nullptr, &receive)));
    ASSERT_TRUE(ok(halo_isend(handle, direction, nullptr, nullptr, &send)));
    ASSERT_TRUE(ok(halo_wait(handle, &receive)));
    ASSERT_TRUE(ok(halo_wait(handle, &send)));
  }
  const halo_account a = account();
  EXPECT_EQ(a.bytes, 2 * others * static_cast<std::int64_t>(sizeof(double)));
  EXPECT_GT(a.starting, 0);
  EXPECT_GT(a.waiting, 0);
  EXPECT_TRUE(std::isnan(a.moving));
  EXPECT_TRUE(std::isnan(a.hidden));
}

TEST_F(Accounts, OfStepsAreMeasuredByTheRunsThatGiveUpTheirOverlap) {
  const auto average = [](const halo_box* box, void* const* now, void* const* next, void*) {
    const auto* u = static_cast<const double*>(now[0]) + 1;
    auto* v = static_cast<double*>(next[0]) + 1;
    for (std::int64_t i = box->lo[0]; i < box->hi[0]; ++i) v[i] = 0.5 * (u[i - 1] + u[i + 1]);
  };
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(ok(halo_step(handle, HALO_BOUNDARY_FIRST, average, nullptr)));
  const halo_account a = account();
  EXPECT_EQ(a.bytes > 0, others > 0);
  EXPECT_GT(a.moving, 0);
  EXPECT_FALSE(std::isnan(a.hidden));
}

TEST_F(Accounts, AreOfAProgramCompiledAgainstAnOlderHeaderToo) {
  ASSERT_TRUE(ok(halo_exchange(handle)));
  halo_account a{};
  a.size = offsetof(halo_account, moving);
  a.moving = -7;
  EXPECT_TRUE(ok(halo_get_account(handle, &a)));
  EXPECT_EQ(a.messages, 2 * others);
  EXPECT_EQ(a.moving, -7) << "beyond what it knows nothing is written";
  a.size = 0;
  EXPECT_TRUE(fails(halo_get_account(handle, &a), HALO_ERR_ARGUMENT, "sizeof(halo_account)"));
  EXPECT_TRUE(fails(halo_get_account(handle, nullptr), HALO_ERR_ARGUMENT, "account is null"));
}

}  // namespace
