// SPDX-License-Identifier: Apache-2.0
// Transport: the ways bytes reach a peer, and how many went which way.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sc {

enum class Transport : std::uint8_t {
  self,     ///< this rank's own cells: one copy
  shared,   ///< a rank of the same node: one copy, by the receiver, straight out of the owner's cells
  staged,   ///< a rank of the same node, cells outside shared memory: packed into a buffer that lies there
  mpi,      ///< packed into messages
  delayed,  ///< for tests: as mpi (and self), held back by a timer and reordered
  device,   ///< packed by a device into messages that MPI takes from its memory
  pinned    ///< packed by a device into messages in pinned memory of the host
};
constexpr int transport_count = 7;

constexpr std::string_view transport_name(Transport transport) {
  constexpr std::array<std::string_view, transport_count> names{"self",    "shared", "staged", "mpi",
                                                                "delayed", "device", "pinned"};
  return names[static_cast<std::size_t>(transport)];
}

/// Whether the receiver copies, told by a flag in shared memory, or a message carries the bytes.
constexpr bool by_flags(Transport transport) {
  return transport == Transport::shared || transport == Transport::staged;
}
constexpr bool by_message(Transport transport) {
  return transport == Transport::mpi || transport == Transport::delayed || transport == Transport::device ||
         transport == Transport::pinned;
}

/// What went out from this rank, summed over all rounds of a movement.
struct Traffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

}  // namespace sc
