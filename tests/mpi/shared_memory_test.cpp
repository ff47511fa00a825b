// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// label: sanitize
// Memory shared by the ranks of a node: of any size, as long as any rank uses it, or on no rank.
#include "engine/base/shared_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdint>

#include "engine/base/arena.hpp"
#include "engine/base/error.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

std::byte pattern(int rank, std::size_t at) { return static_cast<std::byte>(1 + rank * 40 + at % 37); }

std::size_t bytes_of(int rank, std::size_t unit) {
  return unit * static_cast<std::size_t>(rank + 1) + static_cast<std::size_t>(rank);
}

TEST(SharedMemory, IsSeenByAllAndOutlivesWhoBroughtIt) {
  TestContext context;
  const int rank = context.rank(), ranks = context.size();
  for (const std::size_t unit : {std::size_t{1}, std::size_t{5000}, std::size_t{3} << 20}) {
    std::string reason;
    auto memory = SharedMemory::bring(context.comm(), bytes_of(rank, unit), reason);
    ASSERT_TRUE(memory) << reason;
    const auto bytes = static_cast<std::ptrdiff_t>(bytes_of(rank, unit));
    EXPECT_EQ(std::count(memory->of(rank), memory->of(rank) + bytes, std::byte{}), bytes);
    for (std::ptrdiff_t i = 0; i < bytes; ++i)
      memory->of(rank)[i] = pattern(rank, static_cast<std::size_t>(i));
    context.barrier();
    if (rank == ranks - 1 && ranks > 1) memory.reset();
    context.barrier();
    for (int other = 0; memory && other < ranks; ++other) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->of(other)) % 4096, 0U);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < bytes_of(other, unit); ++i)
        wrong += memory->of(other)[i] != pattern(other, i);
      EXPECT_EQ(wrong, 0U) << other;
    }
  }
}

/// During its lifetime, files on one of the ranks are limited: RLIMIT_NOFILE, how many can be open, or
/// RLIMIT_FSIZE, how large they can become.
struct FewFiles {
  using Limit = decltype(RLIMIT_NOFILE);
  FewFiles(Limit kind, rlim_t value, bool here) : limit(kind) {
    std::signal(SIGXFSZ, SIG_IGN);  // an error is wanted, which the caller meets
    getrlimit(limit, &before);
    if (!here) return;
    rlimit less = before;
    less.rlim_cur = value;
    setrlimit(limit, &less);
  }
  ~FewFiles() { setrlimit(limit, &before); }
  Limit limit;
  rlimit before{};
};

TEST(SharedMemory, IsThereOnAllRanksOrNone) {
  TestContext context;
  const bool last = context.rank() == context.size() - 1;
  std::string reason;
  {
    const FewFiles here(RLIMIT_NOFILE, 3, last);
    EXPECT_FALSE(SharedMemory::bring(context.comm(), 100, reason));
  }
  if (last) {
    EXPECT_NE(reason.find("Too many open files"), std::string::npos) << reason;
  }
}

TEST(SharedMemory, WithoutItAContextTakesMessagesOrRefuses) {
  for (const TransportPolicy policy : {TransportPolicy::automatic, TransportPolicy::shared}) {
    TestContext context({.transport = policy});
    if (!context.shared_memory()) continue;  // one rank on each node
    // Files can still be opened: the sanitizers check objects through a pipe.
    const FewFiles here(RLIMIT_FSIZE, 0, context.rank() == 0);
    Arena arena(context);
    if (policy == TransportPolicy::automatic) {
      EXPECT_NE(arena.allocate(1000, 1).data, nullptr);
      EXPECT_FALSE(context.shared_memory());
    } else {
      EXPECT_THROW(arena.allocate(1000, 1), Error);
    }
  }
}

}  // namespace
}  // namespace sc::test
