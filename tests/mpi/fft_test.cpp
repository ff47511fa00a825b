// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 6
// threads: 2
// label: sanitize
// The distributed transform against the definition, forward and backward, its bits against those of one rank,
// and the bytes it sends.
#include "spectral/fft.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "engine/base/error.hpp"
#include "engine/move/output/gather.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/oracle/dft.hpp"

namespace sc::test {
namespace {

using spectral::FFT;
using spectral::FftOptions;
using spectral::Library;
using Complex = std::complex<double>;

/// Both transforms of the same noise: the modes and the result of the inverse transform, on rank 0.
struct Result {
  std::vector<std::byte> modes, back;
};

template <class T = double>
Result transform(Context& context, const FftOptions& options) {
  FFT<T> fft(context, options);
  Field<T> u(fft.real_grid(), "u");
  Field<std::complex<T>> modes(fft.mode_grid(), "modes");
  Field<T> back(fft.real_grid(), "back");
  u.fill([](int x, int y, int z) { return T(noise(x, y, z)); });
  fft.forward(u.now(), modes.now());
  fft.backward(modes.now(), u.now(), spectral::Input::destroy);
  u.fill([](int x, int y, int z) { return T(noise(x, y, z)); });
  fft.forward(u.now(), modes.now());  // a second transform, with the results of the first in memory
  fft.backward(modes.now(), back.now());
  Result result{gather(modes.storage(0)), gather(back.storage(0))};
  fft.backward(modes.now(), u.now(), spectral::Input::destroy);
  EXPECT_EQ(gather(u.storage(0)), result.back);
  return result;
}

template <class V>
V value(const std::vector<std::byte>& bytes, std::size_t n) {
  V v;
  std::memcpy(&v, bytes.data() + n * sizeof(V), sizeof v);
  return v;
}

std::vector<std::array<int, 2>> process_grids(int ranks) {
  std::vector<std::array<int, 2>> all;
  for (int py = 1; py <= ranks; ++py)
    if (ranks % py == 0) all.push_back({py, ranks / py});
  return all;
}

/// All kept modes by the definition, and the points by the definition from the kept modes.
template <class T>
void expect_definition(Context& context, const FftOptions& options, double tolerance) {
  const Result got = transform<T>(context, options);
  FFT<T> fft(context, options);  // for the numbering of the modes; collective
  if (context.rank() != 0) return;
  const Int3 n = options.cells, m = fft.mode_grid().cells();
  std::vector<Wide> points;
  each_cell({{}, n}, [&](Int3 c) { points.emplace_back(T(noise(c.x, c.y, c.z))); });
  const std::vector<Wide> exact = dft(points, n.x, n.y, n.z, -1);
  const auto index = [&](int kx, int ky, int kz) {
    const auto wrap = [](int k, int size) { return (k % size + size) % size; };
    return std::size_t((wrap(kz, n.z) * n.y + wrap(ky, n.y)) * n.x + wrap(kx, n.x));
  };
  const double size = double(n.x) * n.y * n.z;
  std::vector<Wide> cut(points.size());
  double worst = 0;
  std::size_t at = 0;
  each_cell({{}, m}, [&](Int3 c) {
    const int kx = fft.wavenumber(0, c.x), ky = fft.wavenumber(1, c.y), kz = fft.wavenumber(2, c.z);
    const Wide mode(value<std::complex<T>>(got.modes, at++));
    worst = std::max(worst, double(std::abs(mode - exact[index(kx, ky, kz)])));
    cut[index(-kx, -ky, -kz)] = std::conj(exact[index(kx, ky, kz)]);
    cut[index(kx, ky, kz)] = exact[index(kx, ky, kz)];
  });
  EXPECT_LT(worst, tolerance * std::sqrt(size)) << "modes of " << to_string(n);
  const std::vector<Wide> back = dft(cut, n.x, n.y, n.z, 1);
  double off = 0;
  for (std::size_t i = 0; i < back.size(); ++i)
    off = std::max(off, double(std::abs(Wide(value<T>(got.back, i)) - back[i] / Wide(size))));
  EXPECT_LT(off, tolerance) << "points of " << to_string(n);
}

TEST(DistributedFft, FollowsTheDefinition) {
  TestContext context({.threads = 2});
  for (Library library : {Library::pocketfft, Library::fftw}) {
    if (!has(library)) continue;
    for (Int3 cells : {Int3{12, 10, 9}, Int3{7, 11, 6}, Int3{8, 8, 8}, Int3{1, 3, 5}, Int3{16, 1, 2}}) {
      expect_definition<double>(context, {.cells = cells, .library = library}, 1e-13);
      const Int3 third{(cells.x - 1) / 3, (cells.y - 1) / 3, (cells.z - 1) / 3};
      expect_definition<double>(context, {.cells = cells, .largest_mode = third, .library = library}, 1e-13);
    }
    expect_definition<float>(context, {.cells = {12, 10, 9}, .library = library}, 1e-5);
  }
}

/// The points of a plan on this rank alone, to compare bits.
Result alone(const FftOptions& options) {
  Context self(MPI_COMM_SELF);
  const Result result = transform(self, options);
  self.close();
  return result;
}

TEST(DistributedFft, LeavesTheBitsOfOneRank) {
  for (TransportPolicy policy :
       {TransportPolicy::automatic, TransportPolicy::mpi, TransportPolicy::delayed}) {
    TestContext context({.threads = 2, .transport = policy, .delay = 1e-4});
    for (Library library : {Library::pocketfft, Library::fftw}) {
      if (!has(library)) continue;
      for (Int3 cells : {Int3{18, 14, 15}, Int3{9, 2, 3}, Int3{40, 33, 35}}) {
        const Int3 third{(cells.x - 1) / 3, -1, (cells.z - 1) / 3};
        const Result one = alone({.cells = cells, .largest_mode = third, .library = library});
        for (std::array<int, 2> grid : process_grids(context.size()))
          for (int chunks : {0, 1, 4}) {
            const Result many = transform(context, {.cells = cells,
                                                    .process_grid = grid,
                                                    .largest_mode = third,
                                                    .library = library,
                                                    .chunks = chunks,
                                                    .piece_bytes = {.far = 600, .near = 900}});
            if (context.rank() != 0) continue;
            EXPECT_EQ(many.modes, one.modes) << to_string(cells) << " on " << grid[0] << " x " << grid[1];
            EXPECT_EQ(many.back, one.back) << to_string(cells) << " on " << grid[0] << " x " << grid[1];
          }
      }
    }
  }
}

/// The same pieces under every strategy, although some change the order of slabs and some wait.
TEST(DistributedFft, EveryStrategyLeavesTheSameBits) {
  for (TransportPolicy policy :
       {TransportPolicy::automatic, TransportPolicy::mpi, TransportPolicy::delayed}) {
    TestContext context({.threads = 2, .transport = policy, .delay = 1e-4});
    for (std::array<int, 2> grid : process_grids(context.size())) {
      std::map<std::string_view, Result> results;
      for (const Strategy* strategy : Strategy::all()) {
        const FftOptions options{
            .cells = {16, 12, 20}, .process_grid = grid, .chunks = 3, .strategy = *strategy};
        if (strategy->divides_threads) {
          EXPECT_THROW(FFT<double>(context, options), Error) << strategy->name;
        } else {
          results[strategy->name] = transform(context, options);  // its third run is a sample
        }
      }
      EXPECT_EQ(results.size(), 6U);
      for (const auto& [name, result] : results) {
        EXPECT_EQ(result.modes, results.begin()->second.modes) << name;
        EXPECT_EQ(result.back, results.begin()->second.back) << name;
      }
    }
  }
}

// sum |u|^2 = 1 / n sum |modes|^2 over all k, so modes with kx > 0 count twice.
TEST(DistributedFft, KeepsTheEnergy) {
  TestContext context;
  const Int3 n{20, 18, 15};
  FFT<double> fft(context, {.cells = n});
  Field<double> u(fft.real_grid(), "u");
  Field<Complex> modes(fft.mode_grid(), "modes");
  u.fill([](int x, int y, int z) { return noise(x, y, z); });
  fft.forward(u.now(), modes.now());
  double points = 0, spectrum = 0;
  each_cell(fft.real_grid().own(), [&](Int3 c) { points += u.get(c) * u.get(c); });
  each_cell(fft.mode_grid().own(), [&](Int3 c) {
    const int kx = fft.mode_grid().origin().x + c.x;
    spectrum += std::norm(modes.get(c)) * (kx == 0 || 2 * kx == n.x ? 1 : 2);
  });
  std::array<double, 2> sums{points, spectrum / (double(n.x) * n.y * n.z)};
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_NEAR(sums[0], sums[1], 1e-12 * sums[0]);
}

// A real field has modes(-k) = conj(modes(k)), which can be checked in the plane kx = 0.
TEST(DistributedFft, ModesOfRealFieldsAreSymmetric) {
  TestContext context;
  const Int3 n{6, 10, 9};
  const Result got = transform(context, {.cells = n});
  if (context.rank() != 0) return;
  const auto mode = [&](int ky, int kz) {
    return value<Complex>(got.modes, std::size_t(((kz + 9) % 9 * 10 + (ky + 10) % 10) * 4));
  };
  for (int kz = 0; kz < 9; ++kz)
    for (int ky = 0; ky < 10; ++ky)
      EXPECT_LT(std::abs(mode(ky, kz) - std::conj(mode(-ky, -kz))), 1e-12) << ky << " " << kz;
}

// Several components, and fields with rows padded by a halo.
TEST(DistributedFft, TransformsEveryComponentOfFieldsWithHalos) {
  TestContext context;
  const Int3 n{16, 12, 24};
  FFT<double> fft(context, {.cells = n});
  const Grid padded(
      context, {.cells = n, .periodic = {true, true, true}, .halo = 1, .split = fft.real_grid().split()});
  Field<double, 2> u(padded, "u"), back(padded, "back");
  Field<Complex, 2> modes(fft.mode_grid(), "modes");
  u.fill([](int k, int x, int y, int z) { return noise(x, y, z, unsigned(k)); });
  fft.forward(u.now(), modes.now());
  fft.backward(modes.now(), back.now());
  double off = 0;
  for (int k = 0; k < 2; ++k)
    each_cell(padded.own(), [&](Int3 c) { off = std::max(off, std::abs(u.get(c, k) - back.get(c, k))); });
  EXPECT_LT(off, 1e-14);
  Field<double> other(Grid(context, {.cells = {16, 12, 25}, .halo = 0, .split = fft.real_grid().split()}),
                      "other");
  Field<Complex> one(fft.mode_grid(), "one");
  EXPECT_THROW(fft.forward(other.now(), one.now()), Error);
}

// Only kept modes are sent: mx my nz between y and z pencils, except those that remain on their rank.
TEST(DistributedFft, MovesKeptModesOnly) {
  TestContext context;
  const int p = context.size();
  const Int3 n{24, 24, 24};
  FFT<double> all(context, {.cells = n, .process_grid = {1, p}});
  FFT<double> some(context, {.cells = n, .process_grid = {1, p}, .largest_mode = {7, 7, 7}});
  const auto moved = [&](FFT<double>& fft) { return double(context.sum(std::uint64_t(fft.bytes()))) / 16; };
  std::int64_t stay_all = 0, stay_some = 0;  // counted block by block
  for (int r = 0; r < p; ++r) {
    const auto rows = [&](int cells) { return cells * (r + 1) / p - cells * r / p; };
    stay_all += std::int64_t{13} * rows(24) * rows(24);
    stay_some += std::int64_t{8} * rows(15) * rows(24);
  }
  EXPECT_EQ(moved(all), 13.0 * 24 * 24 - double(stay_all));
  EXPECT_EQ(moved(some), 8.0 * 15 * 24 - double(stay_some));
}

// With overlap a look in vain is a poke: meanwhile other slabs are computed. Waiting until peers have read
// the last results is in the account too.
TEST(DistributedFft, BooksLooksAsPokesAndSettling) {
  TestContext context({.transport = TransportPolicy::delayed, .delay = 5e-3});
  context.accounts().sampling = {.first = 0, .every = 0};
  FFT<double> fft(context, {.cells = {16, 16, 16}, .chunks = 4, .strategy = Strategy::boundary_first});
  Field<double> u(fft.real_grid(), "u");
  Field<Complex> modes(fft.mode_grid(), "modes");
  u.fill([](int x, int y, int z) { return noise(x, y, z); });
  for (int n = 0; n < 2; ++n) fft.forward(u.now(), modes.now());
  Timeline& timeline = context.timeline();
  const auto time_of = [&](Phase phase) { return timeline.total(timeline.name("fft transpose"), phase); };
  if (context.size() > 1) {
    EXPECT_GT(time_of(Phase::poke).seconds, 0);
  }
  EXPECT_GT(time_of(Phase::settle).seconds, 0);
  context.barrier();
}

TEST(DistributedFft, RefusesWhatCannotBe) {
  TestContext context;
  const int p = context.size();
  EXPECT_THROW(FFT<double>(context, {.cells = {8, 0, 8}}), Error);
  EXPECT_THROW(FFT<double>(context, {.cells = {8, 8, 8}, .process_grid = {p + 1, 1}}), Error);
  EXPECT_THROW(FFT<double>(context, {.cells = {8, 8, 8}, .process_grid = {-1, -p}}), Error);
}

}  // namespace
}  // namespace sc::test
