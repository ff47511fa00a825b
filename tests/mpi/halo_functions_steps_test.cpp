// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// ranks when long: 4
// timeout: 120
// optimise: no
// label: sanitize
// halo_steps: passes of several steps give the bits of a plain loop over the whole grid, under every
// strategy, with every length of a pass, in both memory orders, with threads, with all halos NaN before.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/mpi/halo_calls.hpp"
#include "tests/mpi/halo_grids.hpp"

namespace {

using namespace sc::test;

constexpr Cell cells{17, 13, 19};
constexpr int width = 4;
constexpr Cell halo_widths{width, width, width};
constexpr double outside = 0.75;  // beyond the boundary of dimension 1; the others are periodic

double initial(const Cell& c) { return std::sin(0.3 * double(c[0] + 2 * c[1] + 5 * c[2])); }
double rate(const Cell& c) { return 0.1 + 0.01 * std::cos(0.2 * double(c[0] - c[1] + 3 * c[2])); }

/// Reads corners, a constant field, and the number of the step.
template <class At>
double physics(const At& u, double k, int step, int reach) {
  const double corner =
      u(reach, -reach, 0) * u(0, reach, reach) - u(-reach, 0, reach) * u(reach, reach, reach);
  const double star = u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, reach) + u(0, 0, -reach);
  return u(0, 0, 0) + k * (star - 6 * u(0, 0, 0)) + 0.01 * corner + 1e-3 * step;
}

/// The whole grid on one rank, without halos.
class Serial {
 public:
  explicit Serial(int steps, int reach) : now_(count_of(cells)) {
    each({}, cells, [&](const Cell& c) { now_[index_of(c, cells)] = initial(c); });
    for (int step = 0; step < steps; ++step) {
      auto next = now_;
      each({}, cells, [&](const Cell& c) {
        const auto u = [&](int i, int j, int k) { return value(c + Cell{i, j, k}); };
        next[index_of(c, cells)] = physics(u, rate(c), step, reach);
      });
      now_ = next;
    }
  }
  double value(Cell c) const {
    if (c[1] < 0 || c[1] >= cells[1]) return outside;
    for (const std::size_t a : {0U, 2U}) c[a] = (c[a] + cells[a]) % cells[a];
    return now_[index_of(c, cells)];
  }

 private:
  std::vector<double> now_;
};

struct Setting {
  int order = HALO_C_ORDER, threads = 1, transport = HALO_AUTOMATIC;
  std::int64_t piece_bytes = 900;
};

/// u with next, and k without.
struct Distributed {
  explicit Distributed(const Setting& s) : order(s.order) {
    halo_options options = halo_options_of(3);
    EXPECT_TRUE(
        ok(halo_decompose(MPI_COMM_WORLD, 3, cells.data(), options.processes, first.data(), own.data())));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::array<halo_array, 2> arrays{};
    for (auto* level : {&now, &next, &k}) level->assign(count_of(own + halo_widths + halo_widths), nan);
    each({-width, -width, -width}, own + halo_widths, [&](const Cell& c) {
      const std::int64_t row = first[1] + c[1];
      if (row >= 0 && row < cells[1]) return;
      for (auto* level : {&now, &next, &k}) (*level)[at(c)] = outside;
    });
    each({}, own, [&](const Cell& c) {
      now[at(c)] = initial(first + c);
      k[at(c)] = rate(first + c);
    });
    arrays[0] = halo_array_of(now.data(), HALO_REAL64, 3, own.data(), width);
    arrays[0].next = next.data();
    arrays[1] = halo_array_of(k.data(), HALO_REAL64, 3, own.data(), width);
    for (halo_array& a : arrays) a.order = s.order;
    options.periodic[0] = options.periodic[2] = 1;
    options.threads = s.threads;
    options.transport = s.transport;
    options.timeout = 60;
    options.piece_bytes = s.piece_bytes;
    EXPECT_TRUE(ok(halo_init(&handle, MPI_COMM_WORLD, arrays.data(), 2, &options)));
  }
  ~Distributed() { EXPECT_TRUE(ok(halo_finalize(&handle))); }

