// SPDX-License-Identifier: Apache-2.0
// Transport: the ways to send bytes to a peer, and counts for each.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sc {

enum class Transport : std::uint8_t {
  self,     ///< within this rank: one copy
  shared,   ///< a rank of the same node: one copy, by the receiver, directly from the owner's cells
  staged,   ///< a rank of the same node, with cells outside shared memory: packed into a buffer in shared
            ///< memory
  mpi,      ///< packed into messages
  delayed,  ///< for tests: as mpi (and self), held back by a timer and reordered
  device,   ///< packed by a device into messages in device memory
  pinned    ///< packed by a device into messages in pinned host memory
};
constexpr int transport_count = 7;

constexpr std::string_view transport_name(Transport transport) {
  constexpr std::array<std::string_view, transport_count> names{"self",    "shared", "staged", "mpi",
                                                                "delayed", "device", "pinned"};
  return names[static_cast<std::size_t>(transport)];
}

/// Whether the receiver copies after a flag in shared memory, or a message contains the bytes.
constexpr bool by_flags(Transport transport) {
  return transport == Transport::shared || transport == Transport::staged;
}
constexpr bool by_message(Transport transport) {
  return transport == Transport::mpi || transport == Transport::delayed || transport == Transport::device ||
         transport == Transport::pinned;
}

/// What was sent from this rank, summed over all rounds of a movement.
struct Traffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

}  // namespace sc
