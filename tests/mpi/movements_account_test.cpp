// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// timed: yes
// All movements are in the account: transposes, files, reductions; and copies within a rank, which do not
// divide the computation.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "engine/move/output/gather.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "engine/overlap/ledger.hpp"
#include "engine/subcurrent.hpp"
#include "spectral/fft.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

struct Scale {
  double a;
  SC_FN void operator()(At c, Out<double> to, In<double> from) const { to[c] = a * from[c]; }
};

/// The terms of a ledger that is open during `action`.
template <class Action>
Terms terms_of(Context& context, Action&& action) {
  const Runner runner(context, {});
  Ledger ledger(runner);
  ledger.open();
  action();
  ledger.close();
  context.barrier();
  return ledger.terms();
}

TEST(MovementsAccount, TransposesAreMeasuredAndCounted) {
  constexpr double delay = 3e-3;
  constexpr int runs = 8;
  for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first}) {
    TestContext context({.transport = TransportPolicy::delayed, .delay = delay});
    spectral::FFT<double> fft(context, {.cells = {12, 12, 12}, .strategy = strategy});
    Field<double> points(fft.real_grid(), "points");
    Field<std::complex<double>> modes(fft.mode_grid(), "modes");
    points.fill([](int x, int y, int z) { return 1.0 / (1 + x + y + z); });
    const Moved m = terms_of(context, [&] {
                      for (int n = 0; n < runs; ++n) fft.forward(points.now(), modes.now());
                    }).of(Resource::messages);
    if (context.size() == 1) {
      EXPECT_EQ(m.bytes, 0);
      continue;
    }
    EXPECT_EQ(m.bytes, static_cast<double>(runs * fft.bytes()));
    EXPECT_GT(m.apart, 0.8 * runs * delay);
    if (strategy.overlaps) {
      EXPECT_LT(m.hideable, m.apart);
    } else {
      EXPECT_NEAR(m.hidden(), 0, 1e-6);
    }
  }
}

TEST(MovementsAccount, WithoutOverlapTransformsHaveTheSameBits) {
  std::vector<std::vector<std::byte>> bits;
  for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first}) {
    TestContext context;
    spectral::FFT<double> fft(context, {.cells = {16, 12, 20}, .chunks = 3, .strategy = strategy});
    Field<double> points(fft.real_grid(), "points");
    Field<std::complex<double>> modes(fft.mode_grid(), "modes");
    points.fill([](int x, int y, int z) { return 1.0 / (1 + x + 2 * y + 3 * z); });
    for (int n = 0; n < 4; ++n) {  // one of them is a sample
      fft.forward(points.now(), modes.now());
      fft.backward(modes.now(), points.now());
    }
    bits.push_back(gather(points.storage(0)));
    bits.push_back(gather(modes.storage(0)));
  }
  EXPECT_EQ(bits[0], bits[2]);
  EXPECT_EQ(bits[1], bits[3]);
}

struct Streamed {
  Terms terms;
  double bytes = 0;
  double sum = 0;
};

/// Stages over two fields in files on a disk with a given bandwidth.
Streamed stream(IoMode mode, double rate) {
  TestContext context;
  FileMemory memory({.folder = std::filesystem::temp_directory_path().string(),
                     .name = "account" + std::to_string(context.rank()),
                     .mode = mode,
                     .most_bytes_per_second = rate});
  const Grid grid(context, {.cells = {32, 32, 48}, .halo = 0, .split = {1, 1, context.size()}});
  const auto place = in_files(memory, 8);
  Field<double> a(grid, "a", {.place = place}), b(grid, "b", {.place = place});
  a.fill([](std::int64_t x, std::int64_t y, std::int64_t z) { return double(x + y + z); });
  b.fill([](std::int64_t, std::int64_t, std::int64_t) { return 0.0; });
  Sweep scale("scale", Scale{}, writes(b.now()), reads(a.now()));
  const StreamPhase phase = Slabs(scale, true).pass().phase;
  Runner runner(context,
                {.strategy = mode == IoMode::blocking ? Strategy::blocking : Strategy::boundary_first});
  constexpr int runs = 6;
  Streamed result;
  result.terms = terms_of(context, [&] {
    for (int n = 0; n < runs; ++n) runner.run(scale, Scale{2});
    place->finish();
  });
  result.bytes = runs * double(SlabStream::bytes(phase, Way::in) + SlabStream::bytes(phase, Way::out));
  b.each_slab([&](int lo, int hi, In<double> cells) {
    for (int z = lo; z < hi; ++z) result.sum += cells.base[grid.layout().offset({1, 0, z})];
  });
  return result;
}