  std::size_t at(const Cell& c) const {
    const Cell n = own + halo_widths + halo_widths, p = c + halo_widths;
    return order == HALO_C_ORDER ? index_of(p, n) : index_of({p[2], p[1], p[0]}, {n[2], n[1], n[0]});
  }
  int wrong(const Serial& serial) const {
    void* data = nullptr;
    EXPECT_TRUE(ok(halo_data(handle, 0, &data)));
    int count = 0;
    each({}, own,
         [&](const Cell& c) { count += static_cast<double*>(data)[at(c)] != serial.value(first + c); });
    return count;
  }

  int order;
  Cell first{}, own{};
  std::vector<double> now, next, k;
  halo_handle handle = HALO_NULL;
  int reach = 1;
  int before = 0;  // steps of earlier calls
};

void compute(const halo_box* box, int step, void* const* now, void* const* next, void* user) {
  const auto& d = *static_cast<const Distributed*>(user);
  const auto* u = static_cast<const double*>(now[0]);
  const auto* k = static_cast<const double*>(now[1]);
  each(*box, [&](const Cell& c) {
    const auto at = [&](int i, int j, int l) { return u[d.at(c + Cell{i, j, l})]; };
    static_cast<double*>(next[0])[d.at(c)] = physics(at, k[d.at(c)], d.before + step, d.reach);
  });
}

constexpr std::array<halo_strategy, 7> strategies{HALO_BLOCKING,          HALO_ORDERED,   HALO_BOUNDARY_FIRST,
                                                  HALO_INTERIOR_FIRST,    HALO_PIPELINED, HALO_THREAD,
                                                  HALO_AUTOMATIC_STRATEGY};

void check(const Setting& setting) {
  constexpr int steps = 7;
  for (const int reach : {1, 2}) {
    const Serial serial(steps, reach);
    for (const halo_strategy strategy : strategies)
      for (int per_pass = 0; per_pass <= width / reach; ++per_pass) {
        Distributed arrays(setting);
        arrays.reach = reach;
        ASSERT_TRUE(ok(halo_steps(arrays.handle, strategy, compute, 5, reach, per_pass, &arrays)));
        arrays.before = 5;
        ASSERT_TRUE(ok(halo_steps(arrays.handle, strategy, compute, steps - 5, reach, per_pass, &arrays)));
        ASSERT_EQ(arrays.wrong(serial), 0)
            << "strategy " << strategy << ", reach " << reach << ", " << per_pass << " steps a pass";
      }
  }
}

class Steps : public testing::TestWithParam<int> {};  // transport

TEST_P(Steps, LeaveTheSerialBits) {
  check({HALO_C_ORDER, 1, GetParam()});
  check({HALO_FORTRAN_ORDER, 2, GetParam()});
}
INSTANTIATE_TEST_SUITE_P(Transports, Steps, testing::Values(HALO_AUTOMATIC, HALO_MESSAGES));

