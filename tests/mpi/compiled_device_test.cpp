// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// device: yes
// timeout: 300
// Kernels behind a function pointer on devices, for fields in device memory and fields in the host's memory
// beside a device: the bits of the host, with reductions, colours and both kinds of conditions.
#include "engine/stage/compiled_sweep.hpp"

#include <gtest/gtest.h>

#include "engine/exec/face_kernel.hpp"
#include "engine/move/output/gather.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "engine/overlap/runner.hpp"
#include "engine/stage/global_value.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/kernels.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

struct Advance {
  double a;
  SC_FN std::array<double, 2> operator()(At c, Index g, Out<double> next, In<double, 2> v,
                                         In<double> u) const {
    next[c] = u[c] + a * (u[c.x(1).y(1)] - u[c.z(-2)] * v[1][c]) + 1e-3 * static_cast<double>(g.x - g.z);
    return {next[c] * v[0][c], next[c]};
  }
};
struct Relax {
  double a;
  SC_FN void operator()(At c, InOut<double> u) const {
    u[c] = a * u[c] + 0.1 * (u[c.x(1)] + u[c.y(-1)] + u[c.z(1)]);
  }
};
/// A condition in the form generated for Python, one layer for each call, and in the form of C++.
struct Outflow {
  double b;
  SC_FN void operator()(Border border, int n, Out<double> q, In<double, 2> v) const {
    q[border.ghost(n)] = 2 * q[border.inside(n)] - q[border.inside(n + 1)] + b * n - v[1][border.inside(1)];
  }
  SC_FN void operator()(Border border, Out<double> q, In<double, 2> v) const {
    for (int n = 1; n <= border.layers; ++n) (*this)(border, n, q, v);
  }
};

const char* advance_cells(const CellsCall* call) {
  return compute_cells<Advance, Out<double>, In<double, 2>, In<double>>(*call);
}
const char* relax_cells(const CellsCall* call) { return compute_cells<Relax, InOut<double>>(*call); }
const char* outflow_face(const FaceCall* call) {
  return compute_face<Outflow, Out<double>, In<double, 2>>(*call);
}

struct Outcome {
  std::vector<std::byte> u, w;
  std::vector<double> sums;
};

enum class Lies { host, device, beside };

/// On the host the same kernels run as template arguments.
Outcome run(Context& context, const Strategy& strategy, Lies where) {
  const bool device = where != Lies::host;
  const Grid grid(context, {.cells = {17, 18, 20}, .halo = 2});
  FieldOptions options{.levels = 2, .space = where == Lies::device ? Space::device : Space::host};
  if (where == Lies::beside) options.place = in_host_memory_of(context.device(), 2);
  Field<double> u(grid, "u", options);
  // Fields with colours, or with conditions that read other fields, must be in the memory where they are
  // computed.
  const Space near = device ? Space::device : Space::host;
  Field<double, 2> v(grid, "v", {.space = near});
  Field<double> w(grid, "w", {.space = near});
  u.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  v.fill([](int k, int x, int y, int z) { return std::cos(0.3 * x * (k + 1) - 0.5 * y + 0.1 * z); });
  w.fill([](int x, int y, int z) { return std::sin(0.3 * x * y + 0.4 * z); });
  const Outflow outflow{0.01};
  for (const Face face : all_faces) {
    const auto law = std::make_shared<AffineFace>(std::vector<AffineFace::Law>{{-0.5, 0.1, 0.02}});
    u.boundaries().set(face, law);
    if (face.axis > 0)
      w.boundaries().set(face, law);
    else if (device)
      w.boundaries().set(
          face, std::make_shared<CompiledFace>(CompiledColumns{nullptr, bytes_of(outflow), 4, outflow_face},
                                               std::vector<ReadBeside>{{&v, 0}}));
    else
      boundary(w, face, outflow, 0, reads(v.now()));
    v.boundaries().set(face, std::make_shared<AffineFace>(std::vector<AffineFace::Law>(2)));
  }
  Sweep advance("advance", Advance{}, SweepOptions{.reduce = Reduce::sum}, writes(u.next()), reads(v.now()),
                reads(u.now(), star(2) | box(1)));
  Sweep relax("relax", Relax{}, SweepOptions{.colours = 2}, updates(w.now(), star(1)));
  CompiledSweep late("advance", {nullptr, {}, true, advance_cells}, 2, {.reduce = Reduce::sum},
                     advance.accesses());
  CompiledSweep late_relax("relax", {nullptr, {}, false, relax_cells}, 0, {.colours = 2}, relax.accesses());
  Runner runner(context, {.strategy = strategy});
  GlobalValue total(context);
  Outcome outcome;
  for (int step = 0; step < 2; ++step) {
    const Advance one{0.05 + 0.01 * step};
    const Relax other{0.4 + 0.1 * step};
    runner.refresh(v.now(), box(2));
    late.set(bytes_of(one));
    late_relax.set(bytes_of(other));
    if (device)
      runner.run(late);
    else
      runner.run(advance, one);
    total.start(device ? late.accumulators() : advance.accumulators());
    for (int k = 0; k < 2; ++k) outcome.sums.push_back(total.value(k));
    u.advance();
    if (device)
      runner.run(late_relax);
    else
      runner.run(relax, other);
  }
  outcome.u = gather(u.storage(0));
  outcome.w = gather(w.storage(0));
  context.barrier();
  return outcome;
}

class CompiledOnDevices : public OnDevice {};
INSTANTIATE_TEST_SUITE_P(On, CompiledOnDevices, testing::ValuesIn(backends()), backend_name);

TEST_P(CompiledOnDevices, LeaveTheBitsOfSweepsOnTheHost) {
  TestContext context;
  open(context, GetParam());
  const Outcome expected = run(context, Strategy::blocking, Lies::host);
  for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first, Strategy::interior_first})
    for (const Lies where : {Lies::device, Lies::beside}) {
      SCOPED_TRACE(std::string(strategy.name) + (where == Lies::beside ? " beside" : " on") + " the device");
      const Outcome outcome = run(context, strategy, where);
      EXPECT_TRUE(outcome.u == expected.u);
      EXPECT_TRUE(outcome.w == expected.w);
      EXPECT_EQ(outcome.sums, expected.sums);
    }
}

const char* broken_cells(const CellsCall* /*call*/) { return "no kernel image is available"; }

TEST_P(CompiledOnDevices, SayWhatWentWrong) {
  TestContext context;
  open(context, GetParam());
  const Grid grid(context, {.cells = {8, 8, 8}, .periodic = {true, true, true}});
  Field<double> u(grid, "u", {.space = Space::device});
  CompiledSweep sweep("broken", {nullptr, bytes_of(Relax{}), false, broken_cells}, 0, {},
                      {updates(u.now()).access()});
  Runner runner(context, {});
  try {
    runner.run(sweep);
    context.device()->finish();
    ADD_FAILURE() << "nothing was said";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "stage \"broken\" cannot run on " + context.device()->describe() +
                                ": no kernel image is available");
  }
}

}  // namespace
}  // namespace sc::test
