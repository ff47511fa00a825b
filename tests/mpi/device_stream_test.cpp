// SPDX-License-Identifier: Apache-2.0
// ranks: 1
// device: yes
// label: checked
// A field in the host's memory that a device computes slot by slot, with the ring for fields on disk: the
// bits of the same kernel on a field in memory.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/move/stream/host_memory.hpp"
#include "engine/move/stream/slab_stream.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

constexpr int nx = 37, ny = 13;
constexpr Int3 cells{nx, ny, 26};

/// Insulated faces; along z the ring provides the planes beside those of a slot.
struct Diffuse {
  double a;
  SC_FN void operator()(At c, Index g, Out<double> next, In<double> T) const {
    const double west = g.x > 0 ? T[c.x(-1)] : T[c], east = g.x < nx - 1 ? T[c.x(1)] : T[c];
    const double south = g.y > 0 ? T[c.y(-1)] : T[c], north = g.y < ny - 1 ? T[c.y(1)] : T[c];
    const double below = g.z > 0 ? T[c.z(-1)] : T[c], above = g.z < cells.z - 1 ? T[c.z(1)] : T[c];
    next[c] = T[c] + a * (((west + east) + (south + north)) + (below + above) - 6 * T[c]);
  }
};

double start(int x, int y, int z) { return std::sin(0.3 * x) + 0.2 * std::cos(1.1 * y) * std::sin(0.7 * z); }

class OnDevices : public OnBackend {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(backends()), backend_name);

/// Two arrays in far memory that are swapped after each step.
class Heat {
 public:
  Heat(const Grid& grid, const std::shared_ptr<Device>& device, bool one_by_one, int pieces)
      : grid_(grid),
        device_(*device),
        plane_(std::size_t(grid.layout().sz) * sizeof(double)),
        memory_(device),
        now_(memory_, "now", cells.z, plane_, pieces),
        next_(memory_, "next", cells.z, plane_, pieces),
        slot_(SlabStream::slot_bytes({{&now_, Mode::read, 1}, {&next_, Mode::write}})),
        stream_(memory_, slot_, one_by_one ? 0 : memory_.batches_ahead(slot_)) {}

  void fill() {
    std::vector<double> plane(std::size_t(grid_.layout().sz));
    for (int z = 0; z < cells.z; ++z) {
      for (int y = 0; y < cells.y; ++y)
        for (int x = 0; x < cells.x; ++x) plane[at(x, y)] = start(x, y, z);
      now_.store(z, z + 1, reinterpret_cast<const std::byte*>(plane.data()));
    }
  }
  void step(double a) {
    FarArray& from = turned_ ? next_ : now_;
    FarArray& to = turned_ ? now_ : next_;
    stream_.run({{&from, Mode::read, 1}, {&to, Mode::write}}, [&](const Slot& slot) {
      Box box = grid_.own();
      box.lo.z = slot.lo();
      box.hi.z = slot.hi();
      device_cells(device_, Stream::core, box, {}, {grid_.layout(), grid_.origin()}, nullptr, Reduce::none,
                   "diffuse", Diffuse{a}, Out<double>{origin(slot, 1)}, In<double>{origin(slot, 0)});
    });
    turned_ = !turned_;
  }
  int wrong(const Field<double>& expected) {
    stream_.finish();
    std::vector<double> plane(std::size_t(grid_.layout().sz));
    int count = 0;
    for (int z = 0; z < cells.z; ++z) {
      (turned_ ? next_ : now_).load(z, z + 1, reinterpret_cast<std::byte*>(plane.data()));
      for (int y = 0; y < cells.y; ++y)
        for (int x = 0; x < cells.x; ++x) {
          const double value = expected.get({x, y, z});
          count += std::memcmp(&plane[at(x, y)], &value, sizeof value) != 0;
        }
    }
    return count;
  }
  const HostMemory& memory() const { return memory_; }

 private:
  std::size_t at(int x, int y) const { return std::size_t(lead() + x + y * grid_.layout().sy); }
  std::ptrdiff_t lead() const { return grid_.layout().sy + 1; }
  double* origin(const Slot& slot, std::size_t use) const {
    return reinterpret_cast<double*>(slot.plane(use, 0)) + lead();
  }

  Grid grid_;
  Device& device_;
  std::size_t plane_;
  HostMemory memory_;
  FarArray now_, next_;
  std::size_t slot_;
  SlabStream stream_;
  bool turned_ = false;
};

TEST_P(OnDevices, StreamFieldsLargerThanTheyAre) {
  if (GetParam() == Backend::host) GTEST_SKIP() << "the ring needs a device";
  TestContext context;
  open(context, GetParam());
  const Grid grid(context, {.cells = cells, .halo = 1});
  for (const auto& [one_by_one, pieces] : {std::pair(false, 7), {false, 3}, {false, 1}, {true, 5}}) {
    Field<double> T(grid, "T", {.levels = 2});
    T.boundaries().leave_others(Beyond::unread);
    T.fill(start);
    Runner runner(context, {.strategy = Strategy::blocking});
    Sweep diffuse("diffuse", Diffuse{}, writes(T.next()), reads(T.now(), star(1)));
    Heat heat(grid, context.device(), one_by_one, pieces);
    heat.fill();
    for (int n = 0; n < 6; ++n) {
      runner.run(diffuse, Diffuse{0.1});
      T.advance();
      heat.step(0.1);
    }
    EXPECT_EQ(heat.wrong(T), 0) << pieces;
    EXPECT_GE(heat.memory().bytes(Way::in), 6 * std::int64_t(T.storage(0).grid().layout().sz) * 8 * cells.z);
  }
}

}  // namespace
}  // namespace sc::test
