// SPDX-License-Identifier: Apache-2.0
// Blocks of threads: the mapping of threads of a launch to places, with the same functions for CUDA and the
// emulated device, and the loop over blocks and threads that replaces a launch on the host.
#pragma once

#include <algorithm>

#include "engine/exec/tally.hpp"
#include "engine/grid/cells.hpp"

namespace sc {

/// Blocks of threads over an extent; threads of a block are consecutive along x, for whole memory
/// transactions.
struct Shape {
  static constexpr int most_threads = 256;  ///< of a block
  Int3 blocks, threads;                     ///< numbers of threads are powers of two
  int planes = 1;                           ///< consecutive places of a thread along z
};
/// A thread has several places along z if there are enough blocks to occupy a device without it.
Shape shape_of(Int3 extent);

namespace detail {

/// Calls the body for the places of one thread of one block: body(first, count) for `count` of them from
/// `first` along z, or body(place) for each if it takes no count.
template <class F>
SC_FN void each_place(Int3 extent, const Shape& shape, Int3 block, Int3 thread, const F& body) {
  const Int3 first{block.x * shape.threads.x + thread.x, block.y * shape.threads.y + thread.y,
                   (block.z * shape.threads.z + thread.z) * shape.planes};
  if (first.x >= extent.x || first.y >= extent.y || first.z >= extent.z) return;
  const int count = shape.planes < extent.z - first.z ? shape.planes : extent.z - first.z;
  if constexpr (std::is_invocable_v<const F&, Int3, int>) {
    body(first, count);
  } else {
    for (int n = 0; n < count; ++n) body(Int3{first.x, first.y, first.z + n});
  }
}

/// f(blocks, first) for parts of a grid of blocks, from block `first` on: one part, several beyond what CUDA
/// allows along y and z.
template <class F>
void each_grid(Int3 blocks, const F& f) {
  constexpr int most = 65535;
  for (int z = 0; z < blocks.z; z += most)
    for (int y = 0; y < blocks.y; y += most)
      f(Int3{blocks.x, std::min(most, blocks.y - y), std::min(most, blocks.z - z)}, Int3{0, y, z});
}

/// Adds what a body returns to the values of its thread.
template <class Body, int K>
struct Adding {
  const Body& body;
  ValueTally (&values)[K];
  Reduce reduce;
  SC_FN void operator()(Int3 first, int count) const { body(first, count, values, reduce); }
};

#ifdef __CUDACC__
template <class Body>
__global__ void __launch_bounds__(Shape::most_threads)
    run(const Body body, Int3 extent, Shape shape, Int3 first_block) {
  const Int3 block = first_block + Int3{int(blockIdx.x), int(blockIdx.y), int(blockIdx.z)};
  const Int3 thread{int(threadIdx.x), int(threadIdx.y), int(threadIdx.z)};
  each_place(extent, shape, block, thread, body);
}

template <class Body, int K>
__global__ void __launch_bounds__(Shape::most_threads)
    run_tallied(const Body body, Int3 extent, Shape shape, Int3 first_block, Reduce reduce,
                TallyOf<K>* into) {
  const Int3 block = first_block + Int3{int(blockIdx.x), int(blockIdx.y), int(blockIdx.z)};
  const Int3 thread{int(threadIdx.x), int(threadIdx.y), int(threadIdx.z)};
  ValueTally values[K];
  each_place(extent, shape, block, thread, Adding<Body, K>{body, values, reduce});
  __shared__ ValueTally of_thread[Shape::most_threads];
  const int threads = shape.threads.x * shape.threads.y * shape.threads.z;
  const int mine = thread.x + shape.threads.x * (thread.y + shape.threads.y * thread.z);
  for (int k = 0; k < K; ++k) {
    of_thread[mine] = values[k];
    for (int half = threads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (mine < half) of_thread[mine].merge(reduce, of_thread[mine + half]);
    }
    if (mine == 0) into->add(k, reduce, of_thread[0]);
    __syncthreads();
  }
}
#endif

inline namespace SC_COMPILED {

/// body(place) for every place, block by block and thread by thread.
template <class Body>
void blocks_on_host(Int3 extent, const Shape& shape, const Body& body) {
  each_cell({{}, shape.blocks}, [&](Int3 block) {
    each_cell({{}, shape.threads}, [&](Int3 thread) { each_place(extent, shape, block, thread, body); });
  });
}
/// The same with body(first, count, values, reduce).
template <int K, class Body>
void blocks_on_host(Int3 extent, const Shape& shape, const Body& body, Reduce reduce, TallyOf<K>* into) {
  each_cell({{}, shape.blocks}, [&](Int3 block) {
    ValueTally values[K];
    const Adding<Body, K> adding{body, values, reduce};
    each_cell({{}, shape.threads}, [&](Int3 thread) { each_place(extent, shape, block, thread, adding); });
    for (int k = 0; k < K; ++k) into->add(k, reduce, values[k]);
  });
}

#ifdef __CUDACC__
inline dim3 dim_of(Int3 n) { return {unsigned(n.x), unsigned(n.y), unsigned(n.z)}; }

/// The same on a stream of CUDA.
template <class Body>
cudaError_t blocks_on_cuda(void* stream, Int3 extent, const Shape& shape, const Body& body) {
  each_grid(shape.blocks, [&](Int3 blocks, Int3 first) {
    run<<<dim_of(blocks), dim_of(shape.threads), 0, static_cast<cudaStream_t>(stream)>>>(body, extent, shape,
                                                                                         first);
  });
  return cudaGetLastError();
}
template <int K, class Body>
cudaError_t blocks_on_cuda(void* stream, Int3 extent, const Shape& shape, const Body& body, Reduce reduce,
                           TallyOf<K>* into) {
  each_grid(shape.blocks, [&](Int3 blocks, Int3 first) {
    run_tallied<Body, K><<<dim_of(blocks), dim_of(shape.threads), 0, static_cast<cudaStream_t>(stream)>>>(
        body, extent, shape, first, reduce, into);
  });
  return cudaGetLastError();
}
#endif

}  // namespace SC_COMPILED
}  // namespace detail
}  // namespace sc
