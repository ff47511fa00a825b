// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// device: yes
// timeout: 300
// optimise: no
// label: checked
// Fields in the host's memory that a device computes slab by slab: the same runner, sweeps, conditions and
// reductions give the bits of fields in memory, for every split, reach and strategy.
#include "engine/base/error.hpp"
#include "engine/grid/cells.hpp"
#include "engine/move/output/gather.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "engine/stage/slabs.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/placed_fields.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

class OnDevices : public OnDevice {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(backends()), backend_name);

TEST_P(OnDevices, StagesOverTheHostsMemoryLeaveItsBits) {
  TestContext context;
  open(context, GetParam());
  std::size_t turn = std::size_t(GetParam());
  for (const auto& [strategy, pieces] : {std::pair(Strategy::boundary_first, 4),
                                         {Strategy::pipelined, 1},
                                         {Strategy::interior_first, 8},
                                         {Strategy::blocking, 3},
                                         {Strategy::ordered, 5}})
    compare_all(context, in_host_memory_of(context.device(), pieces), strategy, pieces, turn);
}

/// A field that stays on the device, and one that is copied to it.
struct Mix {
  double a;
  SC_FN void operator()(At c, Out<double, 2> next, In<double, 2> T, In<double> weight) const {
    for (int k = 0; k < 2; ++k)
      next[k][c] = T[k][c] + a * (weight[c.x(1)] + weight[c.z(-1)]) * (T[k][c.y(1)] - T[k][c.z(1)]);
  }
};

TEST_P(OnDevices, MixWithFieldsThatLieThere) {
  TestContext context;
  open(context, GetParam());
  for (const Setting& setting : settings(context.size()))
    for (const Strategy strategy : {Strategy::boundary_first, Strategy::interior_first}) {
      const Grid grid(context,
                      {.cells = {12, 14, 16}, .periodic = {true, true, true}, .split = setting.split});
      std::vector<std::byte> ends[2];
      for (const bool placed : {false, true}) {
        FieldOptions where{.levels = 2};
        if (placed) where.place = in_host_memory_of(context.device(), 3);
        Field<double, 2> T(grid, "T", where);
        Field<double> weight(grid, "weight", {.space = placed ? Space::device : Space::host});
        T.fill(first);
        weight.fill([](int x, int y, int z) { return 1.0 / (1 + x + 2 * y + 3 * z); });
        Runner runner(context, {.strategy = strategy});
        Sweep mix("mix", Mix{0.1}, writes(T.next()), reads(T.now(), star(1)), reads(weight.now(), star(1)));
        for (int step = 0; step < 3; ++step) {
          runner.run(mix);
          T.advance();
        }
        ends[placed ? 1 : 0] = gather(T.storage(0));
      }
      EXPECT_EQ(ends[0], ends[1]) << setting.what << strategy.name;
    }
}

TEST_P(OnDevices, KeepWhatTheHostSeesAndSets) {
  TestContext context;
  open(context, GetParam());
  const Grid grid(context, {.cells = {9, 7, 12}, .periodic = {true, true, true}});
  Field<double, 2> T(grid, "T", {.place = in_host_memory_of(context.device(), 2)});
  T.fill(first);
  Runner runner(context, {});
  Sweep damp("damp", Damp{0.25}, updates(T.now()));
  runner.run(damp);
  int wrong = 0;
  const Int3 origin = grid.origin();
  T.each_slab([&](int lo, int hi, In<double, 2> cells) {
    for (int k = 0; k < 2; ++k)
      for (int z = lo; z < hi; ++z) {
        const double then = first(k, origin.x + 3, origin.y, origin.z + z);
        wrong += cells.base[k * cells.stride + grid.layout().offset({3, 0, z})] != then - 0.25 * then;
      }
  });
  EXPECT_EQ(wrong, 0);
  T.fill(first);  // modified again: prefetched pieces are invalid
  Sweep sum("sum", Both{}, SweepOptions{.reduce = Reduce::max}, reads(T.now()));
  runner.run(sum);
  double largest = -1e9;
  each_cell(grid.own(), [&](Int3 c) {
    const Int3 g = origin + c;
    largest = std::max(largest, first(0, g.x, g.y, g.z) + 2 * first(1, g.x, g.y, g.z));
  });
  EXPECT_EQ(sum.accumulators()[0].value(), largest);
}

TEST(PlacementBesideADevice, HidesMessagesAndTheLink) {
  TestContext context({.transport = TransportPolicy::delayed, .delay = 20e-3});
  context.set_device(std::make_shared<EmulatedDevice>(EmulatedOptions{.link_bytes_per_second = 10e6}));
  expect_hidden(context, in_host_memory_of(context.device(), 8), Resource::link);
}

TEST_P(OnDevices, RefuseWhatCannotPassSlabBySlab) {
  TestContext context;
  const Grid grid(context,
                  {.cells = {8, 8, 32}, .periodic = {true, true, true}, .split = {1, 1, context.size()}});
  EXPECT_NE(refusal([&] { in_host_memory_of(context.device(), 2); }).find("has none open"),
            std::string::npos);
  open(context, GetParam());
  Field<double, 2> T(grid, "T", {.levels = 2, .place = in_host_memory_of(context.device(), 2)});
  EXPECT_NE(refusal([&] { T.modify(); }, Exit::failure).find("lies in the host's memory beside a device"),
            std::string::npos);
  Field<double, 2> host(grid, "host");
  Sweep both("both", Diffuse<1, false>{0.1}, writes(host.now()), reads(T.now(), star(1)));
  Runner runner(context, {});
  EXPECT_NE(refusal([&] { runner.run(both); }).find("in different memories"), std::string::npos);
  Runner dividing(context, {.strategy = Strategy::halo_thread});
  Sweep damp("damp", Damp{0.1}, updates(T.now()));
  EXPECT_NE(refusal([&] { dividing.run(damp); }).find("divides the threads"), std::string::npos);
}

}  // namespace
}  // namespace sc::test
