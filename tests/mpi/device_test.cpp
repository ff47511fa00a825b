// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// device: yes
// label: checked
// Guarantees for fields on a device: values, reductions with the same bits, halos by the same plan, errors
// for impossible operations; and the emulated device detects a missing wait.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/exec/cell_copy.hpp"
#include "engine/exec/for_each.hpp"
#include "engine/field/table.hpp"
#include "engine/grid/cells.hpp"
#include "engine/move/exchange.hpp"
#include "engine/move/output/excerpt.hpp"
#include "engine/move/parcels/halo_parcels.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

class OnDevices : public OnBackend {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(backends()), backend_name);

// Magnitudes from 1e-300 to 1e300 and subnormal numbers, of both signs.
double wild(int x, int y, int z) {
  const int n = (x * 7919 + y * 104729 + z * 1299709) % 1009;
  const double mantissa = 1 + n / 1009.0;
  const int exponent = (x * 31 + y * 17 + z * 101) % 640 - 320;
  return (n % 2 ? -mantissa : mantissa) * std::pow(10.0, exponent);
}
double tame(int x, int y, int z) { return std::sin(0.3 * x + 1.7 * y) * std::cos(0.9 * z) + 1e-7 * x; }

struct Both {
  SC_FN std::array<double, 2> operator()(At c, In<double> q) const { return {q[c], -q[c] * q[c]}; }
};

std::array<double, 6> reduced(Context& context, Field<double>& q) {
  Runner runner(context, {.strategy = Strategy::boundary_first});
  std::array<double, 6> all{};
  std::size_t n = 0;
  for (const Reduce reduce : {Reduce::sum, Reduce::max, Reduce::min}) {
    Sweep both("both", Both{}, SweepOptions{.reduce = reduce}, reads(q.now()));
    GlobalValue global(context);
    runner.run(both);  // results of the first run must not be added again
    runner.run(both);
    global.start(both.accumulators());
    all[n++] = global.value(0);
    all[n++] = global.value(1);
  }
  return all;
}

TEST_P(OnDevices, ReduceToTheBit) {
  TestContext context;
  open(context, GetParam());
  const Grid grid(context, {.cells = {67, 19, 21}, .halo = 1});
  for (const auto& value : {&wild, &tame}) {
    Field<double> host(grid, "host"), there(grid, "there", {.space = space_of(GetParam())});
    host.fill(*value);
    there.fill(*value);
    const auto expected = reduced(context, host), got = reduced(context, there);
    for (std::size_t n = 0; n < got.size(); ++n) {
      EXPECT_TRUE(got[n] == expected[n] || (std::isnan(got[n]) && std::isnan(expected[n]))) << n;
    }
    // A single NaN is the result of all reductions.
    there.fill([&](int x, int y, int z) {
      return x == 60 && y == 3 && z == 20 ? std::numeric_limits<double>::quiet_NaN() : (*value)(x, y, z);
    });
    for (const double v : reduced(context, there)) EXPECT_TRUE(std::isnan(v));
  }
}

struct Twice {
  SC_FN void operator()(At c, Out<double> to, In<double> from) const { to[c] = 2 * from[c]; }
};

TEST_P(OnDevices, ShowTheHostWhatTheyHold) {
  TestContext context;
  open(context, GetParam());
  const Grid grid(context, {.cells = {9, 8, 7}, .periodic = {true, true, true}, .halo = 1});
  Field<double> q(grid, "q", {.levels = 2, .space = space_of(GetParam())});
  Runner runner(context, {.strategy = Strategy::boundary_first});
  q.fill(tame);
  for (int round = 1; round <= 3; ++round) {
    Sweep twice("twice", Twice{}, writes(q.next()), reads(q.now()));
    runner.run(twice);
    q.advance();
    const Int3 at = grid.origin();
    EXPECT_EQ(q.get({2, 1, 0}), std::ldexp(tame(at.x + 2, at.y + 1, at.z), round));
    // Elements that the host does not write keep the values computed by the device.
    const Out<double> cells = q.modify();
    cells.base[grid.layout().offset({2, 1, 0})] = 5;
    EXPECT_EQ(q.get({1, 1, 0}), std::ldexp(tame(at.x + 1, at.y + 1, at.z), round));
    cells.base[grid.layout().offset({2, 1, 0})] = std::ldexp(tame(at.x + 2, at.y + 1, at.z), round);
  }
  runner.refresh(q.now(), box(1));
  EXPECT_EQ(q.get({-1, -1, -1}),
            q.get({-1, -1, grid.own().hi.z - 1 + (grid.split().z > 1 ? -grid.own().hi.z : 0)}));
}

