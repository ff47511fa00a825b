// SPDX-License-Identifier: Apache-2.0
// Opens a device on all ranks, or on none.
#include "engine/exec/open_device.hpp"

#include "engine/exec/emulated_device.hpp"

namespace sc {

#ifndef SUBCURRENT_HAS_CUDA
std::string why_no_cuda() {
  return "this build has no CUDA (configure with -DSUBCURRENT_CUDA=ON where nvcc is installed)";
}
std::shared_ptr<Device> make_cuda_device(int /*number*/) { refuse(why_no_cuda()); }
#endif

void open_device(Context& context, DeviceKind kind) {
  if (kind == DeviceKind::none) return;
  if (kind == DeviceKind::emulated) {
    context.set_device(
        std::make_shared<EmulatedDevice>(EmulatedOptions{.seed = std::uint64_t(context.rank()) + 1}));
    return;
  }
  context.together([&] {
    if (const std::string why = why_no_cuda(); !why.empty()) refuse("engine.device is \"cuda\", but " + why);
    context.set_device(make_cuda_device(context.node_rank_of(context.rank())));
  });
}

}  // namespace sc
