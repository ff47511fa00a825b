// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 6 8
// timeout: 180
// optimise: no
// label: sanitize
// The halo functions: every element of every array (own, halo, beyond a boundary, or padding), after
// exchanges and after loops over directions, against a formula of its global position.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/mpi/halo_arrays.hpp"

namespace {

using namespace sc::test;

void check_exchange(const Case& c, const std::string& what) {
  Arrays arrays(c);
  for (int salt = 1; salt <= 2; ++salt) {
    arrays.fill(salt);
    ASSERT_TRUE(ok(halo_exchange(arrays.handle))) << what;
    ASSERT_EQ(arrays.wrong(), 0) << what << ", round " << salt;
  }
}

/// The loop of the paper: each direction is received from its opposite, one after another.
void loop_over_directions(halo_handle handle, int dims) {
  std::array<int, 4> d{};
  int all = 1;
  for (int a = 0; a < dims; ++a) all *= 3;
  for (int n = 0; n < all; ++n) {
    if (n == all / 2) continue;
    std::array<int, 4> back{};
    for (int a = 0, rest = n; a < dims; ++a, rest /= 3) {
      d[static_cast<std::size_t>(a)] = rest % 3 - 1;
      back[static_cast<std::size_t>(a)] = -d[static_cast<std::size_t>(a)];
    }
    halo_request receive = HALO_REQUEST_NULL, send = HALO_REQUEST_NULL;
    ASSERT_TRUE(ok(halo_irecv(handle, back.data(), nullptr, nullptr, &receive)));
    ASSERT_TRUE(ok(halo_isend(handle, d.data(), nullptr, nullptr, &send)));
    ASSERT_TRUE(ok(halo_wait(handle, &receive)));
    ASSERT_TRUE(ok(halo_wait(handle, &send)));
  }
}

void check_loop(const Case& c, const std::string& what) {
  Arrays arrays(c);
  for (int salt = 1; salt <= 3; ++salt) {
    arrays.fill(salt);
    loop_over_directions(arrays.handle, c.dims);
    ASSERT_EQ(arrays.wrong(), 0) << what << ", round " << salt;
  }
}

class HaloFunctions : public testing::TestWithParam<int> {};  // transport

std::array<int, 4> mask(int bits) { return {bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1}; }

TEST_P(HaloFunctions, EveryTypeAndOrder) {
  for (int type = HALO_REAL32; type <= HALO_COMPLEX64; ++type)
    for (int order : {HALO_C_ORDER, HALO_FORTRAN_ORDER}) {
      const Case c{.periodic = mask(type),
                   .transport = GetParam(),
                   .uneven = 1,
                   .shapes = {{.type = type, .order = order, .low = {1, 2, 1, 0}, .high = {2, 0, 1, 0}}}};
      check_exchange(c, "type " + std::to_string(type) + " order " + std::to_string(order));
    }
}

/// Distributes prime factors over the dimensions in turn, so that blocks with few cells are not thinner than
/// their halos.
std::array<std::int32_t, 4> spread_over_four(int ranks) {
  std::array<std::int32_t, 4> counts{1, 1, 1, 1};
  for (std::size_t n = 0; ranks > 1; ++n) {
    std::int32_t factor = 2;
    while (ranks % factor != 0) ++factor;
    counts[n % 4] *= factor;
    ranks /= factor;
  }
  return counts;
}

TEST_P(HaloFunctions, EveryWidthAndPeriodicityInOneToFourDimensions) {
  for (int dims = 1; dims <= 4; ++dims)
    for (int width = 0; width <= 3; ++width) {
      const int other = (width + dims) % 4;
      Case c{.dims = dims,
             .cells = {24, 25, 26, 8},
             .periodic = mask(width * 5 + dims),
             .transport = GetParam()};
      if (dims == 4) c.cells = {9, 10, 9, 9};
      if (dims == 4) c.processes = spread_over_four(ranks());
      if (dims == 1) c.cells[0] = 31;
      Shape s{.type = HALO_INT32, .order = width % 2, .dims = dims};
      s.low.fill(width);
      s.high.fill(std::min(other, 3));
      c.shapes = {s};
      const std::string what = std::to_string(dims) + " dimensions, width " + std::to_string(width);
      check_exchange(c, what);
      if (dims < 4 || width == 1) check_loop(c, what + ", directions");
    }
}

TEST_P(HaloFunctions, EverySplitOfThreeDimensions) {
  const int size = ranks();
  for (std::int32_t px = 1; px <= size; ++px)
    for (std::int32_t py = 1; py <= size; ++py) {
      if (size % (px * py) != 0) continue;
      const Case c{.cells = {16, 17, 19, 0},
                   .processes = {px, py, size / px / py},
                   .periodic = mask(px + 2 * py),
                   .transport = GetParam(),
                   .piece_bytes = 200,
                   .uneven = 0,
                   .shapes = {{.order = HALO_FORTRAN_ORDER, .low = {2, 1, 2, 0}, .high = {1, 2, 2, 0}}}};
      check_exchange(c, "split " + std::to_string(px) + " " + std::to_string(py));
    }
}

/// Several arrays in one message, with different types, orders, widths, unsplit dimensions and padding; one
/// is divided along only one of the process dimensions.
TEST_P(HaloFunctions, ArraysOfAllKindsTogether) {
  for (int periodic = 0; periodic < 4; ++periodic) {
    const Case c{.dims = 2,
                 .cells = {13, 18, 0, 0},
                 .periodic = mask(periodic),
                 .transport = GetParam(),
                 .piece_bytes = 500,
                 .shapes = {{.type = HALO_REAL64, .dims = 2},
                            {.type = HALO_REAL32,
                             .order = HALO_FORTRAN_ORDER,
                             .dims = 3,
                             .split = {0, 1, 2, 0},
                             .low = {0, 2, 2, 0},
                             .high = {0, 2, 1, 0},
                             .unsplit_cells = {3, 0, 0, 0},
                             .padding = {1, 2, 0, 0}},
                            {.type = HALO_COMPLEX64,
                             .dims = 4,
                             .split = {0, 2, 0, 1},
                             .low = {0, 1, 0, 2},
                             .high = {0, 1, 0, 2},
                             .unsplit_cells = {2, 0, 3, 0}},
                            {.type = HALO_INT64,
                             .dims = 1,
                             .split = {2, 0, 0, 0},
                             .low = {2, 0, 0, 0},
                             .high = {1, 0, 0, 0}}}};
    check_exchange(c, "exchange, periodic " + std::to_string(periodic));
    check_loop(c, "directions, periodic " + std::to_string(periodic));
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, HaloFunctions,
                         testing::Values(HALO_AUTOMATIC, HALO_MESSAGES, allocated));

/// A process count of 0 at halo_init is what halo_decompose chose, also on a duplicate of its communicator.
TEST(Place, IsThatOfTheDecompositionWithoutItsProcesses) {
  const std::array<std::int64_t, 2> wide{60, 80}, tall{90, 60};
  MPI_Comm later = MPI_COMM_NULL;
  std::array<std::array<std::int32_t, 2>, 2> chosen{};
  std::array<std::array<std::int64_t, 2>, 2> first{}, own{};
  for (const std::size_t k : {0U, 1U})
    ASSERT_TRUE(ok(halo_decompose(MPI_COMM_WORLD, 2, (k ? tall : wide).data(), chosen[k].data(),
                                  first[k].data(), own[k].data())));
  MPI_Comm_dup(MPI_COMM_WORLD, &later);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, later})
    for (const std::size_t k : {0U, 1U}) {
      std::vector<double> data(std::size_t((own[k][0] + 2) * (own[k][1] + 2)));
      const halo_array array = halo_array_of(data.data(), HALO_REAL64, 2, own[k].data(), 1);
      const halo_options options = halo_options_of(2);
      halo_handle handle = HALO_NULL;
      std::array<std::int32_t, 2> processes{};
      std::array<std::int64_t, 2> begin{}, global{};
      ASSERT_TRUE(ok(halo_init(&handle, comm, &array, 1, &options)));
      ASSERT_TRUE(ok(halo_place(handle, processes.data(), nullptr, begin.data(), global.data())));
      EXPECT_EQ(processes, chosen[k]);
      EXPECT_EQ(begin, first[k]);
      EXPECT_EQ(global, k ? tall : wide);
      ASSERT_TRUE(ok(halo_finalize(&handle)));
    }
  MPI_Comm_free(&later);
}

}  // namespace
