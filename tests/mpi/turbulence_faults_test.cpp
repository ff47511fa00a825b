// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4
// ranks when long: 2 3
// timeout: 600
// optimise: no
// Faults of the files of a turbulent flow: one sentence for each, and no scratch files are left.
#include <gtest/gtest.h>

#include <cerrno>

#include "engine/base/error.hpp"
#include "tests/mpi/flows_in_files.hpp"
#include "tests/refusal.hpp"
#include "tests/unit/stream_files.hpp"

namespace sc::test {
namespace {

/// The error of a step on this rank, with faults from `outcome`, enabled after the start.
std::string sentence_of(const SharedFolder& folder, Io io,
                        const std::function<std::int64_t(const FileRequest&, std::int64_t)>& outcome,
                        const std::function<void(const std::string&)>& between = {}) {
  Context self(MPI_COMM_SELF);
  std::string sentence = "right";
  {
    TurbulenceOptions options = small();
    bool armed = false;
    const std::string scratch = folder.path() + "/" + std::to_string(getpid());
    options.storage = {.where = Where::files, .pieces = 4, .scratch = scratch};
    options.engine.strategy = strategy_of(io);
    if (outcome)
      options.storage.outcome = [&](const FileRequest& r, std::int64_t result) {
        return armed ? outcome(r, result) : result;
      };
    Turbulence flow(self, options);
    flow.start_taylor_green();
    flow.step();
    armed = true;
    if (between) between(scratch);
    try {
      for (int n = 0; n < 2; ++n) flow.step();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Exit::storage);
      sentence = error.what();
      EXPECT_EQ(sentence.find('\n'), std::string::npos);
    }
  }
  self.close();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() + "/" + std::to_string(getpid())))
      << "scratch was left";
  return sentence;
}

class TurbulenceFaults : public testing::TestWithParam<Io> {};

TEST_P(TurbulenceFaults, EndInOneSentence) {
  TestContext context;
  const SharedFolder folder(context, "scratch-turbulence-");
  const auto ends = [&](const char* with, const auto& outcome) {
    const std::string sentence = sentence_of(folder, GetParam(), outcome);
    EXPECT_NE(sentence.find(with), std::string::npos) << sentence;
  };
  int reads = 0, writes = 0;
  ends("right", [](const FileRequest&, std::int64_t result) { return result; });
  ends("Input/output error",
       [&](const FileRequest& r, std::int64_t result) { return !r.write && ++reads == 20 ? -EIO : result; });
  ends("No space left on device", [&](const FileRequest& r, std::int64_t result) {
    return r.write && ++writes > 20 ? -ENOSPC : result;
  });
  ends("nothing was written", [](const FileRequest& r, std::int64_t result) { return r.write ? 0 : result; });
  // Short transfers, but complete after resubmission.
  int calls = 0;
  ends("right", [&](const FileRequest&, std::int64_t result) {
    return ++calls % 3 == 0 && result > 4096 ? std::int64_t{4096} : result;
  });
}

// Real faults during a step: the planes of one component truncated by another program while they are written;
// and the folder's files removed, which open files survive.
TEST_P(TurbulenceFaults, AFileCutByAnotherIsNamed) {
  TestContext context;
  const SharedFolder folder(context, "scratch-turbulence-");
  std::vector<std::filesystem::path> files;
  const auto list = [&](const std::string& scratch) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch))
      if (entry.is_regular_file() && entry.path().extension() != ".lock") files.push_back(entry.path());
  };
  int writes = 0;
  const auto cut = [&](const FileRequest& r, std::int64_t result) {
    if (r.write && ++writes == 10)  // of the curl; the arrays of the velocity are already in their files
      for (const auto& path : files)
        if (path.filename() == "6") {
          EXPECT_EQ(truncate(path.c_str(), 4096), 0);
        }
    return result;
  };
  const std::string sentence = sentence_of(folder, GetParam(), cut, list);
  EXPECT_EQ(files.size(), 9U);  // three arrays of planes, six of modes
  EXPECT_NE(sentence.find("cannot read the scratch file of \"planes 0\""), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("shorter than it was"), std::string::npos) << sentence;
  files.clear();
  const auto remove = [&](const std::string& scratch) {
    list(scratch);
    for (const auto& path : files) std::filesystem::remove(path);
  };
  EXPECT_EQ(sentence_of(folder, GetParam(), {}, remove), "right");
}

TEST(TurbulenceFault, AScratchFolderThatCannotBeIsNamed) {
  TestContext context;
  const SharedFolder folder(context, "scratch-turbulence-");
  if (context.rank() == 0) {
    std::filesystem::create_directories(folder.path());
    std::ofstream(folder.path() + "/file") << "x";
  }
  context.barrier();
  TurbulenceOptions options = small();
  options.storage = {.where = Where::files, .pieces = 2, .scratch = folder.path() + "/file/scratch"};
  EXPECT_NE(refusal([&] { const Turbulence flow(context, options); }, Exit::storage), "accepted");
}

INSTANTIATE_TEST_SUITE_P(Ways, TurbulenceFaults, testing::Values(Io::sync, Io::async),
                         [](const auto& io) { return io.param == Io::sync ? "sync" : "async"; });

}  // namespace
}  // namespace sc::test
