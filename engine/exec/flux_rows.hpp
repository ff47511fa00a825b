// SPDX-License-Identifier: Apache-2.0
// A flux kernel over the cells of a box; each flux is computed once. Along x fluxes come from a buffer for a
// row; along y and z the flux above a cell is kept until the next cell is computed. Threads iterate along z
// over bricks of rows whose fluxes and stencil planes fit in the second-level cache.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/align.hpp"
#include "engine/exec/subnormals.hpp"
#include "engine/field/fluxes.hpp"
#include "engine/grid/grid.hpp"

namespace sc::detail {

/// A box divided into bricks of these sizes along x and y, iterated along z.
struct Bricks {
  static constexpr int most_along_x = 1024, most_cells = 8192;
  explicit Bricks(const Box& box)
      : box_(box),
        along_x(cut(box.extent().x, most_along_x)),
        along_y(cut(box.extent().y, most_cells / along_x)),
        columns((box.extent().x + along_x - 1) / along_x) {}
  /// Planes of bricks, those of a brick one after the other.
  std::int64_t planes() const {
    const Int3 n = box_.extent();
    return std::int64_t{columns} * ((n.y + along_y - 1) / along_y) * n.z;
  }
  Box plane(std::int64_t number) const {
    const int nz = box_.extent().z, brick = static_cast<int>(number / nz);
    const int z = box_.lo.z + static_cast<int>(number % nz);
    const int x = box_.lo.x + brick % columns * along_x, y = box_.lo.y + brick / columns * along_y;
    return {{x, y, z}, {std::min(x + along_x, box_.hi.x), std::min(y + along_y, box_.hi.y), z + 1}};
  }

 private:
  /// Divides `count` into parts of at most `most`, as equal as possible.
  static int cut(int count, int most) {
    const int parts = (count + most - 1) / most;
    return (count + parts - 1) / parts;
  }
  Box box_;

 public:
  int along_x, along_y, columns;
};

/// Planes [first, last) of the bricks.
template <class Kernel, class... Views>
[[gnu::noinline]] void flux_planes(const Bricks& bricks, const Layout& layout, Int3 origin,
                                   std::int64_t first, std::int64_t last, const Kernel& kernel_in,
                                   const Views&... views_in) {
  using Flux = typename Kernel::FluxType;
  const SubnormalsAreZero zero;
  alignas(cache_line) Flux west[Bricks::most_along_x + 1], south[Bricks::most_along_x],
      below[Bricks::most_cells];
  const Kernel kernel = kernel_in;  // a local copy, so the compiler knows that no store changes it
  const auto march = [&](auto... views) __attribute__((always_inline)) {
    int top = 0;  // number of valid entries of `below`
    for (std::int64_t plane = first; plane < last; ++plane) {
      const Box box = bricks.plane(plane);
      const int nx = box.extent().x, z = box.lo.z;
      const auto at = [&](int y) { return At{layout.offset({box.lo.x, y, z}), layout.sy, layout.sz}; };
      if (plane == first || z != top)
        for (int y = box.lo.y; y < box.hi.y; ++y) {
          const At c = at(y).z(-1);
          Flux* const kept = below + std::ptrdiff_t{y - box.lo.y} * nx;
#pragma GCC ivdep
          for (int n = 0; n < nx; ++n) kept[n] = kernel.template flux_above<2>(c.x(n), views...);
        }
      top = z + 1;
      const At before = at(box.lo.y - 1);
#pragma GCC ivdep
      for (int n = 0; n < nx; ++n) south[n] = kernel.template flux_above<1>(before.x(n), views...);
      for (int y = box.lo.y; y < box.hi.y; ++y) {
        const At c = at(y);
        const Index g{origin.x + box.lo.x, origin.y + y, origin.z + z};
        Flux* const under = below + std::ptrdiff_t{y - box.lo.y} * nx;
#pragma GCC ivdep
        for (int n = 0; n <= nx; ++n) west[n] = kernel.template flux_above<0>(c.x(n - 1), views...);
#pragma GCC ivdep
        for (int n = 0; n < nx; ++n) {
          const Fluxes<Flux> low{west[n], south[n], under[n]};
          const Fluxes<Flux> high{west[n + 1], kernel.template flux_above<1>(c.x(n), views...),
                                  kernel.template flux_above<2>(c.x(n), views...)};
          south[n] = high.y;
          under[n] = high.z;
          kernel(c.x(n), Index{g.x + n, g.y, g.z}, low, high, views...);
        }
      }
    }
  };
  march(views_in...);
}

}  // namespace sc::detail
