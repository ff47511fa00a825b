// SPDX-License-Identifier: Apache-2.0
// The kernels of tests/python/stencil_bits.py written in C++ and run as sweeps on one rank: prints the sum
// and writes the fields, as they lie in memory without halos, for the test to compare bits.
//
//   stencil_reference PATH double|single STEPS
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "engine/move/output/gather.hpp"
#include "engine/subcurrent.hpp"

namespace {

using namespace sc;

template <class T>
struct AdvanceU {
  T a;
  std::int64_t every;
  SC_FN void operator()(At c, Index g, Out<T> next, In<T> u, In<T, 2> v) const {
    const T corner = u[c.x(1).y(-1)] * u[c.y(1).z(1)] - u[c.x(-1).z(1)] / (T(2.0) + v[0][c] * v[0][c]);
    const T star = u[c.x(1)] + u[c.x(-1)] + u[c.y(1)] + u[c.y(-1)] + u[c.z(1)] + u[c.z(-1)] - 6 * u[c];
    T value = u[c] + a * star + T(0.01) * corner * v[1][c.x(-1)];
    if ((g.x + 2 * g.y + 3 * g.z) % every == 0) value = value + T(1e-3) * std::sin(u[c]);
    next[c] = std::abs(value) < T(1.5) ? value : T(0.5) * value;
  }
};

template <class T>
struct AdvanceV {
  SC_FN std::array<double, 2> operator()(At c, Out<T, 2> next, In<T, 2> v, In<T> u) const {
    next[0][c] = T(0.9) * v[0][c] + T(0.05) * (u[c.x(2)] - u[c.y(-2)] + u[c.z(2)]);
    next[1][c] = T(0.9) * v[1][c] + T(0.05) * (u[c.z(-2)] + u[c.y(2)] - u[c.x(-2)]) * v[0][c];
    return {static_cast<double>(next[0][c] * next[1][c]), static_cast<double>(std::sqrt(std::abs(u[c])))};
  }
};

template <class T>
struct Relax {
  SC_FN void operator()(At c, InOut<T> w) const {
    w[c] =
        T(0.4) * w[c] + T(0.09) * (w[c.x(1)] + w[c.x(-1)] + w[c.y(1)] + w[c.y(-1)] + w[c.z(1)] + w[c.z(-1)]);
  }
};

// Beyond x: the second layer within, less what s holds there. Beyond y: 0.25 on the face. Beyond z: slope
// 0.1.
template <class T>
struct Outflow {
  T b;
  SC_FN void operator()(Border f, Out<T> q, In<T, 2> s) const {
    for (int n = 1; n <= f.layers; ++n)
      q[f.ghost(n)] =
          2 * q[f.inside(n)] - q[f.inside(n + 1)] + b * static_cast<T>(n) - T(0.1) * s[1][f.inside(1)];
  }
};
template <class T>
struct OnFace {
  SC_FN void operator()(Border f, Out<T> q) const {
    for (int n = 1; n <= f.layers; ++n)
      q[f.ghost(n)] = static_cast<T>(-1.0 * static_cast<double>(q[f.inside(n)]) + 2 * 0.25 + 0.0);
  }
};
template <class T>
struct Sloping {
  SC_FN void operator()(Border f, Out<T> q) const {
    for (int n = 1; n <= f.layers; ++n)
      q[f.ghost(n)] = static_cast<T>(static_cast<double>(q[f.inside(n)]) + 0.1 * 0.5 * (2 * n - 1));
  }
};

template <class T, int N>
void write(std::ofstream& file, const Field<T, N>& field) {
  const std::vector<std::byte> bytes = gather(field.storage(0));
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

template <class T>
void run(Context& context, const std::string& path, int steps) {
  Grid grid(context, {.cells = {18, 20, 22}, .halo = 2});
  Field<T> u(grid, "u", {.levels = 2}), w(grid, "w");
  Field<T, 2> v(grid, "v", {.levels = 2}), s(grid, "s");
  u.fill([](int x, int y, int z) { return T((x * 7 + y * 5 + z * 3) % 11 - 5) / T(8); });
  v.fill([](int k, int x, int y, int z) { return T((x * 3 + y * 11 + z * 5 + k) % 13 - 6) / T(8); });
  s.fill([](int k, int x, int y, int z) { return T((x + y + z + k) % 7) / T(8); });
  w.fill([](int x, int y, int z) { return T((x * 5 + y * 3 + z * 7) % 17 - 8) / T(16); });
  for (int side = 0; side < 2; ++side) {
    boundary(u, {0, side}, Outflow<T>{T(0.01)}, 0, reads(s.now()));
    boundary(u, {1, side}, OnFace<T>{});
    boundary(u, {2, side}, Sloping<T>{});
    for (int axis = 0; axis < 3; ++axis) {
      boundary(v, {axis, side}, Mirrored<T, 2>{});
      boundary(s, {axis, side}, Mirrored<T, 2>{});
      boundary(w, {axis, side}, Fixed<T>{T(0.5)});
    }
  }
  Runner runner(context, {.strategy = Strategy::blocking});
  Sweep first("first", AdvanceU<T>{}, writes(u.next()), reads(u.now(), box(1)), reads(v.now(), star(1)));
  Sweep second("second", AdvanceV<T>{}, SweepOptions{.reduce = Reduce::sum}, writes(v.next()), reads(v.now()),
               reads(u.now(), star(2)));
  Sweep relax("relax", Relax<T>{}, SweepOptions{.colours = 2}, updates(w.now(), star(1)));
  GlobalValue total(context);
  runner.refresh(s.now(), box(2));  // conditions read it in their columns' halos too
  for (int step = 0; step < steps; ++step) {
    runner.run(first, AdvanceU<T>{T(0.05) + T(0.001) * T(step), 5});
    u.advance();
    runner.run(second);
    v.advance();
    runner.run(relax);
    const double sum = total.reduce(second.accumulators());
    std::printf("%.17g %.17g\n", sum, total.value(1));
  }
  std::ofstream file(path, std::ios::binary);
  write(file, u);
  write(file, v);
  write(file, w);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  Context context(MPI_COMM_WORLD);
  if (std::string(argv[2]) == "single")
    run<float>(context, argv[1], std::atoi(argv[3]));
  else
    run<double>(context, argv[1], std::atoi(argv[3]));
  context.close();
}
