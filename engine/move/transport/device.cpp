// SPDX-License-Identifier: Apache-2.0
// DeviceMessages: marks between packing, MPI and unpacking.
#include "engine/move/transport/device.hpp"

#include <algorithm>
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

/// Pinned memory is the only copy between a device and messages that cannot be taken from it: its kernels
/// pack straight into it, and unpack from it (docs/decisions/0035).
DeviceMessages::DeviceMessages(Ends& ends, Device& device)
    : Messages(ends,
               [&](std::size_t bytes) {
                 return *ends.context.device_messages() ? device.allocate(bytes) : device.pinned(bytes);
               }),
      device_(device) {
  packing_.reserve(ends.departures.size());
}

void DeviceMessages::begin() {
  for (const Route& route : ends_.routes) {
    route.from->use_on_device(false);
    route.to->use_on_device(true);
  }
  // What goes out may have been computed on the other stream, as what was left to wait() is.
  device_.after(Stream::edge, device_.record(Stream::core));
}

void DeviceMessages::send(Endpoint& departure) {
  departure.in_flight = true;
  packing_.emplace_back(&departure, device_.record(Stream::edge));
}

void DeviceMessages::post_receive(Endpoint& arrival) {
  if (unpacked_) device_.wait(std::exchange(unpacked_, {}));  // before MPI writes into the buffers again
  Messages::post_receive(arrival);
}

// What is enqueued from now on comes after it: as good as there.
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
