// SPDX-License-Identifier: Apache-2.0
// Mesh: what its metrics say of the grid: whether it folds over itself, its shortest distance, right angles.
#include <cmath>

#include "engine/grid/cells.hpp"
#include "solvers/cavity/mesh.hpp"

namespace sc::cavity {

namespace {

template <class Real>
struct Negative {  // the largest value of -J is negative unless the grid folds over itself
  SC_FN double operator()(At c, In<Real> J) const { return -double(J[c]); }
};

}  // namespace

template <class Real>
void Mesh<Real>::examine(Runner& runner) {
  const Grid& grid = x.grid();
  Sweep extent("extent", Extent<Real>{}, SweepOptions{.reduce = Reduce::max}, reads(x.now(), box(1)),
               reads(face.now(), star(1)), reads(edge.now(), box(1)));
  Sweep folded("folded", Negative<Real>{}, SweepOptions{.reduce = Reduce::max}, reads(J.now()));
  runner.run(extent);
  runner.run(folded);
  if (grid.context().rehearses()) {
    smallest_ = 1;
    orthogonal_ = crosses_at_right_angles();
    return;
  }
  GlobalValue global(grid.context());
  global.reduce(extent.accumulators());
  smallest_ = std::sqrt(-global.value(0));
  orthogonal_ = global.value(2) <= 1e-12 * global.value(1);
  const double worst = global.reduce(folded.accumulators());
  if (!(worst < 0)) refuse("the grid folds over itself: the volume of a cell is " + std::to_string(-worst));
}

/// Whether grid lines are orthogonal, judged by the corners of the own cells: for a rehearsal, which computes
/// no metrics.
template <class Real>
bool Mesh<Real>::crosses_at_right_angles() const {
  const Grid& grid = x.grid();
  const In<double, 3> points = x.read();
  const Layout& layout = grid.layout();
  const std::array<std::ptrdiff_t, 3> to_next{1, layout.sy, layout.sz};
  const Int3 last = grid.own().hi - Int3{1, 1, 1};
  for (int corner = 0; corner < 8; ++corner) {
    const auto at =
        layout.offset({corner & 1 ? last.x : 0, corner & 2 ? last.y : 0, corner & 4 ? last.z : 0});
    std::array<Vec3, 3> along;
    for (std::size_t a = 0; a < 3; ++a)
      for (int e = 0; e < 3; ++e)
        along[a][std::size_t(e)] = points[e].base[at + to_next[a]] - points[e].base[at - to_next[a]];
    for (std::size_t a = 0; a < 3; ++a) {
      const Vec3 &u = along[a], &v = along[(a + 1) % 3];
      if (dot(u, v) * dot(u, v) > 1e-12 * dot(u, u) * dot(v, v)) return false;
    }
  }
  return true;
}

template void Mesh<double>::examine(Runner&);
template void Mesh<float>::examine(Runner&);

}  // namespace sc::cavity
