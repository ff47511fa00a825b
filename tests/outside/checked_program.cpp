// SPDX-License-Identifier: Apache-2.0
// Kernels that touch what they did not declare, one by name, compiled against subcurrent::engine_checked.
// Those that only a halo betrays, because they read behind their views' backs, print what they found.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "engine/exec/emulated_device.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "engine/subcurrent.hpp"

using namespace sc;

namespace {

struct Offset {  // reads one cell that many cells away
  Int3 by;
  SC_FN void operator()(At c, Out<double> out, In<double> u) const { out[c] = u[c.x(by.x).y(by.y).z(by.z)]; }
};
struct WriteAbove {
  SC_FN void operator()(At c, Out<double> out, In<double> u) const { out[c.z(1)] = u[c]; }
};
struct UpdateFromBelow {
  SC_FN void operator()(At c, InOut<double> u) const { u[c] = u[c.z(-1)] + 1; }
};
struct Relax {
  int writes;  // how far from its own cell
  SC_FN void operator()(At c, InOut<double> u) const { u[c.y(writes)] = 0.5 * (u[c.x(1)] + u[c.x(-1)]) + 1; }
};
struct RelaxBeside {  // and sets another field
  SC_FN void operator()(At c, InOut<double> u, Out<double> out) const {
    u[c] = 0.5 * (u[c.x(1)] + u[c.x(-1)]);
    out[c] = u[c];
  }
};
struct FifthComponent {
  SC_FN void operator()(At c, Out<double> out, In<double, 3> v) const { out[c] = v[4][c]; }
};
struct Children {
  int further;
  SC_FN void operator()(At c, Index g, Out<double> out, Across<double> fine) const {
    out[c] = fine[fine.at(2 * g.x + further, 2 * g.y, 2 * g.z)];
  }
};
struct Parents {
  int further;
  SC_FN void operator()(At c, Index g, Out<double> out, Across<double> coarse) const {
    out[c] = coarse[coarse.at(g.x / 2 + further, g.y / 2, g.z / 2)];
  }
};
struct Flux {
  using FluxType = double;
  int further;
  template <int axis>
  SC_FN double flux_above(At c, Out<double>, In<double> u) const {
    return u[c.along(axis, further)] - u[c];
  }
  SC_FN void operator()(At c, Index, const Fluxes<double>& low, const Fluxes<double>& high, Out<double> out,
                        In<double>) const {
    out[c] = high.x - low.x + high.y - low.y + high.z - low.z;
  }
};
struct RawAbove {
  SC_FN void operator()(At c, Out<double> out, In<double> u) const { out[c] = u.base[c.z(1).i]; }
};
struct Leaves {  // some cells as they are
  SC_FN void operator()(At c, Index g, Out<double> out, In<double> u) const {
    if (g.x != 3) out[c] = u[c];
  }
};
struct Lines {
  int beyond;
  void operator()(const Bundle& bundle, LineOut<double> out, LineIn<double> u) const {
    for (int n = 0; n < bundle.count; ++n)
      bundle.each([&](int l) __attribute__((always_inline)) { out(n, l) = u(n + beyond, l); });
  }
};
struct Column {  // a boundary condition that reads or writes beside its column
  int reads, writes;
  SC_FN void operator()(Border b, Out<double> q) const {
    const At read = b.inside(1).x(reads), written = b.ghost(1).x(writes);
    q[written] = q[read];
  }
};

template <bool declares>
struct Deep {  // a boundary condition that reads six cells from the face
  static constexpr int inward = declares ? 6 : Boundary::usual_inward;
  SC_FN void operator()(Border b, Out<double> q) const {
    for (int n = 1; n <= b.layers; ++n) q[b.ghost(n)] = q[b.inside(6)];
  }
};

/// A scratch folder of this process.
struct Folder {
  std::filesystem::path path =
      std::filesystem::current_path() / ("scratch-checked-" + std::to_string(getpid()));
  ~Folder() { std::filesystem::remove_all(path); }
};

struct Problem {
  Context& context;
  Grid grid{context, {.cells = {12, 8, 16}, .periodic = {true, true, false}, .halo = 2}};
  Grid half{grid.coarsen({2, 2, 2}, 1)};
  Field<double> u{grid, "u"}, out{grid, "out"}, coarse{half, "coarse"};
  Field<double, 3> v{grid, "v"};
  Runner runner{context, {}};
  std::optional<bool> ends_finite = {};  // of a pass

