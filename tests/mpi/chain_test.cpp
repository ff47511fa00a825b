// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// threads: 2
// timeout: 240
// label: sanitize checked
// Chain: pointwise stages fused tile by tile leave the bits of the same stages one after another. And stages
// bound to slots that hold a few planes of each field, filled and emptied slab by slab, leave those of a run
// in memory.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/stage/chain.hpp"
#include "engine/stage/line_stage.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

struct Flux {  // position matters
  SC_FN void operator()(At c, Index g, Out<double, 2> flux, In<double> u) const {
    flux[0][c] = u[c] * u[c] + 1e-3 * static_cast<double>(g.x + 2 * g.y - g.z);
    flux[1][c] = std::sqrt(1 + u[c] * u[c]);
  }
};
struct Update {
  double dt;
  SC_FN double operator()(At c, InOut<double> u, In<double, 2> flux, In<double> source) const {
    u[c] += dt * (flux[0][c] - 0.5 * flux[1][c]) + source[c];
    return u[c];
  }
};
struct Source {
  SC_FN std::array<double, 2> operator()(At c, Out<double> source, In<double> u) const {
    source[c] = 0.1 / (1 + u[c] * u[c]);
    return {source[c], -u[c]};
  }
};
struct Laplace {
  SC_FN void operator()(At c, Out<double> next, In<double> u) const {
    next[c] =
        u[c] + 0.1 * (u[c.x(1)] + u[c.x(-1)] + u[c.y(1)] + u[c.y(-1)] + u[c.z(1)] + u[c.z(-1)] - 6 * u[c]);
  }
};

double start_value(int x, int y, int z) { return std::sin(0.4 * x + 0.3 * y * z); }

struct System {
  Grid grid;
  Field<double> u{grid, "u"}, source{grid, "source"};
  Field<double, 2> flux{grid, "flux"};
  Sweep<Flux, detail::Declared<double, 2, Mode::write>, detail::Declared<double, 1, Mode::read>> first{
      "flux", Flux{}, writes(flux.now()), reads(u.now())};
  Sweep<Update, detail::Declared<double, 1, Mode::update>, detail::Declared<double, 2, Mode::read>,
        detail::Declared<double, 1, Mode::read>>
      second{"update",         Update{0.01},      SweepOptions{.reduce = Reduce::sum, .flops = 6},
             updates(u.now()), reads(flux.now()), reads(source.now())};
  Sweep<Source, detail::Declared<double, 1, Mode::write>, detail::Declared<double, 1, Mode::read>> third{
      "source", Source{}, SweepOptions{.reduce = Reduce::max, .flops = 4}, writes(source.now()),
      reads(u.now())};

  explicit System(const Grid& on) : grid(on) {
    u.fill(start_value);
    source.fill([](int x, int, int) { return 1e-3 * x; });
    flux.fill([](int, int, int, int) { return -7.0; });
  }
  std::vector<double> values() {
    std::vector<double> all;
    for_cells(grid.own(), [&](Int3 c) {
      all.push_back(u.get(c));
      all.push_back(source.get(c));
    });
    for (const Accumulator& a : sums) all.push_back(a.value());
    return all;
  }
  std::vector<Accumulator> sums;
};

const std::vector<Int3> sizes{{37, 23, 19}, {5, 4, 3}, {6001, 2, 4}, {70000, 1, 2}};

std::vector<double> one_by_one(Context& context, Int3 cells, RunnerOptions options) {
  System s(Grid(context, {.cells = cells, .halo = 1, .split = {1, 1, 1}}));
  Runner runner(context, options);
  for (int n = 0; n < 3; ++n) {
    runner.run(s.first);
    runner.run(s.second);
    runner.run(s.third);
  }
  for (const Accumulator& a : s.second.accumulators()) s.sums.push_back(a);
  for (const Accumulator& a : s.third.accumulators()) s.sums.push_back(a);
  return s.values();
}

