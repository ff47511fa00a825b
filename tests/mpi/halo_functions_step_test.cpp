// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// timeout: 120
// optimise: no
// label: sanitize
// halo_step: under every strategy a box function gives the bits of a plain loop over the whole grid, in both
// memory orders, with different widths on both sides, with threads; core and shell cover every cell once.
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/mpi/halo_calls.hpp"
#include "tests/mpi/halo_grids.hpp"

namespace {

using namespace sc::test;

constexpr Cell cells{17, 14, 19};
constexpr std::array<bool, 3> periodic{true, false, true};
constexpr std::array<int, 3> low{2, 1, 1}, high{1, 1, 2};
constexpr int fields = 2;
constexpr double outside = 0.75;  // beyond the boundary of dimension 1

double initial(int field, const Cell& c) {
  return std::sin(0.3 * double(c[0] + 2 * c[1] + 5 * c[2]) + field);
}

/// Reads the box of cells from -low to high around a cell; sums in a fixed order.
template <class At>
double physics(const At& at, int field) {
  double sum = 0;
  for (int i = -low[0]; i <= high[0]; ++i)
    for (int j = -low[1]; j <= high[1]; ++j)
      for (int k = -low[2]; k <= high[2]; ++k)
        sum += at(field, i, j, k) * (1.0 + 0.1 * i - 0.2 * j + 0.05 * k);
  return 0.9 * at(field, 0, 0, 0) + 0.003 * sum * at(1 - field, 0, 0, 0);
}

/// The whole grid on one rank, without halos.
class Serial {
 public:
  Serial() {
    for (auto& f : now_) f.resize(count_of(cells));
    for (int f = 0; f < fields; ++f)
      each({}, cells, [&](const Cell& c) { now_[std::size_t(f)][index_of(c, cells)] = initial(f, c); });
  }
  void step() {
    auto next = now_;
    for (int f = 0; f < fields; ++f)
      each({}, cells, [&](const Cell& c) {
        const auto at = [&](int field, int i, int j, int k) { return value(field, c + Cell{i, j, k}); };
        next[std::size_t(f)][index_of(c, cells)] = physics(at, f);
      });
    now_ = next;
  }
  double value(int field, Cell c) const {
    for (std::size_t a = 0; a < 3; ++a) {
      if (periodic[a]) c[a] = (c[a] + cells[a]) % cells[a];
      if (c[a] < 0 || c[a] >= cells[a]) return outside;
    }
    return now_[std::size_t(field)][index_of(c, cells)];
  }

 private:
  std::array<std::vector<double>, fields> now_;
};

/// Two arrays of three dimensions, or one of four whose first dimension is the field.
struct Distributed {
  Distributed(int order, bool together, int threads, int transport) : order_(order), together_(together) {
    options = halo_options_of(3);
    EXPECT_TRUE(
        ok(halo_decompose(MPI_COMM_WORLD, 3, cells.data(), options.processes, first.data(), own.data())));
    std::int64_t size = 1;
    for (std::size_t a = 0; a < 3; ++a) size *= allocated(a);
    for (auto* level : {&now, &next}) level->assign(std::size_t(fields * size), outside);
    for (int n = 0; n < (together ? 1 : fields); ++n) {
      halo_array a = halo_array_of(now.data() + n * size, HALO_REAL64, 3, own.data(), 1);
      a.next = next.data() + n * size;
      a.order = order;
      std::copy(low.begin(), low.end(), a.low);
      std::copy(high.begin(), high.end(), a.high);
      if (together) add_field_dimension(a);
      arrays.push_back(a);
    }
    set_initial(now.data());
    options.periodic[0] = options.periodic[2] = 1;
    options.threads = threads;
    options.transport = transport;
    options.timeout = 60;
    options.piece_bytes = 700;
    EXPECT_TRUE(ok(halo_init(&handle, MPI_COMM_WORLD, arrays.data(), int(arrays.size()), &options)));
  }
  ~Distributed() { EXPECT_TRUE(ok(halo_finalize(&handle))); }

