// SPDX-License-Identifier: Apache-2.0
// A flux kernel over the cells of a box on CUDA: flux_rows.hpp's counterpart. A block of 32 x 8 threads owns
// a column of 31 x 7 cells and iterates along z. Each thread computes the fluxes through the faces above its
// cell. Those below come, along x and y, from the threads before it, through shared memory; along z from the
// plane before. The first thread along x and the first row of threads own no cells: they compute the fluxes
// that enter the column. So a flux is computed 1.1 times on average, not twice.
#pragma once

#include <algorithm>
#include <tuple>

#include "engine/field/fluxes.hpp"
#include "engine/grid/box.hpp"

namespace sc::detail {

template <class Kernel, class... Views>
struct FluxColumns {
  using Flux = typename Kernel::FluxType;
  static constexpr int wide = 32, deep = 8;  // threads of a block along x and y
  /// Fluxes above the cells of a plane of the block.
  struct Passed {
    Flux x[deep][wide], y[deep][wide];
  };

  Box box;
  Int3 origin;
  std::ptrdiff_t sy, sz;
  Kernel kernel;
  std::tuple<Views...> views;
  int planes = 1;  ///< of a block

  /// Worth it: most threads of a block have cells.
  static bool fits(Int3 extent) { return extent.x >= wide / 2 && extent.y >= deep / 2; }
  /// Blocks; decides how many planes each takes, so that there are enough of them to occupy a device.
  Int3 blocks() {
    constexpr int enough = 4096, most_planes = 32, least_planes = 4, most_blocks = 65535;
    const Int3 n = box.extent();
    const Int3 columns{(n.x + wide - 2) / (wide - 1), (n.y + deep - 2) / (deep - 1), 1};
    const auto wanted = std::int64_t{n.z} * columns.x * columns.y / enough;
    planes = static_cast<int>(std::clamp<std::int64_t>(wanted, least_planes, most_planes));
    planes = std::max(planes, (n.z + most_blocks - 1) / most_blocks);
    return {columns.x, columns.y, (n.z + planes - 1) / planes};
  }

#ifdef __CUDACC__
  template <int axis>
  __device__ Flux flux(At c) const {
    return std::apply([&](const auto&... v) { return kernel.template flux_above<axis>(c, v...); }, views);
  }
  __device__ void operator()(Passed (&passed)[2], Int3 block, Int3 thread) const {
    const int x = box.lo.x + block.x * (wide - 1) + thread.x - 1;
    const int y = box.lo.y + block.y * (deep - 1) + thread.y - 1;
    const int first = box.lo.z + block.z * planes, last = min(first + planes, box.hi.z);
    // Beyond the box nothing is read; where threads own no cells, only the flux that enters is computed.
    const bool inside = x < box.hi.x && y < box.hi.y;
    const bool has_x = inside && thread.y > 0, has_y = inside && thread.x > 0, owns = has_x && has_y;
    At c{x + y * sy + first * sz, sy, sz};
    Fluxes<Flux> low{}, high{};
    if (owns) low.z = flux<2>(c.z(-1));
    for (int z = first; z < last; ++z) {
      if (has_x) high.x = flux<0>(c);
      if (has_y) high.y = flux<1>(c);
      if (owns) high.z = flux<2>(c);
      Passed& plane = passed[z & 1];  // two in turn, so that one barrier a plane is enough
      plane.x[thread.y][thread.x] = high.x;
      plane.y[thread.y][thread.x] = high.y;
      __syncthreads();
      if (owns) {
        low.x = plane.x[thread.y][thread.x - 1];
        low.y = plane.y[thread.y - 1][thread.x];
        const Index g{origin.x + x, origin.y + y, origin.z + z};
        std::apply([&](const auto&... v) { kernel(c, g, low, high, v...); }, views);
      }
      low.z = high.z;
      c = c.z(1);
    }
  }
#endif
};

#ifdef __CUDACC__
template <class Columns>
__global__ void __launch_bounds__(Columns::wide* Columns::deep) flux_columns(const Columns columns) {
  __shared__ typename Columns::Passed passed[2];
  columns(passed, {int(blockIdx.x), int(blockIdx.y), int(blockIdx.z)},
          {int(threadIdx.x), int(threadIdx.y), int(threadIdx.z)});
}

/// All columns, on a stream of CUDA.
template <class Columns>
cudaError_t run_columns(void* stream, Columns columns) {
  const Int3 n = columns.blocks();
  const dim3 blocks(unsigned(n.x), unsigned(n.y), unsigned(n.z)), threads(Columns::wide, Columns::deep);
  flux_columns<<<blocks, threads, 0, static_cast<cudaStream_t>(stream)>>>(columns);
  return cudaGetLastError();
}
#endif

}  // namespace sc::detail
