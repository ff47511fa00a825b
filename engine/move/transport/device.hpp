// SPDX-License-Identifier: Apache-2.0
// DeviceMessages: for cells on a device. The device packs and unpacks on its stream `edge`; MPI gets the
// buffer once it is packed. Nothing blocks, except for a buffer that is about to be overwritten.
#pragma once

#include <utility>

#include "engine/move/transport/messages.hpp"

namespace sc {

/// The device that stores all items; none if they are in host memory. Throws Error (failure) if they are in
/// different memories.
std::shared_ptr<Device> device_of(const std::vector<Route>& routes);

/// Whether MPI states that it sends from and receives into the memory of the context's device.
bool device_messages_declared(const Context& context);
/// Which test messages between memories of devices have arrived complete, on every rank.
struct DeviceMessageTest {
  bool to_itself = false;  ///< from each rank to itself
  bool around = false;     ///< from each rank to the next one; not sent if the others were lost
};
/// Collective. Not before all ranks' MPI has declared its support: others may crash on device memory.
DeviceMessageTest test_device_messages(Context& context);
/// Collective, once for each context: sets context.device_messages(), whether MPI sends from and receives
/// into device memory. Test messages verify what the library states.
void find_device_messages(Context& context);

class DeviceMessages final : public Messages {
 public:
  /// Collective.
  DeviceMessages(Ends& ends, Device& device);

  void begin() override;
  void send(Endpoint& departure) override;
  void post_receive(Endpoint& arrival) override;
  void taken(Endpoint& arrival) override;
  void poll(std::vector<Endpoint*>& there) override;
  bool pushed() const override { return packing_.empty() && Messages::pushed(); }

 private:
  Device& device_;
  std::vector<std::pair<Endpoint*, Device::Event>> packing_;  // not sent yet
  Device::Event unpacked_;  // of the last arrival, whose buffer is free after it
};

}  // namespace sc
