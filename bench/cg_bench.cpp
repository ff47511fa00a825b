// SPDX-License-Identifier: Apache-2.0
// The sparse product of cg on Laplacians larger than the caches against a copy loop of as many bytes; on the
// benchmark's random matrix against a plain loop; and Mop/s of NAS CG against the benchmark as plain serial
// loops in this file (the original is not part of this repository).
//   cg_bench [turns] [class, A by default] [--trial]
#include <omp.h>

#include <cmath>
#include <cstdlib>

#include "bench/arguments.hpp"
#include "bench/copy_loop.hpp"
#include "bench/laplacian.hpp"
#include "bench/measure.hpp"
#include "solvers/cg/benchmark.hpp"

namespace {

using namespace sc;
using namespace sc::cg;

void compare_copy(const std::string& name, const LocalRows& rows, int threads, int turns) {
  Context context(MPI_COMM_WORLD, {.threads = threads});
  {
    const std::vector<std::int64_t> weight(rows.begin.size() - 1, 1);
    const Partition partition(Division::row, weight, 1);
    Product product(context, partition, rows, {Division::row, Strategy::blocking});
    product.x().fill([](int i, int, int) { return 1e-3 * (i % 1000); });
    const double bytes = product.stage().bytes_per_cell() * partition.n();
    bench::Copy copy(static_cast<std::size_t>(bytes / 16), threads);  // 8 bytes read, 8 written
    std::vector<bench::Way> ways{{"product", [&] { product.run(); }}, {"copy", [&] { copy.run(); }}};
    bench::take_turns(context, ways, turns, 2);
    const std::string what = name + ", " + std::to_string(threads) + (threads > 1 ? " threads" : " thread");
    std::printf("%s: %.0f MB, product %.1f GB/s, copy loop %.1f GB/s\n", what.c_str(), 1e-6 * bytes,
                1e-9 * bytes / bench::median(ways[0]), 1e-9 * bytes / bench::median(ways[1]));
    bench::report("sparse product, speed / copy loop, " + what, bench::ratio(ways[1], ways[0]),
                  "goal >= 0.85");
  }
  context.close();
}

/// The matrix for the reference, with 32-bit indices as in the original.
struct Plain {
  explicit Plain(const LocalRows& rows)
      : begin(rows.begin.begin(), rows.begin.end()),
        column(rows.column.begin(), rows.column.end()),
        value(rows.value) {}
  std::vector<int> begin, column;
  std::vector<double> value;
};

[[gnu::noinline]] void plain_product(const Plain& a, const double* x, double* y, int threads) {
  const int n = static_cast<int>(a.begin.size()) - 1;
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (int r = 0; r < n; ++r) {
    double sum = 0;
    for (int k = a.begin[std::size_t(r)]; k < a.begin[std::size_t(r) + 1]; ++k)
      sum += a.value[std::size_t(k)] * x[a.column[std::size_t(k)]];
    y[r] = sum;
  }
}

/// The benchmark's iteration as plain loops; returns zeta.
class Reference {
 public:
  Reference(const Class& c, const Plain& a, int threads) : c_(c), a_(a), threads_(threads) {
    for (auto* v : {&x_, &z_, &r_, &p_, &q_}) v->resize(std::size_t(c.n));
  }
  double run() {
    std::fill(x_.begin(), x_.end(), 1.0);
    double zeta = 0;
    for (int iteration = 0; iteration < c_.iterations; ++iteration) {
      solve();
      const double length = 1 / std::sqrt(dot(z_, z_));
      zeta = c_.shift + 1 / dot(x_, z_);
      each([&](std::size_t i) { x_[i] = length * z_[i]; });
    }
    return zeta;
  }

