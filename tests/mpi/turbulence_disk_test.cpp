// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4
// ranks when long: 2 3
// threads: 2
// timeout: 600
// optimise: no
// The pseudo-spectral solver with fields in files: the bits of memory, the planned bytes, removal of scratch
// files.
#include <gtest/gtest.h>

#include "engine/base/error.hpp"
#include "engine/move/output/gather.hpp"
#include "tests/mpi/flows_in_files.hpp"
#include "tests/refusal.hpp"
#include "tests/unit/stream_files.hpp"

namespace sc::test {
namespace {

using namespace turbulence;
using Bits = std::pair<std::vector<std::byte>, std::array<double, 3>>;

Bits after_steps(Context& context, const TurbulenceOptions& options, int steps = 2) {
  Turbulence flow(context, options);
  flow.start(lively);
  for (int n = 0; n < steps; ++n) flow.step();
  const Balance b = flow.balance();
  return {gather(flow.modes().storage(0)), {b.energy, b.enstrophy, flow.time()}};
}

TEST(TurbulenceOnDisk, LeavesTheBitsOfMemory) {
  const Bits memory = on_one_rank([&](Context& one) { return after_steps(one, small()); });
  TestContext context({.threads = 2});
  const SharedFolder folder(context, "scratch-turbulence-");
  expect_same(context, after_steps(context, small()), memory, "memory on several ranks");
  for (const Io io : {Io::sync, Io::async})
    for (const int files : {2, 3, 4, 8, 16, 32}) {
      TurbulenceOptions options = small();
      options.storage = {.where = Where::files, .pieces = files, .scratch = folder.path()};
      options.engine.strategy = strategy_of(io);
      expect_same(context, after_steps(context, options), memory,
                  (io == Io::sync ? "sync " : "async ") + std::to_string(files));
    }
  context.barrier();
  EXPECT_TRUE(folder.empty());
}

// All variants of a step use the files in the same way.
TEST(TurbulenceOnDisk, LeavesTheBitsOfMemoryForEveryKindOfStep) {
  Context self(MPI_COMM_SELF);
  TestContext context;
  const SharedFolder folder(context, "scratch-turbulence-");
  for (const Scheme scheme : {Scheme::rk4, Scheme::rk3})
    for (const Form form : {Form::rotational, Form::divergence})
      for (const Dealiasing dealiasing : {Dealiasing::two_thirds, Dealiasing::phase_shift})
        for (const double courant : {0.0, 0.02}) {
          if ((courant > 0) != (form == Form::rotational)) continue;  // half of the combinations
          TurbulenceOptions options = small();
          options.scheme = scheme;
          options.form = form;
          options.dealiasing = dealiasing;
          options.courant = courant;
          const Bits memory = after_steps(self, options);
          if (courant > 0) {
            EXPECT_LT(memory.second[2], 0.02);  // the clock: dt was reduced
          }
          options.storage = {.where = Where::files, .pieces = 4, .scratch = folder.path()};
          expect_same(context, after_steps(context, options), memory,
                      "scheme " + std::to_string(int(scheme)) + " form " + std::to_string(int(form)) +
                          " dealiasing " + std::to_string(int(dealiasing)) + " courant " +
                          std::to_string(courant));
        }
  self.close();
}

TEST(TurbulenceOnDisk, EitherProcessGridLeavesTheBitsOfMemory) {
  const Bits memory = on_one_rank([&](Context& one) { return after_steps(one, small()); });
  TestContext context;
  const SharedFolder folder(context, "scratch-turbulence-");
  TurbulenceOptions options = small();
  options.process_grid = {context.size(), 1};
  expect_same(context, after_steps(context, options), memory, "memory");
  options.storage = {.where = Where::files, .pieces = 1, .scratch = folder.path()};
  expect_same(context, after_steps(context, options), memory, "files");
}

TEST(TurbulenceOnDisk, MovesTheBytesThatWerePlanned) {
  TestContext context;
  const SharedFolder folder(context, "scratch-turbulence-");
  for (const Scheme scheme : {Scheme::rk4, Scheme::rk3})
    for (const Form form : {Form::rotational, Form::divergence})
      for (const Dealiasing dealiasing : {Dealiasing::two_thirds, Dealiasing::phase_shift})
        for (const Io io : {Io::sync, Io::async}) {
          if ((io == Io::sync) != (form == Form::divergence)) continue;
          TurbulenceOptions options = small();
          options.scheme = scheme;
          options.form = form;
          options.dealiasing = dealiasing;
          options.storage = {.where = Where::files, .pieces = 3, .scratch = folder.path()};
          options.engine.strategy = strategy_of(io);
          Turbulence flow(context, options);
          flow.start_taylor_green();
          flow.step();
          flow.finish_files();
          const auto now = [&](Way way) { return flow.store().bytes(way); };
          const std::array before{now(Way::in), now(Way::out)};
          const auto step = [&] {
            flow.step();
            flow.finish_files();
          };
          step();
          EXPECT_EQ(now(Way::in) - before[0], flow.budget().read);
          EXPECT_EQ(now(Way::out) - before[1], flow.budget().written);
          if (!flow.store().past_page_cache()) continue;
          // The bytes counted by the kernel for this process are equal if nothing came from the page cache.
          // The kernel also counts blocks of file metadata.
          constexpr std::int64_t bookkeeping = 1 << 16;
          const DiskBytes moved = least_disk_bytes(step);
          EXPECT_EQ(moved.read, flow.budget().read);
          EXPECT_GE(moved.written, flow.budget().written);
          EXPECT_LE(moved.written, flow.budget().written + bookkeeping);
        }
}

TEST(TurbulenceOnDisk, SinglePrecisionLeavesItsBitsAndMovesItsBytes) {
  const Bits memory = on_one_rank([&](Context& one) { return after_steps(one, as_single(small())); });
  TestContext context({.threads = 2});
  const SharedFolder folder(context, "scratch-turbulence-");
  expect_same(context, after_steps(context, as_single(small())), memory, "memory on several ranks");
  for (const Io io : {Io::sync, Io::async}) {
    TurbulenceOptions options = small();
    options.storage = {.where = Where::files, .pieces = 3, .scratch = folder.path()};
    options.engine.strategy = strategy_of(io);
    expect_same(context, after_steps(context, as_single(options)), memory, io == Io::sync ? "sync" : "async");
    Turbulence flow(context, as_single(options));
    flow.start_taylor_green();
    const std::array before{flow.store().bytes(Way::in), flow.store().bytes(Way::out)};
    flow.step();
    EXPECT_EQ(flow.store().bytes(Way::in) - before[0], flow.budget().read);
    EXPECT_EQ(flow.store().bytes(Way::out) - before[1], flow.budget().written);
  }
  // Half of double precision, except for the padding of rows and planes.
  TurbulenceOptions options{.points = {96, 96, 32}};
  options.storage = {.where = Where::files, .pieces = 3, .scratch = folder.path()};
  const turbulence::Budget in_double = Turbulence(context, options).budget(),
                           in_single = Turbulence(context, as_single(options)).budget();
  EXPECT_NEAR(static_cast<double>(in_single.read) / static_cast<double>(in_double.read), 0.55, 0.05);
  EXPECT_NEAR(static_cast<double>(in_single.far) / static_cast<double>(in_double.far), 0.55, 0.05);
}

TEST(TurbulenceOnDisk, FitsItsMemoryOrNamesTheSmallest) {
  TurbulenceOptions options{.points = {96, 96, 96}, .dt = 0.01};
  std::string sentence;
  {
    TestContext context;
    const SharedFolder folder(context, "scratch-turbulence-");
    options.storage = {.memory = 1 << 20, .scratch = folder.path()};
    sentence = refusal([&] { const Turbulence flow(context, options); });
  }
  const auto at = sentence.find("at least ");
  ASSERT_NE(at, std::string::npos) << sentence;
  EXPECT_EQ(std::count(sentence.begin(), sentence.end(), '\n'), 0);
  // The suggested memory is sufficient, with a margin for changes of the process's memory between attempts.
  // Each attempt has a context of its own, because shared memory is freed when that is closed.
  TestContext context;
  const SharedFolder folder(context, "scratch-turbulence-");
  options.storage.scratch = folder.path();
  const double mebibytes = std::stod(sentence.substr(at + 9)) + 2.0 * context.size();
  options.storage.memory = static_cast<std::int64_t>(mebibytes * (1 << 20));
  const Turbulence flow(context, options);
  EXPECT_TRUE(flow.budget().disk_used());
  EXPECT_GE(flow.budget().ahead, 1);
  EXPECT_LE(flow.budget().near * context.size(), options.storage.memory + context.size());
  options.storage.memory = std::int64_t{64} << 30;
  EXPECT_FALSE(Turbulence(context, options).budget().disk_used());
}

TEST(TurbulenceOnDisk, RefusesMorePiecesThanPlanes) {
  TestContext context;
  const SharedFolder folder(context, "scratch-turbulence-");
  TurbulenceOptions options{.points = {8, 8, 16}};
  for (const int files : {0, 17}) {
    options.storage = {.where = Where::files, .pieces = files, .scratch = folder.path()};
    EXPECT_THROW(Turbulence(context, options), Error) << files;
  }
}

}  // namespace
}  // namespace sc::test
