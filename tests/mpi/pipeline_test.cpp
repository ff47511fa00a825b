// SPDX-License-Identifier: Apache-2.0
// ranks: 2 3
// threads: 2
// optimise: no
// label: sanitize
// Pipeline gives the bits of transforms of one array after the other, for every strategy, number of
// threads and transport, with planes that the ranks do not share evenly, and round after round. Modes differ
// from round to round, so that planes that are used too early are those of the round before. Planes are
// small, so that each rank has one slab, or large, so that it has several, with gaps between rows.
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

struct Size {
  Int3 cells, largest_mode;
  bool slabs;  ///< several
};
constexpr Size sizes[] = {{{12, 10, 14}, {4, 3, 4}, false}, {{80, 64, 14}, {38, 21, 4}, true}};  // 14 planes
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
  Flow(Context& context, const Size& size, Strategy strategy)
      : fft(context, {.cells = size.cells, .largest_mode = size.largest_mode, .strategy = strategy}),
        modes(fft.mode_grid(), "modes"),
        out(fft.mode_grid(), "out") {}
  void start(int round) {
    modes.fill([&](int k, int x, int y, int z) {
      return Complex(noise(x + 50 * k + 7 * round, y, z), noise(z, x, y + 50 * k));
    });
  }
  std::vector<Complex> result() {
    std::vector<Complex> values;
    each_cell(fft.mode_grid().own(), [&](Int3 c) {
      for (int k = 0; k < arrays - back; ++k) values.push_back(out.get(c, k));
    });
    return values;
  }
  spectral::FFT<double> fft;
  Field<Complex, arriving> modes;
  Field<Complex, arrays - back> out;
};

std::vector<Complex> one_by_one(Context& context, const Size& size, int round) {
  Flow flow(context, size, Strategy::blocking);
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

std::vector<std::vector<Complex>> in_a_pipeline(Context& context, const Size& size, Strategy strategy) {
  Flow flow(context, size, strategy);
  const std::vector<spectral::Planes::Use> uses{
      {0, Mode::read}, {1, Mode::update}, {2, Mode::update}, {3, Mode::write}};
  spectral::Pipeline<double> pipeline(flow.fft, arrays, uses);
  const Int3 n = flow.fft.plane_cells();
  std::vector<std::vector<Complex>> results;
  for (int round = 0; round < rounds; ++round) {
    flow.start(round);
    pipeline.announce(uses);
    for (int k = 0; k < arriving; ++k) pipeline.to_planes(k, spectral::cells_of(flow.modes.now(), k));
    std::vector<int> used(static_cast<std::size_t>(n.z));  // how often, of each plane
    int slabs = 0;
    pipeline.each_slab(uses, [&](const spectral::Planes::Slab& slab) {
      for (int z = slab.lo; z < slab.hi; ++z) ++used[static_cast<std::size_t>(z)];
      ++slabs;
      std::array<Cells<Complex>, arrays> all;
      for (std::size_t k = 0; k < arrays; ++k) all[k] = spectral::cells_of<double>(slab.arrays[k]);
      use(all, n, slab.lo, slab.hi);
    });
    EXPECT_EQ(used, std::vector<int>(used.size(), 1));
    EXPECT_EQ(slabs > 1, size.slabs);
    for (int k = back; k < arrays; ++k) pipeline.from_planes(k, spectral::cells_of(flow.out.now(), k - back));
    results.push_back(flow.result());
  }
  return results;
}

class PipelineOf : public testing::TestWithParam<Size> {};

TEST_P(PipelineOf, PlanesHasTheBitsOfOneArrayAfterTheOther) {
  std::vector<std::vector<Complex>> expected;
  {
    TestContext context;
    for (int round = 0; round < rounds; ++round) expected.push_back(one_by_one(context, GetParam(), round));
  }
  for (const int threads : {1, 2})
    for (const TransportPolicy transport :
         {TransportPolicy::automatic, TransportPolicy::mpi, TransportPolicy::delayed})
      for (const Strategy strategy : {Strategy::blocking, Strategy::ordered, Strategy::boundary_first,
                                      Strategy::interior_first, Strategy::automatic}) {
        TestContext context({.threads = threads, .transport = transport, .delay = 1e-4});
        const auto results = in_a_pipeline(context, GetParam(), strategy);
        for (std::size_t round = 0; round < rounds; ++round)
          EXPECT_EQ(std::memcmp(results[round].data(), expected[round].data(),
                                expected[round].size() * sizeof(Complex)),
                    0)
              << strategy.name << ", threads " << threads << ", transport " << int(transport) << ", round "
              << round;
      }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PipelineOf, testing::ValuesIn(sizes),
                         [](const auto& one) { return one.param.slabs ? "large" : "small"; });

}  // namespace
}  // namespace sc::test