struct Weigh {
  const double* weight;  // of planes x = -1 … n
  SC_FN void operator()(At c, Index g, InOut<double> q) const { q[c] *= weight[g.x + 1] - weight[g.x]; }
};

TEST_P(OnDevices, LookUpTables) {
  TestContext context;
  const Grid grid(context, {.cells = {9, 8, 7}, .halo = 1});
  const Space space = space_of(GetParam());
  const auto squares = [&] {
    std::vector<double> values;
    for (int x = -1; x <= 9; ++x) values.push_back(x * x);
    return Table<double>(context, space, std::move(values));
  };
  if (space == Space::device) {
    EXPECT_THROW(squares(), Error);
  }
  open(context, GetParam());
  Field<double> q(grid, "q", {.space = space});
  q.fill(tame);
  Runner runner(context, {.strategy = Strategy::boundary_first});
  Table<double> table = squares();
  const Table<double> copy = table;
  table = {};
  EXPECT_EQ(copy.values().back(), 81);
  Sweep weigh("weigh", Weigh{copy.data()}, updates(q.now()));
  runner.run(weigh);
  const Int3 at = grid.origin();
  for (int x = 0; x < grid.own().hi.x; ++x)
    EXPECT_EQ(q.get({x, 1, 2}), tame(at.x + x, at.y + 1, at.z + 2) * (2 * (at.x + x) - 1)) << x;
}

// All types, mixed so that packed cells of 8 bytes begin at odd multiples of 4.
TEST_P(OnDevices, ExchangeHalosByTheSamePlan) {
  TestContext context;
  open(context, GetParam());
  for (const Corners corners : {Corners::direct, Corners::staged})
    for (const std::size_t piece : {std::size_t{300}, std::size_t{1} << 22}) {
      const Grid grid(context, {.cells = {11, 10, 13}, .periodic = {true, false, true}, .halo = 2});
      Field<float> a(grid, "a", {.space = space_of(GetParam())});
      Field<double, 2> b(grid, "b", {.space = space_of(GetParam())});
      Field<std::int32_t> c(grid, "c", {.space = space_of(GetParam())});
      Field<std::complex<double>> d(grid, "d", {.space = space_of(GetParam())});
      const auto number = [](int x, int y, int z) { return 1000.0 * z + 30.0 * y + x; };
      a.fill([&](int x, int y, int z) { return float(number(x, y, z)); });
      b.fill([&](int k, int x, int y, int z) { return number(x, y, z) + 1e6 * k; });
      c.fill([&](int x, int y, int z) { return int(number(x, y, z)); });
      d.fill([&](int x, int y, int z) { return std::complex<double>(number(x, y, z), -1); });
      Exchange exchange(grid.context(), halo_parcels(grid,
                                                     {{&a.storage(0), star(1)},
                                                      {&b.storage(0), box(2)},
                                                      {&c.storage(0), box(1)},
                                                      {&d.storage(0), star(2)}},
                                                     {.corners = corners, .device_piece_bytes = piece}));
      for (int round = 0; round < 3; ++round) {
        exchange.start();
        while (!exchange.test()) {
        }
        exchange.wait();
      }
      const Int3 n = grid.own().hi, o = grid.origin(), all = grid.cells();
      for (int z = -2; z < n.z + 2; ++z)
        for (int x = -2; x < n.x + 2; ++x) {
          const int y = 4 % n.y;
          const double expected = number((o.x + x + all.x) % all.x, o.y + y, (o.z + z + all.z) % all.z);
          EXPECT_EQ(b.get({x, y, z}, 1), expected + 1e6);
          if (x < -1 || x > n.x || z < -1 || z > n.z) continue;
          EXPECT_EQ(c.get({x, y, z}), int(expected));
          if ((x < 0 || x >= n.x) && (z < 0 || z >= n.z)) continue;
          EXPECT_EQ(a.get({x, y, z}), float(expected));
          EXPECT_EQ(d.get({x, y, z}).real(), expected);
        }
    }
}

TEST_P(OnDevices, GiveSomeOfTheirCells) {
  TestContext context;
  open(context, GetParam());
  const Grid grid(context, {.cells = {9, 8, 7}, .halo = 1});
  const Int3 n = grid.own().hi, o = grid.origin();
  Field<double, 2> q(grid, "q", {.space = space_of(GetParam())});
  q.fill([](int k, int x, int y, int z) { return tame(x, y, z) + k; });
  for (const Box& box : {Box{{0, 1, 1}, {n.x, 2, 2}}, Box{{1, 0, 0}, {2, n.y, n.z}}}) {
    const Excerpt some(q.now(), box);
    for (int k = 0; k < 2; ++k)
      each_cell(box, [&](Int3 c) { EXPECT_EQ(some.get(c, k), tame(o.x + c.x, o.y + c.y, o.z + c.z) + k); });
  }
  EXPECT_TRUE(bytes_of(q.storage(0), {}).empty());
}

