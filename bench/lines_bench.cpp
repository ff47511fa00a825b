// SPDX-License-Identifier: Apache-2.0
// Compact derivatives along x, y and z through Runner, lines whole and, on several ranks, divided: beside a
// copy loop over as many bytes as a derivative must move, and, for what a cache holds, beside the copy there.
//   lines_bench [turns] [cells along an axis] [--trial]
#include <string>

#include "bench/arguments.hpp"
#include "bench/copy_loop.hpp"
#include "bench/measure.hpp"
#include "engine/subcurrent.hpp"

namespace {

using namespace sc;

/// 3/8 (f'[n-1] + f'[n+1]) + f'[n] = r, of several fields with one matrix.
template <int fields>
struct Derivative {
  static constexpr int systems = fields;
  template <class F, int N>
  SC_FN static auto part(const LineComponents<F, N>& f, int k) {
    if constexpr (N == 1)
      return f;
    else
      return f[k];
  }
  SC_FN void right(const Bundle& b, LineIn<double, fields> f, LineOut<double, fields> r) const {
    for (int k = 0; k < fields; ++k) {
      const auto fk = part(f, k);
      const auto rk = part(r, k);
      for (int n = 0; n < b.count; ++n)
        b.each([&](int l) {
          rk(n, l) = 25.0 / 32 * (fk(n + 1, l) - fk(n - 1, l)) + 1.0 / 20 * (fk(n + 2, l) - fk(n - 2, l)) -
                     1.0 / 480 * (fk(n + 3, l) - fk(n - 3, l));
        });
    }
  }
  SC_FN void finish(const Bundle& b, LineOut<double, fields> df, LineIn<double, fields>,
                    LineIn<double, fields> x) const {
    for (int k = 0; k < fields; ++k) {
      const auto dk = part(df, k);
      const auto xk = part(x, k);
      for (int n = 0; n < b.count; ++n) b.each([&](int l) { dk(n, l) = xk(n, l); });
    }
  }
};

template <int fields>
void measure(Context& context, int cells, int turns) {
  const auto system = std::make_shared<const LineSystem>(tridiagonal(cells, 3.0 / 8, 1, true));
  const int ranks = context.size();
  for (int axis = 0; axis < 3; ++axis) {
    GridOptions options{.cells = {cells, cells, cells}, .periodic = {true, true, true}, .halo = 3};
    options.split = {1, 1, 1};
    options.split[axis] = ranks;
    options.cuts[static_cast<std::size_t>(axis)] = system->cuts(ranks);
    const Grid grid(context, options);
    Field<double, fields> f(grid, "f"), df(grid, "df");
    f.fill([&](auto... at) { return 0.001 * static_cast<double>((at + ...) % 1000); });
    df.fill([](auto...) { return 0.0; });
    LineSolve derive("derive", axis, system, Derivative<fields>{}, writes(df.now()), reads(f.now(), star(3)));
    Runner runner(context, {.strategy = Strategy::boundary_first});
    const std::int64_t own = grid.own().cells();
    bench::Copy copy(static_cast<std::size_t>(own * fields), context.threads());
    std::vector<bench::Way> ways{{"solve", [&] { runner.run(derive); }}, {"copy", [&] { copy.run(); }}};
    bench::take_turns(context, ways, turns, 3);
    const std::string name = "derivative along " + std::string(1, "xyz"[axis]) + " of " +
                             std::to_string(fields) + " x " + std::to_string(cells) + "^3" +
                             (derive.divided() ? ", lines divided" : "") + " / copy";
    if (context.rank() == 0) bench::report(name, bench::ratio(ways[0], ways[1]), "goal <= 1.3 in memory");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int turns = arguments.number(1, "turns", 15, 1);
  const int cells = arguments.number(2, "cells", 128, 32);
  MPI_Init(&argc, &argv);
  Context context(MPI_COMM_WORLD);
  measure<1>(context, cells, turns);
  measure<5>(context, cells, turns);
  context.close();
  MPI_Finalize();
}