 private:
  using Vector = std::vector<double>;
  template <class Body>
  void each(const Body& body) const {
    const auto n = static_cast<std::int64_t>(c_.n);
#pragma omp parallel for num_threads(threads_) if (threads_ > 1)
    for (std::int64_t i = 0; i < n; ++i) body(std::size_t(i));
  }
  double dot(const Vector& a, const Vector& b) const {
    double sum = 0;
    const auto n = static_cast<std::int64_t>(c_.n);
#pragma omp parallel for num_threads(threads_) reduction(+ : sum) if (threads_ > 1)
    for (std::int64_t i = 0; i < n; ++i) sum += a[std::size_t(i)] * b[std::size_t(i)];
    return sum;
  }
  void solve() {
    std::fill(z_.begin(), z_.end(), 0.0);
    r_ = p_ = x_;
    double rho = dot(r_, r_);
    for (int step = 0; step < 25; ++step) {
      plain_product(a_, p_.data(), q_.data(), threads_);
      const double alpha = rho / dot(p_, q_);
      each([&](std::size_t i) {
        z_[i] += alpha * p_[i];
        r_[i] -= alpha * q_[i];
      });
      const double before = rho;
      rho = dot(r_, r_);
      const double beta = rho / before;
      each([&](std::size_t i) { p_[i] = r_[i] + beta * p_[i]; });
    }
    plain_product(a_, z_.data(), r_.data(), threads_);
    each([&](std::size_t i) { q_[i] = (x_[i] - r_[i]) * (x_[i] - r_[i]); });
    residual_ = std::sqrt(dot(q_, q_));
  }
  Class c_;
  const Plain& a_;
  int threads_;
  Vector x_, z_, r_, p_, q_;
  double residual_ = 0;
};

void compare_plain(const Class& c, const LocalRows& rows, int threads, int turns) {
  Context context(MPI_COMM_WORLD, {.threads = threads});
  {
    const Plain plain(rows);
    const std::string what =
        "class " + c.name + ", " + std::to_string(threads) + (threads > 1 ? " threads" : " thread");
    Benchmark benchmark(context, c, {Division::row, Strategy::blocking});
    Product& product = benchmark.product();
    product.x().fill([](int i, int, int) { return 1e-3 * (i % 1000); });
    std::vector<double> x(std::size_t(c.n), 0.5), y(x.size());
    std::vector<bench::Way> products{{"product", [&] { product.run(); }},
                                     {"plain", [&] { plain_product(plain, x.data(), y.data(), threads); }}};
    bench::take_turns(context, products, 9 * turns, 2);
    bench::report("sparse product, speed / plain loop, " + what, bench::ratio(products[1], products[0]),
                  "goal >= 1.2");

    Reference reference(c, plain, threads);
    double zeta = 0, ours = 0;
    std::vector<double> seconds, theirs;
    for (int turn = 0; turn < turns; ++turn) {
      const BenchmarkResult result = benchmark.run();
      ours = result.error;
      seconds.push_back(result.seconds);
      const double begin = context.timeline().now();
      zeta = reference.run();
      theirs.push_back(context.timeline().now() - begin);
    }
    const double million = million_operations(c);
    std::printf("%s: %.0f Mop/s, plain loops %.0f Mop/s; zeta off by %.1e and %.1e\n", what.c_str(),
                million / bench::median(seconds), million / bench::median(theirs), ours,
                std::abs(zeta - c.zeta) / c.zeta);
    bench::report("NAS CG, Mop/s / plain loops, " + what, bench::median(theirs) / bench::median(seconds),
                  "goal >= 1.3");
  }
  context.close();
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int turns = arguments.number(1, "turns", 5, 1);
  const std::string asked = arguments.word(2, "A");
  const int side = arguments.trial() ? 90 : 1800, edge = arguments.trial() ? 20 : 144;
  MPI_Init(&argc, &argv);
  const Class& c = class_of(arguments.trial() ? "S" : asked);
  {
    const LocalRows flat = bench::laplacian(side, 2), cube = bench::laplacian(edge, 3);
    for (const int threads : {1, 2}) {
      compare_copy("Laplacian " + std::to_string(side) + "^2", flat, threads, 3 * turns);
      compare_copy("Laplacian " + std::to_string(edge) + "^3", cube, threads, 3 * turns);
    }
  }
  const LocalRows rows = make_matrix(c, Partition(Division::row, row_weights(c), 1), 0);
  for (const int threads : {1, 2}) compare_plain(c, rows, threads, turns);
  MPI_Finalize();
}