TEST_P(OnDevices, SayWhatTheyCannotDo) {
  TestContext context;
  const Grid grid(context, {.cells = {12, 12, 12}, .halo = 1});
  EXPECT_NE(refusal([&] { Field<double>(grid, "early", {.space = Space::device}); }).find("\"early\""),
            std::string::npos);
  if (GetParam() == Backend::host) return;
  open(context, GetParam());
  Field<double> here(grid, "here"), there(grid, "there", {.levels = 2, .space = Space::device});
  Runner runner(context, {.strategy = Strategy::boundary_first});
  Sweep mixed("mixed", Twice{}, writes(there.now()), reads(here.now()));
  const std::string both = refusal([&] { runner.run(mixed); });
  EXPECT_NE(both.find("\"there\" and field \"here\" in different memories"), std::string::npos) << both;
  Sweep twice("twice", Twice{}, writes(there.next()), reads(there.now()));
  Runner threads(context, {.strategy = Strategy::halo_thread});
  EXPECT_NE(refusal([&] { threads.run(twice); }).find("halo_thread"), std::string::npos);
  const auto together = [&] {
    Exchange(grid.context(), halo_parcels(grid, {{&here.storage(0), star(1)}, {&there.storage(0), star(1)}}));
  };
  EXPECT_NE(refusal(together, Exit::failure).find("different memories"), std::string::npos);
}

TEST(Devices, HaveNames) {
  EXPECT_EQ(device_of("cuda"), DeviceKind::cuda);
  EXPECT_EQ(device_of("emulated"), DeviceKind::emulated);
  EXPECT_THROW(device_of("gpu"), Error);
  if (why_no_cuda().empty()) return;
  TestContext context;
  const std::string said = refusal([&] { open_device(context, DeviceKind::cuda); });
  EXPECT_NE(said.find("engine.device is \"cuda\", but this "), std::string::npos) << said;
}

// The emulation itself: without the wait, the copy contains the old values, in each order of execution.
TEST(EmulatedDevice, ShowsAMissingWait) {
  for (const Disorder disorder : {Disorder::late, Disorder::shuffled})
    for (const bool waits : {true, false}) {
      int wrong = 0;
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto device = std::make_shared<EmulatedDevice>(EmulatedOptions{disorder, seed, false});
        const Device::Memory cell = device->allocate(8), seen = device->pinned(8);
        std::byte* p = cell.get();
        device->enqueue(Stream::core, [p] { *p = std::byte{7}; });
        if (waits) device->after(Stream::edge, device->record(Stream::core));
        device->copy(Stream::edge, seen.get(), p, 1);
        device->wait(device->record(Stream::edge));
        wrong += *seen != std::byte{7};
      }
      if (waits)
        EXPECT_EQ(wrong, 0);
      else
        EXPECT_GT(wrong, 0);
    }
}

TEST(EmulatedDeviceDeathTest, GuardsItsMemory) {
  GTEST_FLAG_SET(death_test_style, "fast");  // a restarted program would restart MPI
  const auto device = std::make_shared<EmulatedDevice>();
  const Device::Memory cell = device->allocate(8);
  EXPECT_DEATH(*cell = std::byte{1}, "");
}

TEST(EmulatedDeviceDeathTest, GuardsEachPieceOfItsMemoryAgainAfterATask) {
  GTEST_FLAG_SET(death_test_style, "fast");
  const auto device = std::make_shared<EmulatedDevice>();
  const std::size_t sizes[] = {8, 9000, 8, 5000, 8};
  std::vector<Device::Memory> pieces;
  for (const std::size_t size : sizes) pieces.push_back(device->allocate(size));
  pieces[1].reset();  // leaves a hole
  for (std::size_t n = 0; n < pieces.size(); ++n)
    if (std::byte* const p = pieces[n].get())
      device->enqueue(Stream::core, [p, last = sizes[n] - 1] { p[0] = p[last] = std::byte{7}; });
  device->finish();
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    std::byte* const p = pieces[n].get();
    if (!p) continue;
    EXPECT_DEATH(p[0] = std::byte{1}, "") << n;
    EXPECT_DEATH(p[sizes[n] - 1] = std::byte{1}, "") << n;
  }
}

}  // namespace
}  // namespace sc::test