/// One rank with walls, and halos of fewer layers than a step reads: the callback leaves out what is beyond.
struct Walled {
  static constexpr int n = 16;
  Walled(int halo, int reads, int threads) : halo_(halo), reads_(reads) {
    const std::array<std::int64_t, 2> own{n, n};
    for (auto* level : {&now_, &next_}) level->assign(std::size_t(row() * row()), -7);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) now_[at(i, j)] = std::sin(0.3 * double(i + 3 * j));
    halo_array array = halo_array_of(now_.data(), HALO_REAL64, 2, own.data(), halo);
    array.next = next_.data();
    halo_options options = halo_options_of(2);
    options.threads = threads;
    EXPECT_TRUE(ok(halo_init(&handle, MPI_COMM_SELF, &array, 1, &options)));
  }
  ~Walled() { EXPECT_TRUE(ok(halo_finalize(&handle))); }
  std::int64_t row() const { return n + 2 * halo_; }
  std::size_t at(std::int64_t i, std::int64_t j) const {
    return std::size_t((i + halo_) * row() + j + halo_);
  }
  static void compute(const halo_box* box, int, void* const* now, void* const* next, void* user) {
    const auto& w = *static_cast<const Walled*>(user);
    const auto* u = static_cast<const double*>(now[0]);
    for (std::int64_t i = box->lo[0]; i < box->hi[0]; ++i)
      for (std::int64_t j = box->lo[1]; j < box->hi[1]; ++j) {
        double sum = 0;
        for (const auto& [k, l] :
             {std::pair{i - w.reads_, j}, {i + w.reads_, j}, {i, j - w.reads_}, {i, j + w.reads_}})
          if (k >= 0 && k < n && l >= 0 && l < n) sum += u[w.at(k, l)] - u[w.at(i, j)];
        static_cast<double*>(next[0])[w.at(i, j)] = u[w.at(i, j)] + 0.1 * sum;
      }
  }
  std::vector<double> values() const {
    void* data = nullptr;
    EXPECT_TRUE(ok(halo_data(handle, 0, &data)));
    std::vector<double> own;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) own.push_back(static_cast<double*>(data)[at(i, j)]);
    return own;
  }
  halo_handle handle = HALO_NULL;

 private:
  int halo_, reads_;
  std::vector<double> now_, next_;
};

TEST(Steps, OnOneRankNeedNoHalo) {
  constexpr int steps = 60;  // enough for per_pass 0 to try passes
  for (const int reach : {1, 2}) {
    Walled single(reach, reach, 1);
    ASSERT_TRUE(ok(halo_steps(single.handle, HALO_BLOCKING, Walled::compute, steps, reach, 1, &single)));
    const std::vector<double> expected = single.values();
    for (const int threads : {1, 2})
      for (int halo = 0; halo <= reach; ++halo)
        for (const int per_pass : {0, 1, 4}) {
          Walled passes(halo, reach, threads);
          ASSERT_TRUE(
              ok(halo_steps(passes.handle, HALO_BLOCKING, Walled::compute, steps, reach, per_pass, &passes)));
          ASSERT_EQ(passes.values(), expected)
              << "halo " << halo << ", reach " << reach << ", " << per_pass << " steps a pass";
        }
  }
}

TEST(Steps, SendOneMessageAPass) {
  std::array<std::int64_t, 2> messages{};
  for (const int per_pass : {1, 4}) {
    Distributed arrays({.piece_bytes = 1 << 20});
    halo_account account{};
    account.size = sizeof account;
    ASSERT_TRUE(ok(halo_steps(arrays.handle, HALO_INTERIOR_FIRST, compute, 8, 1, per_pass, &arrays)));
    ASSERT_TRUE(ok(halo_get_account(arrays.handle, &account)));
    messages[per_pass > 1] = account.messages;
  }
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 1)
    EXPECT_LE(3 * messages[1], messages[0]);
  else
    EXPECT_EQ(messages[1], 0);
}

TEST(Steps, SayWhatCannotBe) {
  Distributed arrays({});
  const auto says = [&](int steps, int reach, int per_pass, const char* what) {
    EXPECT_EQ(halo_steps(arrays.handle, HALO_BLOCKING, compute, steps, reach, per_pass, &arrays),
              HALO_ERR_ARGUMENT);
    EXPECT_NE(std::string(halo_error_text(HALO_ERR_ARGUMENT)).find(what), std::string::npos)
        << halo_error_text(HALO_ERR_ARGUMENT);
  };
  says(-1, 1, 0, "steps is -1");
  says(1, 0, 0, "reach is 0");
  says(1, 5, 0, "reach is 5, more than an array with next has halo");
  says(1, 1, -1, "per_pass is -1");
  says(1, 1, 5, "the halos have layers for 4 steps of reach 1");
  EXPECT_EQ(halo_steps(arrays.handle, HALO_BLOCKING, nullptr, 1, 1, 0, nullptr), HALO_ERR_ARGUMENT);
  EXPECT_TRUE(ok(halo_steps(arrays.handle, HALO_BLOCKING, compute, 0, 1, 0, &arrays)));
}

}  // namespace
