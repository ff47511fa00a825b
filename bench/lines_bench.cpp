// SPDX-License-Identifier: Apache-2.0
// Compact derivatives along x, y and z through Runner, lines whole and, on several ranks, divided: beside a
// copy loop over as many bytes as a derivative must move. Divided lines also the other way: right sides
// transposed to whole lines, solved there and transposed back, both transposes under the elimination; the
// bits must be the same, which is checked.
//   lines_bench [turns] [cells along an axis] [--trial]
#include <cstring>
#include <optional>
#include <string>

#include "bench/arguments.hpp"
#include "bench/copy_loop.hpp"
#include "bench/measure.hpp"
#include "engine/grid/cells.hpp"
#include "engine/move/transpose.hpp"
#include "engine/move/waiting.hpp"
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

template <int fields, class V>
SC_FN auto component(const V& v, int k) {
  if constexpr (fields == 1)
    return v;
  else
    return v[k];
}

/// The right sides where the cells are.
template <int fields, int axis>
struct Rights {
  SC_FN void operator()(At c, Out<double, fields> r, In<double, fields> f) const {
    const auto to = [&](int k) { return axis == 0 ? c.x(k) : axis == 1 ? c.y(k) : c.z(k); };
    for (int n = 0; n < fields; ++n) {
      const auto fn = component<fields>(f, n);
      component<fields>(r, n)[c] = 25.0 / 32 * (fn[to(1)] - fn[to(-1)]) +
                                   1.0 / 20 * (fn[to(2)] - fn[to(-2)]) - 1.0 / 480 * (fn[to(3)] - fn[to(-3)]);
    }
  }
};
template <int fields>
struct Given {
  static constexpr int systems = fields;
  SC_FN void right(const Bundle& b, LineIn<double, fields> f, LineOut<double, fields> r) const {
    for (int k = 0; k < fields; ++k) {
      const auto from = component<fields>(f, k);
      const auto to = component<fields>(r, k);
      for (int n = 0; n < b.count; ++n) b.each([&](int l) { to(n, l) = from(n, l); });
    }
  }
  SC_FN void finish(const Bundle& b, LineOut<double, fields> df, LineIn<double, fields> f,
                    LineIn<double, fields> x) const {
    Derivative<fields>{}.finish(b, df, f, x);
  }
};

template <int axis, int fields>
auto rights_stage(Field<double, fields>& r, Field<double, fields>& f) {
  return Sweep("right sides", Rights<fields, axis>{}, writes(r.now()), reads(f.now(), star(3)));
}
template <int axis, int fields>
auto solve_stage(const std::shared_ptr<const LineSystem>& system, Field<double, fields>& x,
                 Field<double, fields>& r) {
  return LineSolve("solve", axis, system, Given<fields>{}, writes(x.now()), reads(r.now()));
}

/// A derivative along an axis that is divided, by transposes to lines that are whole.
template <int fields, int axis>
class ByTransposes {
 public:
  ByTransposes(Context& context, std::shared_ptr<const LineSystem> system, Field<double, fields>& f,
               Field<double, fields>& df)
      : context_(context),
        whole_(context, whole_grid(f.grid())),
        r_(f.grid(), "right sides"),
        there_(whole_, "right sides of whole lines"),
        solved_(whole_, "derivatives of whole lines"),
        rights_(rights_stage<axis>(r_, f)),
        solve_(solve_stage<axis>(system, solved_, there_)),
        runner_(context, {.strategy = Strategy::boundary_first}),
        forth_(r_.storage(0), other, there_.storage(0), axis),
        back_(solved_.storage(0), axis, df.storage(0), other),
        df_(df) {}

  void run() {
    r_.storage(0).settle();
    runner_.run(rights_);
    there_.storage(0).settle();
    solved_.storage(0).settle();
    df_.storage(0).settle();
    for (int chunk = 0; chunk < forth_.leaving(); ++chunk) forth_.start_chunk(chunk);
    for (int chunk = 0; chunk < forth_.arriving(); ++chunk) {
      wait_until(context_, [&] { return forth_.chunk_arrived(chunk); });
      solve_.compute(forth_.arriving(chunk), context_.threads(), {});
      if (together()) back_.start_chunk(chunk);
    }
    forth_.wait();
    if (!together())
      for (int chunk = 0; chunk < back_.leaving(); ++chunk) back_.start_chunk(chunk);
    back_.wait();
  }
  std::int64_t bytes() const { return forth_.bytes() + back_.bytes(); }