  std::int64_t allocated(std::size_t a) const { return low[a] + own[a] + high[a]; }
  double& at(double* base, int field, const Cell& c) const {
    const std::int64_t i = c[0] + low[0], j = c[1] + low[1], k = c[2] + low[2];
    const std::int64_t nx = allocated(0), ny = allocated(1), nz = allocated(2);
    if (order_ == HALO_C_ORDER) return base[((field * nx + i) * ny + j) * nz + k];
    if (together_) return base[((k * ny + j) * nx + i) * fields + field];
    return base[((field * nz + k) * ny + j) * nx + i];
  }
  void set_initial(double* base) const {
    for (int f = 0; f < fields; ++f)
      each({}, own, [&](const Cell& c) { at(base, f, c) = initial(f, first + c); });
  }
  /// Number of own cells of the current level that differ from the serial run.
  int wrong(const Serial& serial) const {
    void* data = nullptr;
    EXPECT_TRUE(ok(halo_data(handle, 0, &data)));
    Cell lo{}, hi = own;
    if (halos_too) lo[0] -= low[0], hi[0] += high[0];
    int count = 0;
    for (int f = 0; f < fields; ++f)
      each(lo, hi, [&](const Cell& c) {
        count += at(static_cast<double*>(data), f, c) != serial.value(f, first + c);
      });
    return count;
  }

  halo_options options;
  Cell first{}, own{};
  std::vector<double> now, next;
  std::vector<halo_array> arrays;
  halo_handle handle = HALO_NULL;
  bool halos_too = false;

