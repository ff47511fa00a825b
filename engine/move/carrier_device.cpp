// SPDX-License-Identifier: Apache-2.0
// Carrier, where the cells lie on a device: the device packs and unpacks on its lane of edges, MPI is handed
// the buffer once it is packed. Nothing here blocks but for a buffer that is about to be overwritten.
#include <algorithm>

#include "engine/base/error.hpp"
#include "engine/base/mpi_check.hpp"
#include "engine/move/carrier.hpp"
#include "engine/move/device_messages.hpp"

namespace sc {

void Carrier::find_device() {
  for (const Route& route : routes_)
    for (const Storage* storage : {route.from, route.to}) {
      Device* device = storage ? storage->device() : nullptr;
      if (&route == routes_.data() && storage == route.from && device) device_ = device->shared_from_this();
      if (device != device_.get())
        throw Error(Exit::failure, "one movement takes fields of different memories, \"" + storage->name() +
                                       "\" among them");
    }
  if (!device_) return;
  if (pace_ == Pace::singly) throw Error(Exit::failure, "parcels that travel singly do not lie on a device");
  find_device_messages(context_);
}

/// Pinned memory is the only copy between a device and messages that cannot be taken from it: its kernels
/// pack straight into it, and unpack from it (docs/decisions/0072).
std::byte* Carrier::device_buffers(std::size_t bytes) {
  const bool direct = *context_.device_messages();
  device_packed_ = direct ? device_->allocate(bytes) : device_->pinned(bytes);
  return device_packed_.get();
}

void Carrier::begin_on_device() {
  for (const Route& route : routes_) {
    route.from->use_on_device(false);
    route.to->use_on_device(true);
  }
  // What goes out may have been computed on the other lane, as what was left to wait() is.
  device_->after(Lane::edge, device_->mark(Lane::core));
  if (unpacked_) device_->wait(unpacked_);  // before MPI writes into the buffers again
}

void Carrier::start_packed() {
  std::erase_if(packing_, [&](const Packing& packing) {
    if (!device_->reached(packing.packed)) return false;
    mpi::check(MPI_Start(&sends_[static_cast<std::size_t>(packing.request)]));
    sends_active_ = true;
    return true;
  });
}

}  // namespace sc
