// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// threads: 2
// A stencil on disk over several ranks: the heat equation in slots, halo planes travelling with the pieces
// and between ranks, leaves the bits of the same kernel run as a sweep in memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "engine/move/halo_exchange.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_stream.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

struct Diffuse {
  double a;
  SC_FN void operator()(At c, Out<double> next, In<double> T) const {
    next[c] =
        T[c] + a * (T[c.x(1)] + T[c.x(-1)] + T[c.y(1)] + T[c.y(-1)] + T[c.z(1)] + T[c.z(-1)] - 6 * T[c]);
  }
};

// Out of line: two loops around it would round its products and sums in two ways.
[[gnu::noinline]] double start(int x, int y, int z) {
  return std::sin(0.3 * x) + 0.2 * std::cos(1.1 * y) * std::sin(0.7 * z) + 2;
}

/// Planes of a rank's own cells as its grid lays them out, in two files that take turns.
class HeatOnDisk {
 public:
  HeatOnDisk(const Grid& grid, const std::string& folder, IoMode io, SlabStream::Mode mode, int pieces)
      : grid_(grid),
        plane_(std::size_t(grid.layout().sz) * sizeof(double)),
        memory_({.folder = folder, .name = "rank " + std::to_string(grid.context().rank()), .mode = io}),
        now_(memory_, "now", grid.own().hi.z, plane_, pieces),
        next_(memory_, "next", grid.own().hi.z, plane_, pieces),
        stream_(memory_,
                SlabStream::slot_bytes(
                    memory_, {{&now_, StreamUse::Mode::reads, 1}, {&next_, StreamUse::Mode::writes}}),
                mode),
        // A rank's lowest and highest plane, whose neighbours in the other ranks are its halo.
        ends_grid_(grid.context(), {.cells = {grid.cells().x, grid.cells().y, 2 * grid.context().size()},
                                    .periodic = {true, true, true},
                                    .halo = 1,
                                    .split = {1, 1, grid.context().size()}}),
        ends_(ends_grid_, "ends"),
        exchange_(ends_grid_, {{&ends_.storage(0), star(1)}}),
        beyond_(2 * plane_) {}

  void fill() {
    std::vector<double> plane(std::size_t(grid_.layout().sz));
    const int nz = grid_.own().hi.z;
    for (int z = 0; z < nz; ++z) {
      for_plane([&](int x, int y) { plane[at(x, y)] = start(x, y, z + grid_.origin().z); });
      now_.store(z, z + 1, reinterpret_cast<const std::byte*>(plane.data()));
      if (z == 0) keep_end(0, plane.data());
      if (z == nz - 1) keep_end(1, plane.data());
    }
  }

  void step(double a) {
    exchange_.start();
    exchange_.wait();
    take_ends();
    FarArray& from = turned_ ? next_ : now_;
    FarArray& to = turned_ ? now_ : next_;
    const StreamPhase phase{{&from, StreamUse::Mode::reads, 1, beyond_.data()},
                            {&to, StreamUse::Mode::writes}};
    stream_.run(phase, [&](const Slot& slot) {
      for (int z = slot.lo() - 1; z <= slot.hi(); ++z) wrap(cells(slot, 0, z));
      const In<double> in{origin(slot, 0)};
      const Out<double> out{origin(slot, 1)};
      Box box = grid_.own();
      box.lo.z = slot.lo();
      box.hi.z = slot.hi();
      for_each(box, {}, {grid_.layout(), grid_.origin()}, 2, {}, Diffuse{a}, out, in);
      if (slot.lo() == 0) keep_end(0, cells(slot, 1, 0));
      if (slot.hi() == grid_.own().hi.z) keep_end(1, cells(slot, 1, slot.hi() - 1));
    });
    turned_ = !turned_;
  }

