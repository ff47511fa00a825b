// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// timeout: 120
// label: sanitize
// halo_allocate: arrays in it are copied directly by their readers; conditions under which they are not; what
// halo_free refuses; errors of one rank reach all. halo_functions_test checks all halos with it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "tests/mpi/halo_calls.hpp"

namespace {

using namespace sc::test;

constexpr std::int64_t n = 6;
constexpr std::int64_t wide = 8;  // a cache line of doubles: shorter rows are packed
constexpr std::size_t bytes = (n + 2) * wide * sizeof(double);

/// A ring of all ranks with n own rows each, in given memory.
struct Ring {
  explicit Ring(void* data, void* next = nullptr, MPI_Comm comm = MPI_COMM_WORLD, std::int64_t row = wide)
      : comm_(comm), row_(row) {
    const std::array<std::int64_t, 2> own{n, row};
    array_ = halo_array_of(data, HALO_REAL64, 2, own.data(), 1);
    array_.next = next;
    array_.split[1] = array_.low[1] = array_.high[1] = 0;
    options_ = halo_options_of(1);
    options_.periodic[0] = 1;
    options_.timeout = 30;
  }
  int init() { return halo_init(&handle, comm_, &array_, 1, &options_); }
  double* data() const {
    void* at = nullptr;
    EXPECT_TRUE(ok(halo_data(handle, 0, &at)));
    return static_cast<double*>(at);
  }
  std::string described() const {
    std::array<char, 4096> text{};
    EXPECT_TRUE(ok(halo_describe(handle, text.data(), text.size())));
    return text.data();
  }
  double* at(std::int64_t i) const { return data() + i * row_; }
  void set(std::int64_t i, double value) const { std::fill_n(at(i), row_, value); }
  /// Sets own rows from their number in the ring and `salt`; halos stay unfilled.
  void fill(double salt) const {
    for (std::int64_t i = 0; i < n; ++i) set(i + 1, salt + static_cast<double>(rank(comm_) * n + i));
    set(0, -1);
    set(n + 1, -1);
  }
  void expect_halos(double salt) const {
    const std::int64_t all = n * ranks(), first = rank(comm_) * n;
    for (std::int64_t c = 0; c < row_; ++c) {
      EXPECT_EQ(at(0)[c], salt + static_cast<double>((first + all - 1) % all));
      EXPECT_EQ(at(n + 1)[c], salt + static_cast<double>((first + n) % all));
    }
  }
  halo_handle handle = HALO_NULL;

 private:
  MPI_Comm comm_;
  std::int64_t row_;
  halo_array array_;
  halo_options options_;
};

void* memory() {
  void* given = nullptr;
  EXPECT_TRUE(ok(halo_allocate(MPI_COMM_WORLD, bytes, &given)));
  return given;
}

TEST(HaloMemory, IsZeroedAlignedAndReadInPlace) {
  void* given = memory();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(given) % 64, 0U);
  for (std::int64_t i = 0; i < (n + 2) * wide; ++i) EXPECT_EQ(static_cast<double*>(given)[i], 0);
  for (const std::int64_t row : {wide, wide - 1}) {  // a row shorter than a cache line is packed
    Ring ring(given, nullptr, MPI_COMM_WORLD, row);
    ASSERT_TRUE(ok(ring.init()));
    EXPECT_EQ(ring.described().find("shared") != std::string::npos, ranks() > 1 && row == wide)
        << ring.described();
    for (int salt = 1; salt <= 50; ++salt) {  // no rank may overwrite cells that another has yet to copy
      ring.fill(salt);
      ASSERT_TRUE(ok(halo_exchange(ring.handle)));
      ring.expect_halos(salt);
    }
    ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
  }
  EXPECT_TRUE(ok(halo_free(&given)));
  EXPECT_EQ(given, nullptr);
}

/// Messages of single directions are buffered: a send completes before its receiver asks for it.
TEST(HaloMemory, LeavesSendsToThemselves) {
  void* given = memory();
  Ring ring(given);
  ASSERT_TRUE(ok(ring.init()));
  ring.fill(1);
  const std::array<int, 1> up{1}, down{-1};
  std::array<halo_request, 2> sends{};
  ASSERT_TRUE(ok(halo_isend(ring.handle, up.data(), nullptr, nullptr, sends.data())));
  ASSERT_TRUE(ok(halo_isend(ring.handle, down.data(), nullptr, nullptr, &sends[1])));
  for (halo_request& send : sends) ASSERT_TRUE(ok(halo_wait(ring.handle, &send)));
  for (std::int64_t i = 1; i <= n; ++i) ring.set(i, -2);
  MPI_Barrier(MPI_COMM_WORLD);
  for (const auto& d : {up, down}) {
    halo_request receive = HALO_REQUEST_NULL;
    ASSERT_TRUE(ok(halo_irecv(ring.handle, d.data(), nullptr, nullptr, &receive)));
    ASSERT_TRUE(ok(halo_wait(ring.handle, &receive)));
  }
  ring.expect_halos(1);
  ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
  EXPECT_TRUE(ok(halo_free(&given)));
}

