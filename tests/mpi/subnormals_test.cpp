// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// threads: 2
// Kernels take subnormal numbers as zero: in rows, in fluxes and on lines, in both precisions, on every
// thread, on the host and on an emulated device. The program around them keeps subnormal numbers.
#include <gtest/gtest.h>

#include <limits>

#include "engine/exec/emulated_device.hpp"
#include "engine/stage/line_stage.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

template <class T>
constexpr T least = std::numeric_limits<T>::min();  // the smallest number that is not subnormal

/// Results that would be subnormal, and subnormal numbers that would become large.
template <class T>
struct Scale {
  T by;
  SC_FN void operator()(At c, Out<T> out, In<T> in) const { out[c] = in[c] * by; }
};
template <class T>
struct ScaleInFluxes {
  using FluxType = T;
  T by;
  template <int axis>
  SC_FN T flux_above(At c, Out<T>, In<T> in) const {
    return axis == 0 ? in[c] * by : T(0);
  }
  SC_FN void operator()(At c, Index, const Fluxes<T>&, const Fluxes<T>& high, Out<T> out, In<T>) const {
    out[c] = high.x;
  }
};
struct ScaleOnLines {
  double by;
  SC_FN void operator()(const Bundle& b, LineOut<double> out, LineIn<double> in) const {
    for (int n = 0; n < b.count; ++n) b.each([&](int l) { out(n, l) = in(n, l) * by; });
  }
};

/// Cells that are not zero after `make(out, in)` has run on cells of the value `start`.
template <class T, class Make>
int kept(Context& context, T start, Space space, const Make& make) {
  const Grid grid(context, {.cells = {70, 9, 8}, .periodic = {true, true, true}, .halo = 1});
  Field<T> in(grid, "in", {.space = space}), out(grid, "out", {.space = space});
  in.fill([&](int, int, int) { return start; });
  out.fill([](int, int, int) { return T(1); });
  Runner runner(context, {.strategy = Strategy::boundary_first});
  auto stage = make(out, in);
  runner.run(stage);
  int count = 0;
  each_cell(grid.own(), [&](Int3 c) { count += out.get(c) != 0; });
  return count;
}

template <class T>
void expect_zero(Context& context, Space space) {
  const auto in_rows = [](T by) {
    return [=](auto& out, auto& in) {
      return Sweep("rows", Scale<T>{by}, writes(out.now()), reads(in.now(), star(1)));
    };
  };
  const auto in_fluxes = [](T by) {
    return [=](auto& out, auto& in) {
      return Sweep("fluxes", ScaleInFluxes<T>{by}, writes(out.now()), reads(in.now(), star(1)));
    };
  };
  const T half(0.5), large(1 / least<T>);
  EXPECT_EQ(kept(context, least<T>, space, in_rows(half)), 0) << "a result";
  EXPECT_EQ(kept(context, T(least<T> * half), space, in_rows(large)), 0) << "an operand";
  EXPECT_EQ(kept(context, least<T>, space, in_fluxes(half)), 0) << "a flux";
  EXPECT_EQ(kept(context, T(least<T> * half), space, in_fluxes(large)), 0) << "an operand of a flux";
  EXPECT_EQ(kept(context, T(2 * least<T>), space, in_rows(half)), 70 * 9 * 8 / context.size());
}

TEST(Subnormals, AreZeroInRowsAndFluxes) {
  for (const int threads : {1, 2}) {
    TestContext context({.threads = threads});
    expect_zero<float>(context, Space::host);
    expect_zero<double>(context, Space::host);
  }
}

TEST(Subnormals, AreZeroOnAnEmulatedDevice) {
  TestContext context;
  context.set_device(std::make_shared<EmulatedDevice>(EmulatedOptions{Disorder::late, 1, false}));
  expect_zero<float>(context, Space::device);
  expect_zero<double>(context, Space::device);
}

TEST(Subnormals, AreZeroOnLines) {
  for (const int threads : {1, 2}) {
    TestContext context({.threads = threads});
    const auto lines = [](double by) {
      return [=](auto& out, auto& in) {
        return LineStage("lines", 1, ScaleOnLines{by}, writes(out.now()), reads(in.now()));
      };
    };
    EXPECT_EQ(kept(context, least<double>, Space::host, lines(0.5)), 0);
    EXPECT_EQ(kept(context, 0.5 * least<double>, Space::host, lines(1 / least<double>)), 0);
  }
}

TEST(Subnormals, AreKeptByTheProgram) {
  TestContext context({.threads = 2});
  expect_zero<float>(context, Space::host);
  volatile float tiny = least<float>;
  tiny = tiny * 0.5f;
  EXPECT_GT(tiny * (1 / least<float>), 0);
}

}  // namespace
}  // namespace sc::test