TEST(MovementsAccount, FilesAreMeasuredAndCounted) {
  constexpr double rate = 40e6;
  // Each direction has its own rate, so copies alone take bytes / rate. Other programs may delay any attempt.
  Streamed ring;
  for (int attempt = 0; attempt < 5; ++attempt) {
    ring = stream(IoMode::threads, rate);
    int late = ring.terms.of(Resource::files).apart >= 4 * ring.bytes / rate ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &late, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (late == 0) break;
  }
  const Moved m = ring.terms.of(Resource::files);
  EXPECT_EQ(m.bytes, ring.bytes);
  EXPECT_GT(m.apart, 0.9 * ring.bytes / rate);
  EXPECT_LT(m.apart, 4 * ring.bytes / rate);
  EXPECT_GT(m.hidden(), 0.1) << "reading and writing go on at the same time";
  EXPECT_GT(ring.terms.core, 0);
  EXPECT_EQ(ring.terms.moved().bytes - m.bytes, ring.terms.of(Resource::messages).bytes);
}

TEST(MovementsAccount, NothingIsHiddenWhereFilesAreReadOneByOne) {
  const Streamed one_by_one = stream(IoMode::blocking, 0);
  const Moved m = one_by_one.terms.of(Resource::files);
  EXPECT_EQ(m.bytes, one_by_one.bytes);
  EXPECT_NEAR(m.hidden(), 0, 1e-6);
  EXPECT_EQ(one_by_one.sum, stream(IoMode::automatic, 0).sum);
}

TEST(MovementsAccount, ReductionsAreMeasuredAndCounted) {
  TestContext context;
  const Moved m = terms_of(context, [&] {
                    GlobalValue value(context);
                    Accumulator one(Reduce::max);
                    for (int n = 0; n < 10; ++n) {
                      value.start({&one, 1});
                      value.value();
                    }
                  }).of(Resource::reductions);
  EXPECT_EQ(m.pieces, 10);
  EXPECT_EQ(m.bytes, 80);
  EXPECT_GT(m.apart, 0);
}

/// A rank that is its own neighbour computes all cells as one box: nothing waits for its copies to itself.
TEST(MovementsAccount, CopiesWithinARankSplitNothing) {
  struct Around {
    SC_FN void operator()(At c, Out<double> to, In<double> T) const {
      to[c] = T[c.x(1)] + T[c.x(-1)] + T[c.y(1)] + T[c.y(-1)] + T[c.z(1)] + T[c.z(-1)];
    }
  };
  TestContext context;  // the third run is a sample
  const Grid grid(
      context,
      {.cells = {20, 18, 24}, .periodic = {true, true, true}, .halo = 1, .split = {1, 1, context.size()}});
  Field<double> T(grid, "T", {.levels = 2});
  T.fill([](int x, int y, int z) { return 1.0 / (1 + x + y + z); });
  for (const Reach reach : {star(1), box(1)})
    for (const Strategy strategy :
         {Strategy::boundary_first, Strategy::interior_first, Strategy::pipelined}) {
      Sweep around("around", Around{}, writes(T.next()), reads(T.now(), reach));
      Runner runner(context, {.strategy = strategy});
      Timeline& timeline = context.timeline();
      timeline.clear();
      for (int n = 0; n < 4; ++n) {
        runner.run(around, Around{});
        T.advance();
      }
      const std::uint16_t name = timeline.name("around"), sample = timeline.name("around ordered");
      const auto count = [&](Phase phase) {
        return timeline.total(name, phase).count + timeline.total(sample, phase).count;
      };
      EXPECT_EQ(count(Phase::core), 4) << strategy.name;
      // Two faces normal to z if other ranks are beyond them, none on a single rank.
      EXPECT_EQ(count(Phase::shell), context.size() == 1 ? 0 : 8) << strategy.name;
    }
}

}  // namespace
}  // namespace sc::test
