// SPDX-License-Identifier: Apache-2.0
// optimise: no
// Faults of scratch files: each leads to the right answer or to one sentence with Exit::storage.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_stream.hpp"
#include "tests/refusal.hpp"
#include "tests/unit/stream_files.hpp"

namespace sc {
namespace {

using test::ScratchFolder;
namespace fs = std::filesystem;

constexpr std::size_t plane = 12 << 10;
constexpr int planes = 12, pieces = 4;

using Outcome = std::function<std::int64_t(const FileRequest&, std::int64_t)>;

class Faults : public testing::TestWithParam<IoMode> {
 protected:
  /// Adds 1 to every byte of an array, twice. Returns "right", or the error message.
  std::string add_twice(const Outcome& outcome, const std::function<void(FileMemory&)>& between = {}) {
    FileMemory memory({.folder = folder.path(), .mode = GetParam(), .outcome = outcome});
    FarArray a(memory, "vorticity", planes, plane, pieces);
    std::vector<std::byte> values(planes * plane, std::byte{5});
    try {
      a.store(0, planes, values.data());
      armed = true;
      const StreamPhase phase{{&a, Mode::update}};
      const std::size_t bytes = SlabStream::slot_bytes(phase);
      SlabStream stream(memory, bytes, memory.batches_ahead(bytes));
      for (int n = 0; n < 2; ++n) {
        if (n == 1 && between) {
          stream.finish();
          between(memory);
        }
        stream.run(phase, [&](const Slot& slot) {
          for (int z = slot.lo(); z < slot.hi(); ++z)
            for (std::size_t i = 0; i < plane; ++i)
              slot.plane(0, z)[i] = std::byte(std::to_integer<int>(slot.plane(0, z)[i]) + 1);
        });
      }
      stream.finish();
      a.load(0, planes, values.data());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Exit::storage);
      const std::string text = error.what();
      EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0);
      EXPECT_NE(text.find("\"vorticity\""), std::string::npos) << text;
      return text;
    }
    for (std::byte b : values)
      if (b != std::byte{7}) return "wrong values";
    return "right";
  }
  ScratchFolder folder;
  std::atomic<bool> armed = false;
};

TEST_P(Faults, NoneIsRight) { EXPECT_EQ(add_twice({}), "right"); }

TEST_P(Faults, ShortTransfersGoOn) {
  int shortened = 0;
  const std::string end = add_twice([&](const FileRequest& r, std::int64_t result) -> std::int64_t {
    if (result <= 8192) return result;
    ++shortened;
    return r.write ? 4096 : 8192 + 100;  // a partly transferred block is transferred again
  });
  EXPECT_EQ(end, "right");
  EXPECT_GT(shortened, 10);
}

TEST_P(Faults, InterruptedCallsAreRepeated) {
  int calls = 0;
  EXPECT_EQ(add_twice([&](const FileRequest&, std::int64_t result) {
              return ++calls % 2 == 0 ? -EINTR : calls % 5 == 0 ? -EAGAIN : result;
            }),
            "right");
  EXPECT_GT(calls, 30);
}

TEST_P(Faults, AnUnreadableSectorIsNamed) {
  int reads = 0;
  const std::string end = add_twice([&](const FileRequest& r, std::int64_t result) {
    return armed && !r.write && ++reads == 3 ? -EIO : result;
  });
  EXPECT_NE(end.find("cannot read the scratch file"), std::string::npos) << end;
  EXPECT_NE(end.find("Input/output error"), std::string::npos) << end;
}

TEST_P(Faults, AFullDiskIsNamed) {
  int writes = 0;
  const std::string end = add_twice([&](const FileRequest& r, std::int64_t result) {
    return armed && r.write && ++writes >= 5 ? -ENOSPC : result;
  });
  EXPECT_NE(end.find("cannot write the scratch file"), std::string::npos) << end;
  EXPECT_NE(end.find("No space left on device"), std::string::npos) << end;
}

TEST_P(Faults, NothingWrittenIsNamed) {
  const std::string end =
      add_twice([&](const FileRequest& r, std::int64_t result) { return armed && r.write ? 0 : result; });
  EXPECT_NE(end.find("nothing was written"), std::string::npos) << end;
}

// Actually truncated, by another process.
TEST_P(Faults, AFileCutByAnotherIsNamed) {
  const std::string end = add_twice(
      {}, [](FileMemory& memory) { ASSERT_EQ(truncate((memory.scratch().path() + "/0").c_str(), 4096), 0); });
  EXPECT_NE(end.find("shorter than it was"), std::string::npos) << end;
}

// The first pieces are lost, although the file has its original length again.
TEST_P(Faults, AFileCutAndGrownAgainIsNamed) {
  const std::string end = add_twice({}, [](FileMemory& memory) {
    const std::string file = memory.scratch().path() + "/0";
    const auto size = static_cast<off_t>(fs::file_size(file));
    ASSERT_EQ(truncate(file.c_str(), 0), 0);
    ASSERT_EQ(truncate(file.c_str(), size), 0);
  });
  EXPECT_NE(end.find("shorter than it was"), std::string::npos) << end;
}

TEST_P(Faults, AFolderThatIsGoneIsNamed) {
  FileMemory memory({.folder = folder.path(), .mode = GetParam()});
  fs::remove_all(memory.scratch().path());
  const std::string said = test::refusal([&] { memory.add("late", 4096); }, Exit::storage);
  EXPECT_NE(said.find("No such file"), std::string::npos) << said;
}

// Larger than any disk: detected when the file is created, not during a run.
TEST_P(Faults, AFileThatDoesNotFitIsRefusedAtOnce) {
  FileMemory memory({.folder = folder.path(), .mode = GetParam()});
  EXPECT_THROW(memory.add("too large", std::int64_t{1} << 50), Error);
  EXPECT_EQ(folder.entries(), 2U);  // the folder and its lock
}

INSTANTIATE_TEST_SUITE_P(Ways, Faults,
                         testing::Values(IoMode::automatic, IoMode::sqpoll, IoMode::threads,
                                         IoMode::blocking),
                         [](const auto& mode) {
                           return mode.param == IoMode::automatic ? "automatic"
                                  : mode.param == IoMode::sqpoll  ? "sqpoll"
                                  : mode.param == IoMode::threads ? "threads"
                                                                  : "blocking";
                         });

// In a process that may not create a ring: reported once, and two threads are used.
TEST(FaultsOfTheSystem, DoWithoutIoUring) {
  ScratchFolder folder;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{4, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
      _exit(77);
    int said = 0;
    try {
      FileMemory memory({.folder = folder.path(), .say = [&](const std::string&) { ++said; }});
      FarArray a(memory, "a", 4, 4096, 2);
      const std::vector<std::byte> values(4 * 4096, std::byte{9});
      a.store(0, 4, values.data());
      std::vector<std::byte> back(values.size());
      a.load(0, 4, back.data());
      _exit(said == 1 && back == values && std::string(memory.io_name()) == "two threads" ? 0 : 1);
    } catch (...) {
      _exit(2);
    }
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "seccomp is not allowed here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace sc
