// SPDX-License-Identifier: Apache-2.0
// DeviceMessages: events between packing, MPI and unpacking.
#include "engine/move/transport/device.hpp"

#include <utility>

namespace sc {

std::shared_ptr<Device> device_of(const std::vector<Route>& routes) {
  std::shared_ptr<Device> found;
  for (const Route& route : routes)
    for (const Storage* storage : {route.from, route.to}) {
      Device* device = storage ? storage->device() : nullptr;
      if (&route == routes.data() && storage == route.from && device) found = device->shared_from_this();
      if (device != found.get())
        throw Error(Exit::failure, "one movement takes fields of different memories, \"" + storage->name() +
                                       "\" among them");
    }
  return found;
}

/// If MPI cannot access device memory, the buffers are in pinned host memory. Kernels pack into it and unpack
/// from it directly, without a further copy (docs/decisions/0035).
DeviceMessages::DeviceMessages(Ends& ends, Device& device)
    : Messages(
          ends,
          [&](std::size_t bytes) {
            return *ends.context.device_messages() ? device.allocate(bytes) : device.pinned(bytes);
          },
          true),
      device_(device) {
  packing_.reserve(ends.departures.size());
}

void DeviceMessages::begin() {
  for (const Route& route : ends_.routes) {
    route.from->use_on_device(false);
    route.to->use_on_device(true);
  }
  // The cells to send, and those that wait() left to be unpacked, may have been written on the other stream.
  device_.after(Stream::edge, device_.record(Stream::core));
}

void DeviceMessages::send(Endpoint& departure) {
  departure.in_flight = true;
  packing_.emplace_back(&departure, device_.record(Stream::edge));
}

void DeviceMessages::post_receive(Endpoint& arrival) {
  // Unpacking must end before MPI writes to the buffers again.
  if (unpacked_) device_.wait(std::exchange(unpacked_, {}));
  Messages::post_receive(arrival);
}

// Later work on the stream is executed after unpacking, so the cells count as received.
void DeviceMessages::taken(Endpoint& /*arrival*/) { unpacked_ = device_.record(Stream::edge); }

void DeviceMessages::poll(std::vector<Endpoint*>& there) {
  std::erase_if(packing_, [&](const auto& packing) {
    if (!device_.reached(packing.second)) return false;
    start(*packing.first);
    return true;
  });
  Messages::poll(there);
}

}  // namespace sc
