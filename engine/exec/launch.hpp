// SPDX-License-Identifier: Apache-2.0
// launch: calls a body for every place of an extent, on a stream of a device. Only nvcc can compile launches
// on CUDA. Code that instantiates launch() for a kernel is in an inline namespace for each compiler, so that
// a linker cannot mix the instances.
#pragma once

#include <string>

#include "engine/base/device.hpp"
#include "engine/base/error.hpp"
#include "engine/exec/blocks.hpp"
#ifdef __CUDACC__
#include "engine/exec/cuda_check.hpp"
#endif

namespace sc {

inline namespace SC_COMPILED {

[[noreturn]] inline void not_compiled_for(const Device& device, const char* what) {
  throw Error(Exit::failure,
              std::string(what) + " was not compiled by nvcc and cannot run on " + device.describe());
}

/// Calls `body(place)` for every place of the extent; body is copied and must not refer to host memory. With
/// a tally, a Reduce and a TallyOf<K>* in device memory, it calls body(first, count, values, reduce), whose K
/// values are added up there.
template <class Body, class... Tally>
void launch(Device& device, Stream stream, Int3 extent, const Body& body, const char* what, Tally... tally) {
  if (extent.x <= 0 || extent.y <= 0 || extent.z <= 0) return;
  const Shape shape = shape_of(extent);
  if (device.runs_on_host())
    return device.enqueue(
        stream, [extent, shape, body, tally...] { detail::blocks_on_host(extent, shape, body, tally...); });
#ifdef __CUDACC__
  cuda::check(detail::blocks_on_cuda(device.native(stream), extent, shape, body, tally...), what);
#else
  not_compiled_for(device, what);
#endif
}

}  // namespace SC_COMPILED
}  // namespace sc
