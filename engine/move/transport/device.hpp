// SPDX-License-Identifier: Apache-2.0
// DeviceMessages: where the cells lie on a device. The device packs and unpacks on its stream of edges, MPI
// is handed the buffer once it is packed. Nothing here blocks but for a buffer that is about to be
// overwritten.
#pragma once

#include "engine/move/transport/messages.hpp"

namespace sc {

/// The device on which all items lie; none where they lie in the host's memory. Throws Error (failure) where
/// they lie in different memories.
std::shared_ptr<Device> device_of(const std::vector<Route>& routes);

/// Collective, once a context: fills context.device_messages(), whether MPI takes messages from a device's
/// memory and puts them there. Libraries that say so are not believed: a message is sent and looked at.
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
  Device::Event unpacked_;  // the last arrival, whose buffer is free from then on
};

}  // namespace sc