  explicit Problem(Context& there) : context(there) {
    u.fill([](int x, int y, int z) { return std::sin(x + 2.0 * y + 3.0 * z); });
    v.fill([](int, int, int, int) { return 1.0; });
    coarse.fill([](int, int, int) { return 1.0; });
    for (const Face face : {z_low, z_high}) {
      boundary(u, face, Mirrored<double>{});
      coarse.boundaries().leave(face, Beyond::given);
    }
  }
  void report() {
    bool finite = true;
    if (!ends_finite)
      for (int z = 0; z < grid.own().hi.z; ++z) finite = finite && std::isfinite(out.get({3, 3, z}));
    if (context.any(!ends_finite.value_or(finite)))
      std::printf("found poison\n");
    else
      std::printf("came through\n");
  }
  void sweep(auto kernel, auto... declared) {
    Sweep stage("diffuse", kernel, declared...);
    runner.run(stage);
  }
  void offset(Int3 by, Reach reach) { sweep(Offset{by}, writes(out.now()), reads(u.now(), reach)); }
  void relax(int written) {
    Sweep stage("relax", Relax{written}, SweepOptions{.colours = 2}, updates(u.now(), star(1)));
    runner.run(stage);
  }
  void relax_beside() {
    Sweep stage("relax", RelaxBeside{}, SweepOptions{.colours = 2}, updates(u.now(), star(1)),
                writes(out.now()));
    runner.run(stage);
  }
  void unread(int z) {
    u.boundaries().leave(z_low, Beyond::unread);
    offset({0, 0, z}, star(1));
  }
  void lines(int beyond) {
    LineStage stage("lines", 1, Lines{beyond}, writes(out.now()), reads(u.now(), star(1)));
    runner.run(stage);
  }
  void column(int read, int written) {
    boundary(u, z_low, Column{read, written}, 1);
    offset({0, 0, 1}, star(1));
  }
  template <bool declares>
  void deep() {
    boundary(u, z_low, Deep<declares>{});
    offset({0, 0, 1}, star(1));
  }
  void raw() {
    // Nothing has made the halo fresh, and the stage asks for none.
    sweep(RawAbove{}, writes(out.now()), reads(u.now()));
  }
  /// Two steps of a pass of another field "u", whose values at the end are looked at instead of those of
  /// `out`.
  void pass(auto kernel, Reach reach, auto condition, const std::shared_ptr<FarPlace>& place = {}) {
    Field<double> q(grid, "u", {.levels = 2, .place = place});
    q.fill([](int x, int y, int z) { return std::sin(x + 2.0 * y + 3.0 * z); });
    for (const Face face : {z_low, z_high}) boundary(q, face, condition);
    Sweep stage("diffuse", kernel, writes(q.next()), reads(q.now(), reach));
    Runner two(context, {.steps_per_pass = 2});
    two.steps(2, [&](int) {
      two.run(stage);
      q.advance();
    });
    if (two.passes().passes != 1) throw Error(Exit::failure, two.passes().describe());
    bool finite = true;
    q.each_slab([&](int lo, int hi, In<double> cells) {
      for (int z = lo; z < hi; ++z)
        finite = finite && std::isfinite(cells.base[grid.layout().offset({3, 3, z})]);
    });
    ends_finite = finite;
  }
  void pass(Int3 by, Reach reach) { pass(Offset{by}, reach, Mirrored<double>{}); }
  void pass_in_files(auto kernel, Reach reach) {
    const Folder folder;
    FileMemory files({.folder = folder.path.string()});
    pass(kernel, reach, Mirrored<double>{}, in_files(files, 2 / context.size()));
  }
  void device() {
    context.set_device(std::make_shared<EmulatedDevice>());
    Field<double> there(grid, "there", {.space = Space::device}),
        result(grid, "result", {.space = Space::device});
    there.fill([](int, int, int) { return 1.0; });
    there.boundaries().leave_others(Beyond::given);
    sweep(Offset{{2, 0, 0}}, writes(result.now()), reads(there.now(), star(1)));
    result.get({0, 0, 0});
  }
};

void run(Context& context, const std::string& name) {
  Problem p(context);
  const std::map<std::string, std::function<void()>> all{
      {"declared",
       [&] {
         p.offset({0, 0, 1}, star(1));
       }},
      {"declared far",
       [&] {
         p.offset({0, 0, -2}, star(2));
       }},
      {"declared diagonal",
       [&] {
         p.offset({1, -1, 1}, box(1));
       }},
      {"far",
       [&] {
         p.offset({0, 0, 2}, star(1));
       }},
      {"diagonal",
       [&] {
         p.offset({1, 0, 1}, star(2));
       }},
      {"diagonal far",
       [&] {
         p.offset({2, 1, 0}, star(2) | box(1));
       }},
      {"point",
       [&] {
         p.offset({-1, 0, 0}, point);
       }},
      {"write", [&] { p.sweep(WriteAbove{}, writes(p.out.now()), reads(p.u.now())); }},
      {"update", [&] { p.sweep(UpdateFromBelow{}, updates(p.u.now())); }},
      {"colours", [&] { p.relax(0); }},
      {"colours beside", [&] { p.relax_beside(); }},
      {"colours write", [&] { p.relax(1); }},
      {"component", [&] { p.sweep(FifthComponent{}, writes(p.out.now()), reads(p.v.now())); }},
      {"children",
       [&] { p.sweep(Children{1}, writes(p.coarse.now()), reads(p.u.now(), refine(2, box(1)))); }},
      {"grandchildren",
       [&] { p.sweep(Children{2}, writes(p.coarse.now()), reads(p.u.now(), refine(2, box(1)))); }},
      {"parents",
       [&] { p.sweep(Parents{0}, writes(p.out.now()), reads(p.coarse.now(), coarsen(2, box(1)))); }},
      {"grandparents",
       [&] { p.sweep(Parents{2}, writes(p.out.now()), reads(p.coarse.now(), coarsen(2, box(1)))); }},
      {"flux", [&] { p.sweep(Flux{1}, writes(p.out.now()), reads(p.u.now(), star(1))); }},
      {"flux far", [&] { p.sweep(Flux{2}, writes(p.out.now()), reads(p.u.now(), star(1))); }},
      {"looks away", [&] { p.unread(1); }},
      {"unread", [&] { p.unread(-1); }},
      {"lines", [&] { p.lines(1); }},
      {"lines far", [&] { p.lines(2); }},
      {"column", [&] { p.column(1, 0); }},
      {"column far", [&] { p.column(2, 0); }},
      {"column write", [&] { p.column(0, 1); }},
      {"device", [&] { p.device(); }},
      {"raw", [&] { p.raw(); }},
      {"leaves", [&] { p.sweep(Leaves{}, writes(p.out.now()), reads(p.u.now())); }},
      {"column deep", [&] { p.deep<false>(); }},
      {"column deep declared", [&] { p.deep<true>(); }},
      {"pass",
       [&] {
         p.pass({0, 0, 1}, star(1));
       }},
      {"pass far",
       [&] {
         p.pass({0, 0, 2}, star(1));
       }},
      {"pass in files",
       [&] {
         p.pass_in_files(Offset{{0, 0, 1}}, star(1));
       }},
      {"pass in files far",
       [&] {
         p.pass_in_files(Offset{{0, 0, -2}}, star(1));
       }},
      {"pass column deep",
       [&] {
         p.pass(Offset{{0, 0, 1}}, star(1), Deep<false>{});
       }},
      {"pass column deep declared",
       [&] {
         p.pass(Offset{{0, 0, 1}}, star(1), Deep<true>{});
       }},
      {"pass raw", [&] { p.pass(RawAbove{}, point, Mirrored<double>{}); }},
      {"pass leaves", [&] { p.pass(Leaves{}, star(1), Mirrored<double>{}); }},
      {"pass in files leaves", [&] { p.pass_in_files(Leaves{}, star(1)); }}};
  all.at(name)();
  p.report();
}

}  // namespace

int main(int argc, char** argv) {
  Context context(MPI_COMM_WORLD, {.threads = 2});
  try {
    for (int n = 1; n < argc; ++n) run(context, argv[n]);
    context.close();
  } catch (const Error& e) {
    context.abort(e.what(), e.code());
  }
}
