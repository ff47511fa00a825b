// SPDX-License-Identifier: Apache-2.0
// InPlace: the receiver copies straight out of the owner's cells, a peer's of the node or this rank's own.
#pragma once

#include "engine/move/transport/flags.hpp"

namespace sc {

class InPlace final : public Flagged {
 public:
  /// Collective: learns where the cells of the node's other ranks lie.
  explicit InPlace(Ends& ends);
  /// Whether peers see the cells of every item; on all ranks alike.
  bool sees_peers() const { return !peer_cells_.empty(); }

  void bind(Endpoint& end) override;
  bool sent(const Endpoint& departure) const override { return load(departure.consumed) >= departure.trip; }

 private:
  /// Where an item's cells lie from the start of their owner's part of the chunk, and their distances.
  struct Offsets {
    std::array<std::int64_t, 2> places;
    std::int64_t y, z, component;
  };
  CellMemory owned(const Part& part, int peer) const;

  std::vector<Offsets> peer_cells_;  // [node rank][item]; empty where peers do not see them
};

}  // namespace sc