TEST(Chain, LeavesTheBitsOfItsMembersOneByOne) {
  for (const Int3 cells : sizes) {
    Context one(MPI_COMM_SELF);
    const std::vector<double> expected = one_by_one(one, cells, {.strategy = Strategy::blocking});
    one.close();
    for (int threads : {1, 2})
      for (const bool in_between : {false, true})
        for (Strategy strategy : {Strategy::blocking, Strategy::boundary_first, Strategy::interior_first,
                                  Strategy::pipelined, Strategy::halo_thread}) {
          Context context(MPI_COMM_SELF, {.threads = threads});
          System s(Grid(context, {.cells = cells, .halo = 1, .split = {1, 1, 1}}));
          std::vector<Between> levels;
          if (in_between) levels.push_back(between(s.flux.now()));
          Chain chain("chain", levels, s.first, s.second, s.third);
          Runner runner(context, {.strategy = strategy});
          for (int n = 0; n < 3; ++n) runner.run(chain);
          for (const Accumulator& a : chain.accumulators()) s.sums.push_back(a);
          EXPECT_EQ(s.values(), expected) << strategy.name << to_string(cells) << threads;
          if (in_between) {
            EXPECT_EQ(s.flux.get({0, 0, 0}, 1), -7.0);
          }
          context.close();
        }
  }
}

// A stage that reads around its cell makes halos travel between the chains.
TEST(Chain, SendsHalosOfWhatItWrites) {
  const Int3 cells{14, 12, 16};
  const auto run = [&](Context& context, Int3 split, Strategy strategy, bool chained) {
    System s(Grid(context, {.cells = cells, .periodic = {true, true, true}, .halo = 1, .split = split}));
    Chain chain("chain", s.first, s.second, s.third);
    Sweep laplace("laplace", Laplace{}, writes(s.source.now()), reads(s.u.now(), star(1)));
    Runner runner(context, {.strategy = strategy, .poke_seconds = 1e-6});
    for (int n = 0; n < 4; ++n) {
      if (chained) {
        runner.run(chain);
      } else {
        runner.run(s.first);
        runner.run(s.second);
        runner.run(s.third);
      }
      runner.run(laplace);
    }
    std::vector<double> values;
    const Int3 o = s.grid.origin();
    for_cells(s.grid.own(), [&](Int3 c) { values.push_back(s.source.get(c) + 1e-9 * (o.x + o.y + o.z)); });
    s.u.storage(0).settle();
    context.barrier();
    return values;
  };
  for (TransportPolicy transport : {TransportPolicy::automatic, TransportPolicy::mpi}) {
    TestContext context({.threads = 2, .transport = transport});
    for (const Int3 split : splits(context.size())) {
      const auto expected = run(context, split, Strategy::blocking, false);
      for (Strategy strategy : {Strategy::blocking, Strategy::boundary_first, Strategy::interior_first,
                                Strategy::pipelined, Strategy::halo_thread})
        EXPECT_EQ(run(context, split, strategy, true), expected) << strategy.name;
    }
  }
}

TEST(Chain, MergesWhatItsMembersDeclare) {
  TestContext context;
  System s(Grid(context, {.cells = {16, 16, 16}, .halo = 1}));
  const Chain all("chain", s.first, s.second, s.third);
  ASSERT_EQ(all.accesses().size(), 3U);
  EXPECT_EQ(all.accesses()[0].field, &s.flux);
  EXPECT_EQ(all.accesses()[0].mode, Mode::write);  // set inside: not read from memory
  EXPECT_EQ(all.accesses()[1].field, &s.u);
  EXPECT_EQ(all.accesses()[1].mode, Mode::update);
  EXPECT_EQ(all.accesses()[2].mode, Mode::update);  // the source: read, then written
  EXPECT_EQ(all.bytes_per_cell(), 8.0 * (2 + 2 + 2));
  EXPECT_EQ(all.flops(), 10);
  const Chain less("chain", {between(s.flux.now())}, s.first, s.second);
  EXPECT_EQ(less.bytes_per_cell(), 8.0 * (2 + 1));
}

