// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 5
// optimise: no
// Full disks, forbidden folders and errors on single ranks: all ranks report the same, nothing hangs, the old
// file is intact and no other file remains.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "io/checkpoint.hpp"
#include "io/snapshot.hpp"
#include "tests/mpi/io_state.hpp"

namespace sc::test {
namespace {

constexpr Int3 cells{40, 40, 40};  // 512 kB for a component

struct State {
  explicit State(Context& context) : grid(context, {.cells = cells, .halo = 1}), velocity(grid, "velocity") {}
  io::CheckpointContents contents() { return {"test", grid, {{"velocity", &velocity.storage(0)}}, {}}; }
  io::Snapshot snapshot() {
    return {.coordinates = &velocity.storage(0), .fields = {{"velocity", &velocity.storage(0)}}};
  }
  Grid grid;
  Field<double, 3> velocity;
};

/// A state with seed 1, and a valid checkpoint of it.
struct KeptState : State {
  KeptState(Context& context, const Folder& folder) : State(context), path(folder / "state.h5") {
    set<double>(velocity.storage(0), 0, 1);
    io::write_checkpoint(path, contents());
  }
  std::string path;
};

/// Calls `fail`, which must throw the same Error on all ranks and leave only the valid checkpoint in its
/// folder.
template <class F>
std::string failure(Context& context, KeptState& state, F&& fail) {
  const std::string folder = std::filesystem::path(state.path).parent_path();
  set<double>(state.velocity.storage(0), 0, 2);
  const auto [sentence, code] = error_of(fail);
  std::string of_rank_0 = sentence;
  context.broadcast(of_rank_0);
  EXPECT_EQ(sentence, of_rank_0);
  EXPECT_EQ(code, Exit::storage) << sentence;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << sentence;
  context.barrier();
  io::read_checkpoint(state.path, state.contents());
  EXPECT_EQ(wrong<double>(state.velocity.storage(0), 0, 1), 0);
  return sentence;
}

TEST(Disk, FullDisk) {
  TestContext context;
  const Folder folder(context);
  std::string reason;
  if (context.rank() == 0 && mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=3m") != 0)
    reason = std::string("no small disk can be mounted here: ") + std::strerror(errno);
  context.broadcast(reason);
  if (!reason.empty()) GTEST_SKIP() << reason;
  {
    KeptState state(context, folder);
    const std::string full = "no space left on device";
    const auto checkpoint =
        failure(context, state, [&] { io::write_checkpoint(state.path, state.contents()); });
    EXPECT_NE(checkpoint.find(full), std::string::npos) << checkpoint;
    for (const auto kind : {io::SnapshotKind::unstructured, io::SnapshotKind::structured}) {
      io::Snapshot snapshot = state.snapshot();
      snapshot.kind = kind;
      const auto sentence =
          failure(context, state, [&] { io::write_snapshot(folder / "s.vtkhdf", snapshot); });
      EXPECT_NE(sentence.find(full), std::string::npos) << sentence;
    }
  }
  context.barrier();
  const bool released = context.rank() != 0 || umount(folder.path().c_str()) == 0;
  EXPECT_TRUE(released);
}

// A disk without space for even the first block.
TEST(Disk, NoRoomAtAll) {
  TestContext context;
  const Folder folder(context);
  std::string reason;
  if (context.rank() == 0) {
    if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0)
      reason = std::string("no small disk can be mounted here: ") + std::strerror(errno);
    else
      put_bytes(folder / "other", std::string(1 << 20, 'x'));
  }
  context.broadcast(reason);
  if (!reason.empty()) GTEST_SKIP() << reason;
  {
    State state(context);
    const auto [sentence, code] =
        error_of([&] { io::write_checkpoint(folder / "state.h5", state.contents()); });
    EXPECT_EQ(code, Exit::storage);
    EXPECT_NE(sentence.find("no space left on device"), std::string::npos) << sentence;
    EXPECT_EQ(folder.entries(), 1);
  }
  context.barrier();
  const bool released = context.rank() != 0 || umount(folder.path().c_str()) == 0;
  EXPECT_TRUE(released);
}

/// Limits the size of this rank's files during its lifetime.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &was_);
    const rlimit now{bytes, was_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &was_); }

 private:
  rlimit was_{};
};

TEST(Disk, OneRankFails) {
  TestContext context;
  const Folder folder(context);
  KeptState state(context, folder);
  for (int failing = 0; failing < context.size(); ++failing) {
    const auto limited = [&](auto&& action) {
      if (context.rank() != failing) return action();
      const FileLimit limit(300 << 10);
      action();
    };
    const auto sentence = failure(
        context, state, [&] { limited([&] { io::write_checkpoint(state.path, state.contents()); }); });
    EXPECT_NE(sentence.find("file too large"), std::string::npos) << sentence;
    failure(context, state,
            [&] { limited([&] { io::write_snapshot(folder / "s.vtkhdf", state.snapshot()); }); });
  }
}

TEST(Disk, FolderThatMayNotBeWritten) {
  TestContext context;
  const Folder folder(context);
  KeptState state(context, folder);
  if (context.rank() == 0) chmod(folder.path().c_str(), 0555);
  context.barrier();
  const OrdinaryUser user;
  const auto sentence = failure(context, state, [&] { io::write_checkpoint(state.path, state.contents()); });
  EXPECT_NE(sentence.find("permission denied"), std::string::npos) << sentence;
}

TEST(Disk, NoSuchFolder) {
  TestContext context;
  const Folder folder(context);
  KeptState state(context, folder);
  const auto sentence =
      failure(context, state, [&] { io::write_checkpoint(folder / "nowhere/state.h5", state.contents()); });
  EXPECT_NE(sentence.find("no such file or directory"), std::string::npos) << sentence;
}

TEST(Disk, PathIsAFolder) {
  TestContext context;
  const Folder folder(context);
  State state(context);
  const auto [sentence, code] = error_of([&] { io::write_checkpoint(folder.path(), state.contents()); });
  EXPECT_EQ(code, Exit::storage);
  EXPECT_NE(sentence.find("it is a folder, not a regular file"), std::string::npos) << sentence;
  EXPECT_EQ(folder.entries(), 0);
}

// Files that a killed run left neither damage the checkpoint nor remain.
TEST(Disk, LeftoversOfAKilledRun) {
  TestContext context;
  const Folder folder(context);
  KeptState state(context, folder);
  if (context.rank() == 0) {
    put_bytes(state.path + ".subcurrent-part", bytes_of(state.path).substr(0, 100000));
    put_bytes(folder / "notes.part", "a user's own");
  }
  context.barrier();
  io::read_checkpoint(state.path, state.contents());
  EXPECT_EQ(wrong<double>(state.velocity.storage(0), 0, 1), 0);
  io::write_checkpoint(state.path, state.contents());
  EXPECT_EQ(folder.entries(), 2);
  context.barrier();
  if (context.rank() == 0) put_bytes(folder / "other.vtkhdf.subcurrent-part", "half");
  context.barrier();
  io::remove_leftovers(context, folder.path());
  EXPECT_EQ(folder.entries(), 2);
  io::remove_leftovers(context, folder / "nowhere");
}

}  // namespace
}  // namespace sc::test
