// SPDX-License-Identifier: Apache-2.0
// Kernels compiled at run time, on a device: by nvcc for a GPU, by any other compiler for the emulated
// device. As in compiled_kernel.hpp, plain structs and one function of a small library.
#pragma once

#include "engine/exec/blocks.hpp"
#include "engine/exec/cell_body.hpp"
#include "engine/exec/compiled_kernel.hpp"

namespace sc {

/// Where a call runs: on this thread, as work of an emulated device, or on a CUDA stream.
struct LaunchOn {
  bool host;
  void* stream;
  Shape shape;
};

/// The cells of a box. `tally`: a TallyOf<K> in device memory for the values that the kernel returns; nullptr
/// if they are not needed.
struct CellsCall {
  LaunchOn on;
  Box box;
  Lattice lattice;
  Int3 origin;
  std::ptrdiff_t sy, sz;
  const CellsAt* fields;
  const void* kernel;
  Reduce reduce;
  void* tally;
};

/// The columns of a face.
struct FaceCall {
  LaunchOn on;
  ColumnsCall columns;
};

namespace detail {

/// A condition at one column, with all its layers.
template <class Kernel, class... Views>
struct ColumnCells {
  Int3 low;
  std::ptrdiff_t sy, sz, outward;
  int layers;
  Kernel kernel;
  std::tuple<Views...> views;

  SC_FN void operator()(Int3 place) const {
    const Int3 c = low + place;
    const Border b{{c.x + c.y * sy + c.z * sz, sy, sz}, outward, layers};
    for (int layer = 1; layer <= layers; ++layer)
      std::apply([&](const auto&... v) { kernel(b, layer, v...); }, views);
  }
};

inline namespace SC_COMPILED {

/// nullptr, or an error message.
template <class Body, class... Tally>
const char* launch_on(const LaunchOn& on, Int3 extent, const Body& body, Tally... tally) {
  if (on.host) {
    blocks_on_host(extent, on.shape, body, tally...);
    return nullptr;
  }
#ifdef __CUDACC__
  const cudaError_t code = blocks_on_cuda(on.stream, extent, on.shape, body, tally...);
  return code == cudaSuccess ? nullptr : cudaGetErrorString(code);
#else
  return "it was not compiled by nvcc";
#endif
}

template <class Kernel, class... Views, std::size_t... n>
const char* compute_cells(const CellsCall& call, std::index_sequence<n...>) {
  using Body = CellBody<CompiledCell<Kernel>, Views...>;
  const Body body{call.box,
                  call.lattice,
                  call.origin,
                  call.sy,
                  call.sz,
                  {*static_cast<const Kernel*>(call.kernel)},
                  {ViewAt<Views>::of(call.fields[n])...}};
  if constexpr (constexpr int values = Body::Of::count; values > 0)
    if (call.tally)
      return launch_on(call.on, body.extent(), body, call.reduce, static_cast<TallyOf<values>*>(call.tally));
  return launch_on(call.on, body.extent(), body);
}

template <class Kernel, class... Views, std::size_t... n>
const char* compute_face(const FaceCall& call, std::index_sequence<n...>) {
  const ColumnsCall& columns = call.columns;
  const ColumnCells<Kernel, Views...> body{columns.cells.lo,
                                           columns.sy,
                                           columns.sz,
                                           columns.outward,
                                           columns.layers,
                                           *static_cast<const Kernel*>(columns.kernel),
                                           {ViewAt<Views>::of(columns.fields[n])...}};
  return launch_on(call.on, columns.cells.extent(), body);
}

}  // namespace SC_COMPILED
}  // namespace detail

inline namespace SC_COMPILED {

/// The function of a compiled library for a device; Views are in the order of the call's fields.
template <class Kernel, class... Views>
const char* compute_cells(const CellsCall& call) {
  return detail::compute_cells<Kernel, Views...>(call, std::index_sequence_for<Views...>{});
}
template <class Kernel, class... Views>
const char* compute_face(const FaceCall& call) {
  return detail::compute_face<Kernel, Views...>(call, std::index_sequence_for<Views...>{});
}

}  // namespace SC_COMPILED
}  // namespace sc
