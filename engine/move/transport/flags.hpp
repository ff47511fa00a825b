// SPDX-License-Identifier: Apache-2.0
// Flags in memory that ranks of a node share: data written before a store is visible after the load of it.
// Two for each parcel, each on its own cache line, in the owner's memory.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/move/transport/channel.hpp"

namespace sc {

inline std::uint64_t load(const std::uint64_t* flag) {
  return std::atomic_ref<std::uint64_t>(*const_cast<std::uint64_t*>(flag)).load(std::memory_order_acquire);
}
inline void store(std::uint64_t* flag, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(*flag).store(value, std::memory_order_release);
}
static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free);

/// For parcels that the receiver copies: from the owner's cells, or from a buffer.
class Flagged : public Channel {
 public:
  using Channel::Channel;
  void send(Endpoint& departure) override {
    departure.ready[1] = departure.travelling;
    store(departure.ready, departure.trip);
  }
  bool there(Endpoint& arrival) const override {
    if (load(arrival.ready) < arrival.trip) return false;
    arrival.received_bytes = arrival.ready[1];
    return true;
  }
  void taken(Endpoint& arrival) override { store(arrival.consumed, arrival.trip); }
};

/// Collective: the flags of all ends whose receiver copies. `own` contains those of parcels to this rank
/// itself.
void lay_out_flags(Ends& ends, std::vector<std::array<std::uint64_t, 3>>& own);

}  // namespace sc
