// SPDX-License-Identifier: Apache-2.0
// ranks: 2 3
// threads: 2
// label: sanitize
// Pipeline gives the bits of transforms of one array after the other, for every strategy, number of
// threads and transport, with planes that the ranks do not share evenly, and round after round. Modes differ
// from round to round, so that planes that are used too early are those of the round before.
#include "spectral/pipeline.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/oracle/dft.hpp"

namespace sc::test {
namespace {

using Complex = std::complex<double>;
using spectral::Cells;

constexpr Int3 cells{12, 10, 14};  // 14 planes on 3 ranks
// The first array arrives, the next two arrive and travel back, the last one travels back.
constexpr int arrays = 4, arriving = 3, back = 1, rounds = 3;

/// What is done with a plane: arrays that travel back get products of those that arrive. Not inlined, so that
/// it is compiled once.
[[gnu::noinline]] void use(const std::array<Cells<Complex>, arrays>& all, Int3 n, int lo, int hi) {
  for (int z = lo; z < hi; ++z)
    for (int y = 0; y < n.y; ++y)
      for (int x = 0; x < n.x; ++x) {
        const auto at = [&](std::size_t k) -> Complex& { return all[k].at[x + y * all[k].y + z * all[k].z]; };
        const Complex a = at(0), b = at(1), c = at(2);
        at(1) = a * c - b;
        at(2) = b * c + a;
        at(3) = a * b;
      }
}

struct Flow {
  Flow(Context& context, Strategy strategy)
      : fft(context, {.cells = cells, .largest_mode = {4, 3, 4}, .strategy = strategy}),
        modes(fft.mode_grid(), "modes"),
        out(fft.mode_grid(), "out") {}
  void start(int round) {
    modes.fill([&](int k, int x, int y, int z) {
      return Complex(noise(x + 50 * k + 7 * round, y, z), noise(z, x, y + 50 * k));
    });
  }
  std::vector<Complex> result() {
    std::vector<Complex> values;
    for_cells(fft.mode_grid().own(), [&](Int3 c) {
      for (int k = 0; k < arrays - back; ++k) values.push_back(out.get(c, k));
    });
    return values;
  }
  spectral::FFT<double> fft;
  Field<Complex, arriving> modes;
  Field<Complex, arrays - back> out;
};

std::vector<Complex> one_by_one(Context& context, int round) {
  Flow flow(context, Strategy::blocking);
  flow.start(round);
  const Int3 n = flow.fft.plane_cells();
  std::vector<std::vector<Complex>> planes(arrays,
                                           std::vector<Complex>(static_cast<std::size_t>(n.x * n.y * n.z)));
  std::array<Cells<Complex>, arrays> all;
  for (std::size_t k = 0; k < arrays; ++k) {
    all[k] = {planes[k].data(), n.x, n.x * n.y};
    if (k < arriving)
      flow.fft.backward_across(spectral::cells_of(flow.modes.now(), static_cast<int>(k)), all[k]);
  }
  use(all, n, 0, n.z);
  for (int k = back; k < arrays; ++k)
    flow.fft.forward_across(all[static_cast<std::size_t>(k)], spectral::cells_of(flow.out.now(), k - back));
  return flow.result();
}

std::vector<std::vector<Complex>> in_a_pipeline(Context& context, Strategy strategy) {
  Flow flow(context, strategy);
  using Mode = spectral::Planes::Mode;
  const std::vector<spectral::Planes::Use> uses{
      {0, Mode::reads}, {1, Mode::updates}, {2, Mode::updates}, {3, Mode::writes}};
  spectral::Pipeline<double> pipeline(flow.fft, arrays, uses);
  const Int3 n = flow.fft.plane_cells();
  std::vector<std::vector<Complex>> results;
  for (int round = 0; round < rounds; ++round) {
    flow.start(round);
    pipeline.expect(uses);
    for (int k = 0; k < arriving; ++k) pipeline.to_planes(k, spectral::cells_of(flow.modes.now(), k));
    int next = 0;
    pipeline.meet(uses, [&](const spectral::Planes::Slab& slab) {
      EXPECT_EQ(slab.lo, next);
      next = slab.hi;
      std::array<Cells<Complex>, arrays> all;
      for (std::size_t k = 0; k < arrays; ++k) all[k] = slab.arrays[k].in<double>();
      use(all, n, slab.lo, slab.hi);
    });
    EXPECT_EQ(next, n.z);
    for (int k = back; k < arrays; ++k) pipeline.from_planes(k, spectral::cells_of(flow.out.now(), k - back));
    results.push_back(flow.result());
  }
  return results;
}

TEST(Pipeline, HasTheBitsOfOneArrayAfterTheOther) {
  std::vector<std::vector<Complex>> expected;
  {
    TestContext context;
    for (int round = 0; round < rounds; ++round) expected.push_back(one_by_one(context, round));
  }
  for (const int threads : {1, 2})
    for (const TransportPolicy transport :
         {TransportPolicy::automatic, TransportPolicy::mpi, TransportPolicy::delayed})
      for (const Strategy strategy : {Strategy::blocking, Strategy::ordered, Strategy::boundary_first,
                                      Strategy::interior_first, Strategy::automatic}) {
        TestContext context({.threads = threads, .transport = transport, .delay = 1e-4});
        const auto results = in_a_pipeline(context, strategy);
        for (std::size_t round = 0; round < rounds; ++round)
          EXPECT_EQ(std::memcmp(results[round].data(), expected[round].data(),
                                expected[round].size() * sizeof(Complex)),
                    0)
              << strategy.name << ", threads " << threads << ", transport " << int(transport) << ", round "
              << round;
      }
}

}  // namespace
}  // namespace sc::test