  int wrong(const Field<double>& expected) {
    stream_.finish();
    std::vector<double> plane(std::size_t(grid_.layout().sz));
    int count = 0;
    for (int z = 0; z < grid_.own().hi.z; ++z) {
      (turned_ ? next_ : now_).load(z, z + 1, reinterpret_cast<std::byte*>(plane.data()));
      for_plane([&](int x, int y) {
        const double value = expected.get({x, y, z});
        count += std::memcmp(&plane[at(x, y)], &value, sizeof value) != 0;
      });
    }
    return count;
  }

 private:
  /// A plane begins with the halo of its first row: where a cell lies in it.
  std::size_t at(int x, int y) const { return std::size_t(lead() + x + y * grid_.layout().sy); }
  std::ptrdiff_t lead() const { return grid_.layout().sy + 1; }
  template <class F>
  void for_plane(F&& f) const {
    for (int y = 0; y < grid_.own().hi.y; ++y)
      for (int x = 0; x < grid_.own().hi.x; ++x) f(x, y);
  }
  static double* cells(const Slot& slot, std::size_t use, int z) {
    return reinterpret_cast<double*>(slot.plane(use, z));
  }
  /// What own cell (0, 0, 0) would have as its address: the grid's offsets then hold inside the slot.
  double* origin(const Slot& slot, std::size_t use) const { return cells(slot, use, 0) + lead(); }
  void wrap(double* plane) const {
    const Int3 n = grid_.own().hi;
    for (int y = 0; y < n.y; ++y) {
      plane[at(-1, y)] = plane[at(n.x - 1, y)];
      plane[at(n.x, y)] = plane[at(0, y)];
    }
    for (int x = 0; x < n.x; ++x) {
      plane[at(x, -1)] = plane[at(x, n.y - 1)];
      plane[at(x, n.y)] = plane[at(x, 0)];
    }
  }
  void keep_end(int side, const double* plane) {
    const Out<double> out = ends_.modify();
    for_plane([&](int x, int y) { out.base[ends_grid_.layout().offset({x, y, side})] = plane[at(x, y)]; });
  }
  void take_ends() {
    auto* planes = reinterpret_cast<double*>(beyond_.data());
    for_plane([&](int x, int y) {
      planes[at(x, y)] = ends_.get({x, y, -1});
      planes[std::size_t(grid_.layout().sz) + at(x, y)] = ends_.get({x, y, 2});
    });
  }

  Grid grid_;
  std::size_t plane_;
  FileMemory memory_;
  FarArray now_, next_;
  SlabStream stream_;
  Grid ends_grid_;
  Field<double> ends_;
  HaloExchange exchange_;
  std::vector<std::byte> beyond_;
  bool turned_ = false;
};

TEST(HeatOnDisk, LeavesTheBitsOfASweepInMemory) {
  TestContext context({.threads = 2});
  const std::string folder =
      (std::filesystem::current_path() / ("scratch-heat-" + std::to_string(context.size()))).string();
  const Grid grid(
      context,
      {.cells = {20, 18, 26}, .periodic = {true, true, true}, .halo = 1, .split = {1, 1, context.size()}});
  for (const auto& [io, mode, pieces] : {std::tuple(IoMode::automatic, SlabStream::Mode::ring, 4),
                                         std::tuple(IoMode::automatic, SlabStream::Mode::ring, 1),
                                         std::tuple(IoMode::threads, SlabStream::Mode::ring, 8),
                                         std::tuple(IoMode::blocking, SlabStream::Mode::one_by_one, 3)}) {
    Field<double> T(grid, "T", {.levels = 2});
    T.fill(start);
    Runner runner(context, {.strategy = Strategy::blocking});
    Sweep diffuse("diffuse", Diffuse{}, writes(T.next()), reads(T.now(), star(1)));
    HeatOnDisk disk(grid, folder, io, mode, pieces);
    disk.fill();
    for (int step = 0; step < 5; ++step) {
      runner.run(diffuse, Diffuse{0.1});
      T.advance();
      disk.step(0.1);
    }
    EXPECT_EQ(disk.wrong(T), 0) << pieces << " pieces";
  }
  context.barrier();
  if (context.rank() == 0) std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sc::test