 private:
  /// In C order [field][i][j][k], in Fortran order (field, i, j, k).
  void add_field_dimension(halo_array& a) const {
    a.dims = 4;
    for (int i = 3; i > 0; --i) {
      a.cells[i] = a.cells[i - 1];
      a.split[i] = a.split[i - 1];
      a.low[i] = a.low[i - 1];
      a.high[i] = a.high[i - 1];
    }
    a.cells[0] = fields;
    a.split[0] = a.low[0] = a.high[0] = 0;
  }
  int order_;
  bool together_;
};

struct Call {
  const Distributed* arrays;
  std::atomic<int> boxes{0};
};

void compute(const halo_box* box, void* const* now, void* const* next, void* user) {
  auto& call = *static_cast<Call*>(user);
  const Distributed& d = *call.arrays;
  ++call.boxes;
  for (int f = 0; f < fields; ++f)
    each(*box, [&](const Cell& c) {
      const auto at = [&](int field, int i, int j, int k) {
        return d.at(static_cast<double*>(now[0]), field, c + Cell{i, j, k});
      };
      d.at(static_cast<double*>(next[0]), f, c) = physics(at, f);
    });
}

constexpr std::array<halo_strategy, 8> strategies{
    HALO_BLOCKING,  HALO_ORDERED, HALO_BOUNDARY_FIRST,     HALO_INTERIOR_FIRST,
    HALO_PIPELINED, HALO_THREAD,  HALO_AUTOMATIC_STRATEGY, HALO_THREAD_NO_JOIN};

void check(int order, bool together, int threads, int transport) {
  for (const halo_strategy strategy : strategies) {
    if (strategy == HALO_THREAD_NO_JOIN && threads == 1) continue;
    Serial serial;
    Distributed arrays(order, together, threads, transport);
    Call call{&arrays};
    for (int step = 0; step < 3; ++step) {
      ASSERT_TRUE(ok(halo_step(arrays.handle, strategy, compute, &call)));
      serial.step();
      ASSERT_EQ(arrays.wrong(serial), 0)
          << "strategy " << strategy << ", step " << step << ", order " << order;
    }
    EXPECT_GE(call.boxes.load(), 3);
  }
}

class Step : public testing::TestWithParam<int> {};  // transport

TEST_P(Step, EveryStrategyLeavesTheSerialBits) {
  check(HALO_C_ORDER, false, 1, GetParam());
  check(HALO_FORTRAN_ORDER, true, 1, GetParam());
}

TEST_P(Step, WithThreads) {
  check(HALO_FORTRAN_ORDER, false, 2, GetParam());
  check(HALO_C_ORDER, true, 3, GetParam());
}

/// After an odd number of steps the current values are at the address of `next`: the exchange uses them, and
/// cells that the caller has written are exchanged after halo_modified.
TEST_P(Step, ExchangesAndHostWritesInBetween) {
  Serial serial;
  Distributed arrays(HALO_C_ORDER, false, 1, GetParam());
  Call call{&arrays};
  ASSERT_TRUE(ok(halo_step(arrays.handle, HALO_BOUNDARY_FIRST, compute, &call)));
  serial.step();
  ASSERT_TRUE(ok(halo_exchange(arrays.handle)));
  arrays.halos_too = true;
  EXPECT_EQ(arrays.wrong(serial), 0);
  arrays.halos_too = false;
  ASSERT_TRUE(ok(halo_step(arrays.handle, HALO_BOUNDARY_FIRST, compute, &call)));
  Serial fresh;
  void* data = nullptr;
  ASSERT_TRUE(ok(halo_data(arrays.handle, 0, &data)));
  arrays.set_initial(static_cast<double*>(data));
  ASSERT_TRUE(ok(halo_modified(arrays.handle)));
  for (int step = 0; step < 2; ++step) {
    ASSERT_TRUE(ok(halo_step(arrays.handle, HALO_PIPELINED, compute, &call)));
    fresh.step();
    EXPECT_EQ(arrays.wrong(fresh), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, Step, testing::Values(HALO_AUTOMATIC, HALO_MESSAGES));

TEST(Regions, CoreAndShellCoverEveryOwnCellOnce) {
  const Distributed arrays(HALO_C_ORDER, false, 1, HALO_AUTOMATIC);
  std::vector<int> met(count_of(arrays.own));
  std::array<halo_box, 6> boxes{};
  halo_box core{};
  int count = 0;
  ASSERT_TRUE(ok(halo_core(arrays.handle, &core)));
  ASSERT_TRUE(ok(halo_shell(arrays.handle, boxes.data(), 6, &count)));
  const auto meet = [&](const halo_box& b) {
    each(b, [&](const Cell& c) { ++met[index_of(c, arrays.own)]; });
  };
  meet(core);
  for (int b = 0; b < count; ++b) meet(boxes[std::size_t(b)]);
  for (const int times : met) EXPECT_EQ(times, 1);
  EXPECT_EQ(core.lo[0], 2);  // periodic: the halo is 2 below and 1 above
  EXPECT_EQ(core.hi[0], arrays.own[0] - 1);
  EXPECT_EQ(core.lo[1], arrays.first[1] == 0 ? 0 : 1);
  EXPECT_NE(halo_shell(arrays.handle, boxes.data(), 0, &count), HALO_OK);
}

TEST(Regions, WhatAStepCannotDoIsSaid) {
  std::vector<double> data(1 << 12);
  const std::array<std::int64_t, 4> own{4, 4, 4, 4};
  halo_array array = halo_array_of(data.data(), HALO_REAL64, 4, own.data(), 1);
  halo_options options = halo_options_of(4);
  halo_handle handle = HALO_NULL;
  ASSERT_TRUE(ok(halo_init(&handle, MPI_COMM_WORLD, &array, 1, &options)));
  EXPECT_EQ(halo_step(handle, HALO_BLOCKING, compute, nullptr), HALO_ERR_UNSUPPORTED);
  EXPECT_NE(std::string(halo_error_text(HALO_ERR_UNSUPPORTED)).find("more than three"), std::string::npos);
  EXPECT_TRUE(ok(halo_exchange(handle)));
  ASSERT_TRUE(ok(halo_finalize(&handle)));
  const Distributed arrays(HALO_C_ORDER, false, 1, HALO_AUTOMATIC);
  Call call{&arrays};
  for (const int unknown : {-1, 8})
    EXPECT_EQ(halo_step(arrays.handle, unknown, compute, &call), HALO_ERR_ARGUMENT);
  EXPECT_EQ(halo_step(arrays.handle, HALO_THREAD_NO_JOIN, compute, &call), HALO_ERR_ARGUMENT);
}

}  // namespace
