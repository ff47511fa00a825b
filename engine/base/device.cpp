// SPDX-License-Identifier: Apache-2.0
// Names of devices.
#include "engine/base/device.hpp"

#include <utility>

#include "engine/base/error.hpp"

namespace sc {

namespace {

constexpr std::array<std::pair<DeviceKind, std::string_view>, 3> kinds{
    {{DeviceKind::none, "cpu"}, {DeviceKind::cuda, "cuda"}, {DeviceKind::emulated, "emulated"}}};

}  // namespace

DeviceKind device_of(std::string_view name) {
  for (const auto& [kind, known] : kinds)
    if (known == name) return kind;
  refuse("engine.device is \"" + std::string(name) + "\"; allowed are cpu, cuda and emulated");
}

void Device::enqueue(Stream /*stream*/, std::function<void()> /*work*/) {
  throw Error(Exit::failure, describe() + " was given a function of the host's");
}

}  // namespace sc