std::string refusal(const std::function<void()>& what) {
  try {
    what();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

struct Nothing {
  void operator()(const Bundle&, LineOut<double>) const {}
};

TEST(Chain, RefusesMembersThatAreNotPointwise) {
  TestContext context;
  System s(Grid(context, {.cells = {16, 16, 16}, .halo = 1, .split = {1, 1, context.size()}}));
  Sweep laplace("laplace", Laplace{}, writes(s.source.now()), reads(s.u.now(), star(1)));
  LineStage lines("lines", 0, Nothing{}, updates(s.u.now()));
  EXPECT_EQ(
      refusal([&] { Chain("chain", s.first, laplace); }),
      "chain \"chain\" cannot hold stage \"laplace\", which reads field \"u\" 1 cells away; members read "
      "their own cell only");
  EXPECT_EQ(refusal([&] { Chain("chain", s.first, lines); }),
            "chain \"chain\" cannot hold stage \"lines\", which runs on whole lines");
  EXPECT_EQ(
      refusal([&] { Chain("chain", {between(s.flux.now())}, s.second, s.first); }),
      "chain \"chain\" reads field \"flux\" before a member has set it; a level in between must be written "
      "first");
}

// A vector has one row only, which threads share: the same cells, each once, and the same sums.
TEST(Vectors, AreSharedByThreads) {
  std::vector<double> expected;
  for (int threads : {1, 2, 3})
    for (Strategy strategy : {Strategy::blocking, Strategy::boundary_first, Strategy::halo_thread}) {
      Context context(MPI_COMM_SELF, {.threads = threads});
      System s(Grid(context, {.cells = {1000, 1, 1}, .halo = 1}));
      Runner runner(context, {.strategy = strategy});
      for (int n = 0; n < 2; ++n) {
        runner.run(s.first);
        runner.run(s.second);
      }
      s.sums.push_back(s.second.accumulators()[0]);
      if (expected.empty()) expected = s.values();
      EXPECT_EQ(s.values(), expected) << threads << strategy.name;
      double sum = 0;
      for (int x = 0; x < 1000; ++x) sum += s.u.get({x, 0, 0});
      EXPECT_NEAR(s.sums.back().value(), sum, 1e-10);
      context.close();
    }
}

/// Slots of a few planes of each field a stage declares, and the copies in and out: what a stream does.
class Ring {
 public:
  Ring(Stage& stage, int planes) : stage_(stage), planes_(planes), slots_(3) {
    for (Slot& slot : slots_)
      for (const Access& a : stage.accesses()) {
        const std::size_t bytes = slab_bytes(a.storage(), planes + 2 * a.reach.width);
        slot.memory.push_back(std::vector<std::byte>(bytes));
      }
  }
  void run() {
    const Box own = stage_.grid().own();
    for (int z = 0, turn = 0; z < own.hi.z; z += planes_, ++turn) {
      Box slab = own;
      slab.lo.z = z;
      slab.hi.z = std::min(own.hi.z, z + planes_);
      compute(slots_[static_cast<std::size_t>(turn % 3)], slab);
    }
    stage_.bind({});
  }

 private:
  struct Slot {
    std::vector<std::vector<std::byte>> memory;
  };
  void compute(Slot& slot, const Box& slab) {
    std::vector<Place> places;
    const auto& accesses = stage_.accesses();
    const auto each_component = [&](auto&& copy) {
      for (std::size_t n = 0; n < accesses.size(); ++n) {
        const Access& a = accesses[n];
        const int first = slab.lo.z - a.reach.width, held = planes_ + 2 * a.reach.width;
        const int used = slab.hi.z - slab.lo.z + 2 * a.reach.width;
        const auto plane =
            static_cast<std::size_t>(a.storage().grid().layout().sz) * size_of(a.storage().type());
        for (int k = 0; k < a.storage().components(); ++k)
          copy(a, plane_of(a.storage(), first, k),
               slot.memory[n].data() + static_cast<std::size_t>(k) * static_cast<std::size_t>(held) * plane,
               static_cast<std::size_t>(used) * plane);
      }
    };
    for (std::size_t n = 0; n < accesses.size(); ++n) {
      const Access& a = accesses[n];
      std::fill(slot.memory[n].begin(), slot.memory[n].end(), std::byte{0xff});  // NaN
      places.push_back(place_in_slab(a.storage(), slot.memory[n].data(), slab.lo.z - a.reach.width,
                                     planes_ + 2 * a.reach.width));
    }
    each_component([](const Access& a, const std::byte* field, std::byte* slot_at, std::size_t bytes) {
      if (a.mode != Mode::write) std::memcpy(slot_at, field, bytes);
    });
    stage_.bind(places);
    stage_.compute(slab, 2, stage_.accumulators());
    each_component([](const Access& a, std::byte* field, const std::byte* slot_at, std::size_t bytes) {
      if (a.mode != Mode::read) std::memcpy(field, slot_at, bytes);
    });
  }
  Stage& stage_;
  int planes_;
  std::vector<Slot> slots_;
};

TEST(Binding, SlabBySlabLeavesTheBitsOfARunInMemory) {
  const Int3 cells{21, 13, 17};
  for (int planes : {1, 2, 5}) {
    Context context(MPI_COMM_SELF, {.threads = 2});
    const Grid grid(context, {.cells = cells, .halo = 1});
    System memory(grid), slots(grid);
    Field<double> a(grid, "a"), b(grid, "b");
    for (System* s : {&memory, &slots})
      for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side) boundary(s->u, {axis, side}, Mirrored<double>{});
    Runner runner(context, {.strategy = Strategy::blocking});
    Sweep in_memory("laplace", Laplace{}, writes(a.now()), reads(memory.u.now(), star(1)));
    Sweep in_slots("laplace", Laplace{}, writes(b.now()), reads(slots.u.now(), star(1)));
    Chain chain_in_memory("chain", memory.first, memory.second, memory.third);
    Chain chain_in_slots("chain", {between(slots.flux.now())}, slots.first, slots.second, slots.third);
    Ring ring(in_slots, planes), chain_ring(chain_in_slots, planes);
    for (int n = 0; n < 3; ++n) {
      runner.run(in_memory);
      runner.run(chain_in_memory);
      runner.refresh(slots.u.now(), star(1));
      ring.run();
      for (Accumulator& value : chain_in_slots.accumulators()) value.clear();
      chain_ring.run();
      slots.u.storage(0).set_fresh(point);
    }
    for_cells(grid.own(), [&](Int3 c) { ASSERT_EQ(b.get(c), a.get(c)) << to_string(c); });
    for (const Accumulator& value : chain_in_memory.accumulators()) memory.sums.push_back(value);
    for (const Accumulator& value : chain_in_slots.accumulators()) slots.sums.push_back(value);
    EXPECT_EQ(slots.values(), memory.values()) << planes;
    context.close();
  }
}

/// A running sum along y in slots of planes normal to z.
struct Sum {
  SC_FN void operator()(const Bundle& b, LineOut<double> s, LineIn<double> u) const {
    b.each([&](int l) { s(0, l) = u(0, l); });
    for (int n = 1; n < b.count; ++n) b.each([&](int l) { s(n, l) = s(n - 1, l) + u(n, l); });
  }
};

TEST(Binding, HoldsForLinesToo) {
  Context context(MPI_COMM_SELF, {.threads = 2});
  const Grid grid(context, {.cells = {21, 13, 17}, .halo = 2});
  Field<double> u(grid, "u"), a(grid, "a"), b(grid, "b");
  u.fill(start_value);
  LineStage in_memory("sum", 1, Sum{}, writes(a.now()), reads(u.now()));
  LineStage in_slots("sum", 1, Sum{}, writes(b.now()), reads(u.now()));
  in_memory.compute(grid.own(), 1, {});
  Ring(in_slots, 3).run();
  for_cells(grid.own(), [&](Int3 c) { ASSERT_EQ(b.get(c), a.get(c)) << to_string(c); });
  EXPECT_THROW(in_slots.bind(std::vector<Place>(3)), Error);
  context.close();
}

}  // namespace
}  // namespace sc::test
