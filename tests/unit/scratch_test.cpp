// SPDX-License-Identifier: Apache-2.0
// optimise: no
// Scratch folders: their locks name the owner; those of processes that died are removed, all others stay.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "engine/base/error.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "tests/refusal.hpp"
#include "tests/unit/stream_files.hpp"

namespace sc {
namespace {

using test::ScratchFolder;
namespace fs = std::filesystem;

TEST(Scratches, LeaveNothing) {
  ScratchFolder folder;
  {
    const Scratch one(folder.path(), "rank 0"), two(folder.path(), "rank 1");
    EXPECT_NE(one.path(), two.path());
    EXPECT_EQ(folder.entries(), 4U);
    std::ifstream lock(one.path() + ".lock");
    std::string key, host;
    lock >> key >> host;
    EXPECT_EQ(key, "host");
    EXPECT_NE(one.path().find(host + "-" + std::to_string(getpid()) + "-rank-0"), std::string::npos);
  }
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(Scratches, OfOneProcessMayHaveTheSameName) {
  ScratchFolder folder;
  const Scratch third = [&] {
    const Scratch first(folder.path(), "rank 0");
    const Scratch second(folder.path(), "rank 0");
    EXPECT_NE(first.path(), second.path());
    EXPECT_EQ(folder.entries(), 4U);
    return Scratch(folder.path(), "rank 0");
  }();
  EXPECT_EQ(folder.entries(), 2U);
  const Scratch fourth(folder.path(), "rank 0");
  EXPECT_NE(third.path(), fourth.path());
  EXPECT_EQ(folder.entries(), 4U);
}

TEST(Scratches, RemoveWhatAKilledProcessLeft) {
  ScratchFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    FileMemory memory({.folder = folder.path(), .name = "child"});
    memory.add("field", 1 << 20);
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char x = 0;
  ASSERT_EQ(read(ready[0], &x, 1), 1);
  close(ready[0]);
  close(ready[1]);
  {
    const Scratch beside(folder.path(), "beside");  // the child is alive: its files stay
    EXPECT_EQ(folder.entries(), 2U + 3U);
  }
  kill(child, SIGKILL);
  // A zombie: without a process that collects orphans, a killed rank may remain one for a long time.
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(folder.entries(), 3U);
  const Scratch after(folder.path(), "after");
  EXPECT_EQ(folder.entries(), 2U);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
}

TEST(Scratches, LeaveOtherHostsAndHalfLocksAlone) {
  ScratchFolder folder;
  fs::create_directories(folder.path() + "/subcurrent-elsewhere-1-r");
  std::ofstream(folder.path() + "/subcurrent-elsewhere-1-r.lock")
      << "host elsewhere\nboot b\nnamespace n\npid 1\nstart 2\nend .\n";
  std::ofstream(folder.path() + "/subcurrent-torn.lock") << "host ";
  std::ofstream(folder.path() + "/notes.txt") << "mine";
  const Scratch scratch(folder.path(), "r");
  EXPECT_EQ(folder.entries(), 4U + 2U);
}

struct Lock {
  std::string host, boot, space;
};
Lock own_lock(const ScratchFolder& folder) {
  const Scratch own(folder.path(), "own");
  Lock lock;
  std::string key;
  std::ifstream(own.path() + ".lock") >> key >> lock.host >> key >> lock.boot >> key >> lock.space;
  return lock;
}
void write_lock(const std::string& path, const Lock& lock, const std::string& pid, const std::string& start) {
  std::ofstream(path + ".lock") << "host " << lock.host << "\nboot " << lock.boot << "\nnamespace "
                                << lock.space << "\npid " << pid << "\nstart " << start << "\nend .\n";
}

// Locks that this program has not written: they are ignored.
TEST(Scratches, LeaveDamagedLocksAlone) {
  ScratchFolder folder;
  const Lock own = own_lock(folder);
  const auto damaged = [&](const std::string& name, const std::string& pid, const std::string& start) {
    write_lock(folder.path() + "/subcurrent-" + name, own, pid, start);
  };
  damaged("word", "abc", "1");
  damaged("huge", "99999999999999999999999", "1");
  damaged("tail", "12abc", "1");
  damaged("negative", "-1", "1");
  damaged("start", "1", "soon");
  ASSERT_EQ(::mkfifo((folder.path() + "/subcurrent-pipe.lock").c_str(), 0600), 0);
  fs::create_directory(folder.path() + "/subcurrent-folder.lock");
  const Scratch scratch(folder.path(), "new");
  EXPECT_EQ(folder.entries(), 7U + 2U);
}

// A later process with the same number.
TEST(Scratches, KnowAProcessFromALaterOneOfItsNumber) {
  ScratchFolder folder;
  const Lock own = own_lock(folder);
  const std::string old = folder.path() + "/subcurrent-" + own.host + "-" + std::to_string(getpid()) + "-old";
  fs::create_directories(old);
  write_lock(old, own, std::to_string(getpid()), "1");
  const Scratch scratch(folder.path(), "new");
  EXPECT_FALSE(fs::exists(old));
}

// In another container on the same host, that number may be a running process.
TEST(Scratches, LeaveThoseOfAnotherNamespaceAlone) {
  ScratchFolder folder;
  Lock own = own_lock(folder);
  own.space = "pid:[1]";
  const std::string theirs = folder.path() + "/subcurrent-" + own.host + "-1-theirs";
  fs::create_directories(theirs);
  write_lock(theirs, own, std::to_string(getpid()), "1");
  {
    const Scratch scratch(folder.path(), "new");
    EXPECT_TRUE(fs::exists(theirs));
  }
  own.boot = "an-earlier-one";  // none of its processes exists
  write_lock(theirs, own, std::to_string(getpid()), "1");
  const Scratch scratch(folder.path(), "newer");
  EXPECT_FALSE(fs::exists(theirs));
}

TEST(Scratches, RefuseAFolderThatCannotBe) {
  ScratchFolder folder;
  fs::create_directories(folder.path());
  std::ofstream(folder.path() + "/file") << "x";
  const auto make = [&] { const Scratch scratch(folder.path() + "/file/scratch", "r"); };
  EXPECT_NE(test::refusal(make, Exit::storage), "accepted");
}

}  // namespace
}  // namespace sc
