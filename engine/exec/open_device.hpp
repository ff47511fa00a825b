// SPDX-License-Identifier: Apache-2.0
// Opening devices, and the devices of this build and this machine.
#pragma once

#include <memory>
#include <string>

#include "engine/base/context.hpp"
#include "engine/base/device.hpp"

namespace sc {

/// Collective: sets the context's device; does nothing for DeviceKind::none. The ranks of a node use its
/// devices in turn. Throws Error (bad_input) on all ranks if this build or this machine has none.
void open_device(Context& context, DeviceKind kind);

/// The reason why there is no CUDA device; empty if there is one.
std::string why_no_cuda();

/// With rank `number` of those that share a node.
std::shared_ptr<Device> make_cuda_device(int number);

}  // namespace sc
