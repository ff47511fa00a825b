// SPDX-License-Identifier: Apache-2.0
// Writes and reads files of io for tests/python/test_files.py, which varies the ranks, kills it and looks at
// what it wrote.
//
//   io_tool snapshot PATH KIND   one snapshot of step 40, time 1.5: unstructured, structured or, unstructured
//                                without shear, stretched
//   io_tool loop PATH N          checkpoints of N³ cells, step 0, 1, 2, … until it is killed
//   io_tool check PATH N         reads one, prints its step, fails on a wrong value
//   io_tool refuse PATH N        reads one and prints the sentence it is refused with
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "engine/field/field.hpp"
#include "engine/grid/cells.hpp"
#include "io/checkpoint.hpp"
#include "io/file.hpp"
#include "io/snapshot.hpp"

namespace {

using namespace sc;

/// Calls f(component, global cell, value) for own cells and one layer of walls.
template <class T, int N, class F>
void for_each_point(Field<T, N>& field, F&& f) {
  const Grid& grid = field.grid();
  const Out<T, N> out = field.modify();
  Box box = grid.own();
  if (box.empty()) return;
  for (int a = 0; a < 3; ++a) {
    box.lo[a] -= grid.physical({a, 0});
    box.hi[a] += grid.physical({a, 1});
  }
  for (int k = 0; k < N; ++k)
    each_cell(box,
              [&](Int3 c) { f(k, c + grid.origin(), out.base[k * out.stride + grid.layout().offset(c)]); });
}

/// A stretched box, sheared or not; velocity is twice the place and pressure the sum of its coordinates.
double stretched(int axis, Int3 c, double shear) {
  const double p[3] = {std::pow((c.x + 1) / 13.0, 2), (c.y + 1) / 11.0, (c.z + 1) / 17.0};
  return p[axis] + (axis == 0 ? shear * p[2] : 0.0);
}

void write_snapshot(Context& context, const std::string& path, const std::string& kind) {
  const Grid grid(context, {.cells = {12, 10, 16}, .halo = 1});
  Field<double, 3> coordinates(grid, "coordinates");
  Field<double, 3> velocity(grid, "velocity");
  Field<float> pressure(grid, "pressure");
  const auto place = [shear = kind == "stretched" ? 0.0 : 0.2](int k, Int3 c) {
    return stretched(k, c, shear);
  };
  for_each_point(coordinates, [&](int k, Int3 c, double& v) { v = place(k, c); });
  for_each_point(velocity, [&](int k, Int3 c, double& v) { v = 2 * place(k, c); });
  for_each_point(pressure, [&](int, Int3 c, float& v) {
    v = static_cast<float>(place(0, c) + place(1, c) + place(2, c));
  });
  io::write_snapshot(
      path, {.coordinates = &coordinates.storage(0),
             .fields = {{"velocity", &velocity.storage(0)}, {"pressure", &pressure.storage(0)}},
             .layers = 1,
             .step = 40,
             .time = 1.5,
             .kind = kind == "structured" ? io::SnapshotKind::structured : io::SnapshotKind::unstructured});
}

struct State {
  State(Context& context, int n)
      : grid(context, {.cells = {n, n, n}, .halo = 1}), velocity(grid, "velocity") {}
  io::CheckpointContents contents() {
    return {"io_tool", grid, {{"velocity", &velocity.storage(0), 1}}, {{"step", &step}}};
  }
  static double value(std::int64_t step, int k, Int3 c) {
    return std::sin(static_cast<double>(step) + 0.1 * k + 0.01 * (c.x + 7 * c.y + 31 * c.z));
  }
  Grid grid;
  Field<double, 3> velocity;
  std::int64_t step = 0;
};

[[noreturn]] void loop(Context& context, const std::string& path, int n) {
  State state(context, n);
  std::printf("rank %d is process %d\n", context.rank(), static_cast<int>(getpid()));
  std::fflush(stdout);
  for (;; ++state.step) {
    for_each_point(state.velocity, [&](int k, Int3 c, double& v) { v = State::value(state.step, k, c); });
    io::write_checkpoint(path, state.contents());
    if (state.step == 0 && context.rank() == 0) std::printf("first checkpoint written\n");
    std::fflush(stdout);
  }
}

void check(Context& context, const std::string& path, int n) {
  State state(context, n);
  io::remove_leftovers(context, path.substr(0, path.rfind('/')));
  io::read_checkpoint(path, state.contents());
  std::int64_t wrong = 0;
  for_each_point(state.velocity,
                 [&](int k, Int3 c, double& v) { wrong += v != State::value(state.step, k, c); });
  if (wrong > 0) throw Error(Exit::failure, std::to_string(wrong) + " values are wrong");
  if (context.rank() == 0) std::printf("step %lld\n", static_cast<long long>(state.step));
}

void refuse_it(Context& context, const std::string& path, int n) {
  State state(context, n);
  try {
    io::read_checkpoint(path, state.contents());
  } catch (const Error& error) {
    if (context.rank() == 0) std::printf("%d %s\n", static_cast<int>(error.code()), error.what());
    return;
  }
  throw Error(Exit::failure, "the checkpoint was taken");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: io_tool snapshot PATH KIND | loop PATH N | check PATH N | refuse PATH N\n");
    return 2;
  }
  const std::string verb = argv[1];
  Context context;
  int code = 0;
  try {
    if (verb == "snapshot") write_snapshot(context, argv[2], argv[3]);
    if (verb == "loop") loop(context, argv[2], std::atoi(argv[3]));
    if (verb == "check") check(context, argv[2], std::atoi(argv[3]));
    if (verb == "refuse") refuse_it(context, argv[2], std::atoi(argv[3]));
  } catch (const Error& error) {
    if (context.rank() == 0) std::fprintf(stderr, "%s\n", error.what());
    code = static_cast<int>(error.code());
  }
  context.close();
  return code;
}