/// halo_step swaps data and next: the exchange then uses the address of next, in other memory.
TEST(HaloMemory, FollowsHaloStep) {
  std::array<void*, 2> given{memory(), memory()};
  Ring ring(given[0], given[1]);
  ASSERT_TRUE(ok(ring.init()));
  ring.fill(0);
  ASSERT_TRUE(ok(halo_modified(ring.handle)));
  const auto add_one = [](const halo_box* box, void* const now[], void* const next[], void*) {
    for (std::int64_t i = (box->lo[0] + 1) * wide; i < (box->hi[0] + 1) * wide; ++i)
      static_cast<double*>(next[0])[i] = static_cast<double*>(now[0])[i] + 1;
  };
  for (int step = 1; step <= 3; ++step) {
    ASSERT_TRUE(ok(halo_step(ring.handle, HALO_BLOCKING, add_one, nullptr)));
    ASSERT_EQ(ring.data(), given[static_cast<std::size_t>(step % 2)]);
    ring.set(0, -1);
    ring.set(n + 1, -1);
    ASSERT_TRUE(ok(halo_exchange(ring.handle)));
    ring.expect_halos(step);
  }
  ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
  for (void*& each : given) EXPECT_TRUE(ok(halo_free(&each)));
}

/// If not all arrays of all ranks are in such memory, or other ranks allocated it, buffers are used.
TEST(HaloMemory, IsNotNeeded) {
  void* given = memory();
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank(), &reversed);
  std::array<double, (n + 2) * wide> own{};
  for (const auto& [data, comm] :
       {std::pair<void*, MPI_Comm>{rank() == 0 ? own.data() : given, MPI_COMM_WORLD}, {given, reversed}}) {
    Ring ring(data, nullptr, comm);
    ASSERT_TRUE(ok(ring.init()));
    if (ranks() > 1) {
      EXPECT_EQ(ring.described().find("shared"), std::string::npos) << ring.described();
    }
    ring.fill(3);
    ASSERT_TRUE(ok(halo_exchange(ring.handle)));
    ring.expect_halos(3);
    if (ranks() > 1 || data == given) {
      EXPECT_TRUE(fails(halo_free(&given), HALO_ERR_BUSY, "")) << "the handle uses it all the same";
    }
    ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
  }
  for (const bool swapped : {false, true}) {  // only data, or only next
    Ring ring(swapped ? own.data() : given, swapped ? given : own.data());
    ASSERT_TRUE(ok(ring.init()));
    EXPECT_TRUE(fails(halo_free(&given), HALO_ERR_BUSY, "halo_finalize comes first"));
    ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
  }
  MPI_Comm_free(&reversed);
  EXPECT_TRUE(ok(halo_free(&given)));
}

TEST(HaloMemory, RefusesToBeFreedTwiceOrByOthers) {
  void* given = memory();
  void* copy = given;
  void* inside = static_cast<double*>(given) + 1;
  double own = 0;
  void* foreign = &own;
  EXPECT_TRUE(fails(halo_free(nullptr), HALO_ERR_ARGUMENT, "memory is null"));
  EXPECT_TRUE(fails(halo_free(&foreign), HALO_ERR_ARGUMENT, "not given by halo_allocate"));
  EXPECT_EQ(foreign, &own);
  EXPECT_TRUE(fails(halo_free(&inside), HALO_ERR_ARGUMENT, "not given by halo_allocate"));
  EXPECT_TRUE(ok(halo_free(&given)));
  EXPECT_TRUE(fails(halo_free(&given), HALO_ERR_ARGUMENT, "null"));
  EXPECT_TRUE(fails(halo_free(&copy), HALO_ERR_ARGUMENT, "freed already"));
}

TEST(HaloMemory, IsKeptWhileInUse) {
  void* given = memory();
  Ring ring(given);
  ASSERT_TRUE(ok(ring.init()));
  EXPECT_TRUE(fails(halo_free(&given), HALO_ERR_BUSY, "halo_finalize comes first"));
  ring.fill(1);
  const std::array<int, 1> up{1}, down{-1};
  halo_request send = HALO_REQUEST_NULL, receive = HALO_REQUEST_NULL;
  ASSERT_TRUE(ok(halo_isend(ring.handle, up.data(), nullptr, nullptr, &send)));
  EXPECT_TRUE(fails(halo_free(&given), HALO_ERR_BUSY, "halo_finalize comes first"));
  ASSERT_NE(given, nullptr);
  ASSERT_TRUE(ok(halo_irecv(ring.handle, down.data(), nullptr, nullptr, &receive)));
  ASSERT_TRUE(ok(halo_wait(ring.handle, &receive)));
  ASSERT_TRUE(ok(halo_wait(ring.handle, &send)));
  ASSERT_TRUE(ok(halo_finalize(&ring.handle)));
  EXPECT_TRUE(ok(halo_free(&given)));
}

TEST(HaloMemory, TellsAllRanksOfAMistakeOfOne) {
  EXPECT_TRUE(fails(halo_allocate(MPI_COMM_WORLD, bytes, nullptr), HALO_ERR_ARGUMENT, "memory is null"));
  const bool last = rank() == ranks() - 1;
  void* given = &given;
  const int status = halo_allocate(MPI_COMM_WORLD, last ? 0 : bytes, &given);
  EXPECT_TRUE(last ? fails(status, HALO_ERR_ARGUMENT, "bytes is 0")
                   : fails(status, HALO_ERR_MISMATCH, "1 other ranks"));
  EXPECT_EQ(given, nullptr);

  given = memory();
  Ring ring(static_cast<double*>(given) + (last ? 1 : 0));
  EXPECT_TRUE(last ? fails(ring.init(), HALO_ERR_ARGUMENT, "array 0 reaches beyond")
                   : fails(ring.init(), HALO_ERR_MISMATCH, "another rank"));
  EXPECT_TRUE(ok(halo_free(&given)));
}

}  // namespace
