// SPDX-License-Identifier: Apache-2.0
// launch: one call of a body for every place of an extent, on a lane of a device. Which thread does which
// place is worked out by the same functions for CUDA and for the emulated device.
//
// Only what nvcc compiles can launch on CUDA: whatever instantiates launch() for a kernel lives in an inline
// namespace by compiler, so that no linker takes the one for the other.
#pragma once

#include <string>

#include "engine/base/device.hpp"
#include "engine/base/error.hpp"
#include "engine/exec/tally.hpp"
#ifdef __CUDACC__
#include "engine/exec/cuda_check.hpp"
#endif

namespace sc {

/// Blocks of threads over an extent; threads of a block along x first, for whole memory transactions.
struct Shape {
  Int3 blocks, threads;
};
/// 256 threads a block or fewer, and so many blocks that every place has its own thread, as far as CUDA
/// allows (65535 blocks along y and z); threads then take several places.
Shape shape_of(Int3 extent);

namespace detail {

/// Calls body(place) for the places of one thread of one block.
template <class F>
SC_FN void each_place(Int3 extent, const Shape& shape, Int3 block, Int3 thread, const F& body) {
  for (int z = block.z * shape.threads.z + thread.z; z < extent.z; z += shape.blocks.z * shape.threads.z)
    for (int y = block.y * shape.threads.y + thread.y; y < extent.y; y += shape.blocks.y * shape.threads.y)
      for (int x = block.x * shape.threads.x + thread.x; x < extent.x; x += shape.blocks.x * shape.threads.x)
        body(Int3{x, y, z});
}

template <class F>
void each_of(Int3 extent, const F& f) {
  for (int z = 0; z < extent.z; ++z)
    for (int y = 0; y < extent.y; ++y)
      for (int x = 0; x < extent.x; ++x) f(Int3{x, y, z});
}

/// Adds what a body returns to the tally of its block.
template <class Body, int K>
struct Adding {
  const Body& body;
  TallyOf<K>& tally;
  Reduce reduce;
  SC_FN void operator()(Int3 place) const { body(place, tally, reduce); }
};

#ifdef __CUDACC__
template <class Body>
__global__ void __launch_bounds__(256) run(const Body body, Int3 extent, Shape shape) {
  const Int3 block{int(blockIdx.x), int(blockIdx.y), int(blockIdx.z)};
  const Int3 thread{int(threadIdx.x), int(threadIdx.y), int(threadIdx.z)};
  each_place(extent, shape, block, thread, body);
}

template <class Body, int K>
__global__ void __launch_bounds__(256)
    run_tallied(const Body body, Int3 extent, Shape shape, Reduce reduce, TallyOf<K>* into) {
  __shared__ TallyOf<K> tally;
  const Int3 block{int(blockIdx.x), int(blockIdx.y), int(blockIdx.z)};
  const Int3 thread{int(threadIdx.x), int(threadIdx.y), int(threadIdx.z)};
  const int of = shape.threads.x * shape.threads.y * shape.threads.z;
  const int mine = thread.x + shape.threads.x * (thread.y + shape.threads.y * thread.z);
  for (int n = mine; n < TallyOf<K>::size; n += of) tally.clear(n);
  __syncthreads();
  each_place(extent, shape, block, thread, Adding<Body, K>{body, tally, reduce});
  __syncthreads();
  for (int n = mine; n < TallyOf<K>::size; n += of) into->merge(n, tally);
}
#endif

}  // namespace detail

inline namespace SC_COMPILED {

[[noreturn]] inline void not_compiled_for(const Device& device, const char* what) {
  throw Error(Exit::failure,
              std::string(what) + " was not compiled by nvcc and cannot run on " + device.describe());
}

/// `body(place)` for every place of the extent; body is copied and must not refer to the host's memory.
template <class Body>
void launch(Device& device, Lane lane, Int3 extent, const Body& body, const char* what) {
  if (extent.x <= 0 || extent.y <= 0 || extent.z <= 0) return;
  const Shape shape = shape_of(extent);
  if (device.runs_on_host()) {
    device.give(lane, [extent, shape, body] {
      detail::each_of(shape.blocks, [&](Int3 block) {
        detail::each_of(shape.threads,
                        [&](Int3 thread) { detail::each_place(extent, shape, block, thread, body); });
      });
    });
    return;
  }
#ifdef __CUDACC__
  const dim3 blocks(unsigned(shape.blocks.x), unsigned(shape.blocks.y), unsigned(shape.blocks.z));
  const dim3 threads(unsigned(shape.threads.x), unsigned(shape.threads.y), unsigned(shape.threads.z));
  detail::run<<<blocks, threads, 0, static_cast<cudaStream_t>(device.native(lane))>>>(body, extent, shape);
  cuda::check(cudaGetLastError(), what);
#else
  not_compiled_for(device, what);
#endif
}

/// The same with body(place, tally, reduce), whose K values are added up in `into`, memory of the device.
template <int K, class Body>
void launch_tallied(Device& device, Lane lane, Int3 extent, const Body& body, Reduce reduce, TallyOf<K>* into,
                    const char* what) {
  if (extent.x <= 0 || extent.y <= 0 || extent.z <= 0) return;
  const Shape shape = shape_of(extent);
  if (device.runs_on_host()) {
    device.give(lane, [extent, shape, body, reduce, into] {
      detail::each_of(shape.blocks, [&](Int3 block) {
        TallyOf<K> tally;
        for (int n = 0; n < TallyOf<K>::size; ++n) tally.clear(n);
        const detail::Adding<Body, K> adding{body, tally, reduce};
        detail::each_of(shape.threads,
                        [&](Int3 thread) { detail::each_place(extent, shape, block, thread, adding); });
        for (int n = 0; n < TallyOf<K>::size; ++n) into->merge(n, tally);
      });
    });
    return;
  }
#ifdef __CUDACC__
  const dim3 blocks(unsigned(shape.blocks.x), unsigned(shape.blocks.y), unsigned(shape.blocks.z));
  const dim3 threads(unsigned(shape.threads.x), unsigned(shape.threads.y), unsigned(shape.threads.z));
  detail::run_tallied<Body, K><<<blocks, threads, 0, static_cast<cudaStream_t>(device.native(lane))>>>(
      body, extent, shape, reduce, into);
  cuda::check(cudaGetLastError(), what);
#else
  not_compiled_for(device, what);
#endif
}

}  // namespace SC_COMPILED
}  // namespace sc
