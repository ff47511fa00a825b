// SPDX-License-Identifier: Apache-2.0
// Opening devices, and what this build and this machine have of them.
#pragma once

#include <memory>
#include <string>

#include "engine/base/context.hpp"
#include "engine/base/device.hpp"

namespace sc {

/// Collective: gives the context a device; nothing for DeviceKind::none. Ranks of a node share its devices in
/// turn. Throws Error (bad_input) on all ranks where this build or this machine has none.
void open_device(Context& context, DeviceKind kind);

/// Why there is no CUDA device to be had, in a sentence; empty where there is one.
std::string why_no_cuda();

/// With rank `number` of those that share a node.
std::shared_ptr<Device> make_cuda_device(int number);

}  // namespace sc