 private:
  static constexpr int other = (axis + 1) % 3;
  static GridOptions whole_grid(const Grid& grid) {
    GridOptions options{.cells = grid.cells(), .periodic = {true, true, true}, .halo = 0};
    options.split = {1, 1, 1};
    options.split[other] = grid.split()[axis];
    return options;
  }
  bool together() const { return back_.leaving() == forth_.arriving(); }

  Context& context_;
  Grid whole_;
  Field<double, fields> r_, there_, solved_;
  using Values = Field<double, fields>;
  decltype(rights_stage<axis>(std::declval<Values&>(), std::declval<Values&>())) rights_;
  decltype(solve_stage<axis>(std::declval<const std::shared_ptr<const LineSystem>&>(),
                             std::declval<Values&>(), std::declval<Values&>())) solve_;
  Runner runner_;
  Transpose forth_, back_;
  Field<double, fields>& df_;
};

/// All ranks: whether both ways leave the same bits.
template <int fields>
bool same(const Field<double, fields>& one, const Field<double, fields>& other) {
  int equal = 1;
  each_cell(one.grid().own(), [&](Int3 c) {
    for (int k = 0; k < fields; ++k) equal = equal && one.get(c, k) == other.get(c, k);
  });
  MPI_Allreduce(MPI_IN_PLACE, &equal, 1, MPI_INT, MPI_MIN, one.grid().context().comm());
  return equal == 1;
}

template <int fields, int axis>
void measure(Context& context, int cells, int turns) {
  const auto system = std::make_shared<const LineSystem>(tridiagonal(cells, 3.0 / 8, 1, true));
  const int ranks = context.size();
  GridOptions options{.cells = {cells, cells, cells}, .periodic = {true, true, true}, .halo = 3};
  options.split = {1, 1, 1};
  options.split[axis] = ranks;
  options.cuts[static_cast<std::size_t>(axis)] = system->cuts(ranks);
  const Grid grid(context, options);
  Field<double, fields> f(grid, "f"), df(grid, "df"), other(grid, "df by transposes");
  f.fill([&](auto... at) { return 0.001 * static_cast<double>((at + ...) % 1000); });
  df.fill([](auto...) { return 0.0; });
  other.fill([](auto...) { return 1.0; });
  LineSolve derive("derive", axis, system, Derivative<fields>{}, writes(df.now()), reads(f.now(), star(3)));
  Runner runner(context, {.strategy = Strategy::boundary_first});
  bench::Copy copy(static_cast<std::size_t>(grid.own().cells() * fields), context.threads());
  std::vector<bench::Way> ways{{"solve", [&] { runner.run(derive); }}, {"copy", [&] { copy.run(); }}};
  std::optional<ByTransposes<fields, axis>> transposes;
  if (derive.divided()) {
    transposes.emplace(context, system, f, other);
    ways.push_back({"transposes", [&] { transposes->run(); }});
  }
  bench::take_turns(context, ways, turns, 3);
  const bool equal = !transposes || same(df, other);
  const double sums = transposes ? double(derive.own()->sums->bytes()) : 0;
  if (context.rank() != 0) return;
  const std::string name = "derivative along " + std::string(1, "xyz"[axis]) + " of " +
                           std::to_string(fields) + " x " + std::to_string(cells) + "^3" +
                           (derive.divided() ? ", lines divided" : "");
  bench::report(name + " / copy", bench::ratio(ways[0], ways[1]), "goal <= 1.3 in memory");
  if (!transposes) return;
  bench::report(name + " / by transposes", bench::ratio(ways[0], ways[2]), "goal <= 1");
  bench::report(name + ", bytes of sums / of transposes", sums / double(transposes->bytes()), "for reading");
  bench::report(name + ", bits of both ways the same", equal ? 1 : 0, "goal >= 1");
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int turns = arguments.number(1, "turns", 15, 1);
  const int cells = arguments.number(2, "cells", 128, 32);
  Context context(MPI_COMM_WORLD);
  measure<1, 0>(context, cells, turns);
  measure<1, 1>(context, cells, turns);
  measure<1, 2>(context, cells, turns);
  measure<5, 0>(context, cells, turns);
  measure<5, 1>(context, cells, turns);
  measure<5, 2>(context, cells, turns);
  context.close();
}
