// SPDX-License-Identifier: Apache-2.0
// optimise: no
// Batches of copies between files and memory. Faults of files are in scratch_faults_test.cpp.
#include "engine/move/stream/file_memory.hpp"

#include <malloc.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "engine/base/error.hpp"
#include "tests/unit/stream_files.hpp"

namespace sc {
namespace {

using test::ScratchFolder;

/// Kilobytes in large pages of the mapping that begins at an address.
int large_kilobytes(const void* begin) {
  std::ostringstream hexadecimal;
  hexadecimal << std::hex << reinterpret_cast<std::uintptr_t>(begin) << '-';
  std::ifstream mappings("/proc/self/smaps");
  bool found = false;
  for (std::string line; std::getline(mappings, line);) {
    if (line.starts_with(hexadecimal.str())) found = true;
    if (found && line.starts_with("AnonHugePages:")) return std::stoi(line.substr(14));
  }
  return 0;
}

// Each batch is awaited separately, and an error affects its own batch only.
TEST(FarMemories, EndBatchesInTheirOrder) {
  for (const IoMode mode : {IoMode::automatic, IoMode::sqpoll, IoMode::threads, IoMode::blocking}) {
    ScratchFolder folder;
    const std::size_t bytes = 8192;
    FileMemory memory(
        {.folder = folder.path(), .mode = mode, .outcome = [](const FileRequest& r, std::int64_t result) {
           return r.write && r.offset == 2 * 8192 ? -EIO : result;
         }});
    const int array = memory.add("array", 8 * bytes);
    const FarMemory::Buffer near = memory.allocate(8 * bytes);
    std::memset(near.get(), 1, 8 * bytes);
    std::int64_t last = 0;
    for (std::size_t n = 0; n < 8; ++n) {
      const FarPart part{array, static_cast<std::int64_t>(n * bytes), near.get() + n * bytes, bytes};
      last = memory.start(Way::out, {&part, 1});
      EXPECT_EQ(last, static_cast<std::int64_t>(n) + 1);
    }
    memory.wait(Way::out, 2);
    EXPECT_GE(memory.bytes(Way::out), static_cast<std::int64_t>(2 * bytes));
    memory.wait(Way::out, 1);  // has completed
    // After an error the caller may free the memory of all batches.
    EXPECT_THROW(memory.wait(Way::out, 7), Error);
    EXPECT_GE(memory.bytes(Way::out), static_cast<std::int64_t>(6 * bytes));
    memory.wait(Way::out, last);
    EXPECT_TRUE(memory.test(Way::out));
    EXPECT_EQ(memory.bytes(Way::out), static_cast<std::int64_t>(7 * bytes));
  }
}

// Parts are joined only if they are adjacent in the file and in memory, and each byte gets to its place.
TEST(FarMemories, JoinPartsThatContinueEachOther) {
  for (const IoMode mode : {IoMode::automatic, IoMode::sqpoll, IoMode::threads, IoMode::blocking}) {
    ScratchFolder folder;
    constexpr std::size_t page = FileMemory::page;
    int requests = 0;
    FileMemory memory(
        {.folder = folder.path(), .mode = mode, .outcome = [&](const FileRequest&, std::int64_t result) {
           ++requests;
           return result;
         }});
    const int array = memory.add("array", 5 * page), other = memory.add("other", page);
    const FarMemory::Buffer near = memory.allocate(7 * page);
    for (std::size_t n = 0; n < 7; ++n) std::memset(near.get() + n * page, static_cast<int>(n), page);
    const auto part = [&](int in, std::size_t to, std::size_t from) {
      return FarPart{in, static_cast<std::int64_t>(to * page), near.get() + from * page, page};
    };
    // Two that are adjacent; one elsewhere in memory, and the next one; one elsewhere in the file; another
    // file.
    const std::array parts{part(array, 0, 0), part(array, 1, 1), part(array, 2, 3),
                           part(array, 3, 4), part(array, 4, 6), part(other, 0, 5)};
    memory.start(Way::out, parts);
    memory.wait(Way::out);
    EXPECT_EQ(requests, 4);
    EXPECT_EQ(memory.bytes(Way::out), static_cast<std::int64_t>(6 * page));
    const std::array all{FarPart{array, 0, near.get(), 5 * page}, part(other, 0, 5)};
    memory.start(Way::in, all);
    memory.wait(Way::in);
    const std::array<int, 6> expected{0, 1, 3, 4, 6, 5};
    for (std::size_t n = 0; n < 6 * page; ++n)
      ASSERT_EQ(static_cast<int>(near.get()[n]), expected[n / page]) << "byte " << n;
  }
}

// A disk is slower with small pages, which memory that was freed before still has.
TEST(FarMemories, AreInLargePagesWhereOthersWereBefore) {
  constexpr std::size_t bytes = std::size_t{4} << 20;
  ScratchFolder folder;
  FileMemory memory({.folder = folder.path()});
  const auto filled = [&] {
    FarMemory::Buffer near = memory.allocate(bytes);
    std::memset(near.get(), 1, bytes);
    return near;
  };
  const FarMemory::Buffer unused = filled();
  if (large_kilobytes(unused.get()) == 0) GTEST_SKIP() << "no large pages here";
  // Freed memory stays with the process.
  if (mallopt(M_MMAP_THRESHOLD, 32 << 20) == 0 || mallopt(M_TRIM_THRESHOLD, 1 << 30) == 0)
    GTEST_SKIP() << "the allocator is that of a sanitizer";
  void* volatile small = std::malloc(4 * bytes);  // volatile: or the compiler leaves it out
  ASSERT_NE(small, nullptr);
  std::memset(small, 1, 4 * bytes);
  std::free(small);
  const FarMemory::Buffer used = filled();
  EXPECT_GT(large_kilobytes(used.get()), 0);
}

}  // namespace
}  // namespace sc
