// SPDX-License-Identifier: Apache-2.0
// InPlace: the receiver copies directly from the owner's cells, on another rank of the node or on this one.
#pragma once

#include "engine/move/transport/flags.hpp"

namespace sc {

class InPlace final : public Flagged {
 public:
  /// Collective: exchanges the addresses of cells between the ranks of the node.
  explicit InPlace(Ends& ends);
  /// Whether peers can access the cells of every item; the same on all ranks.
  bool sees_peers() const { return !peer_cells_.empty(); }

  void bind(Endpoint& end) override;
  bool sent(const Endpoint& departure) const override { return load(departure.consumed) >= departure.trip; }

 private:
  /// Position of an item's cells from the start of their owner's part of the chunk, and their strides.
  struct Offsets {
    std::array<std::int64_t, 2> places;
    std::int64_t y, z, component;
  };
  CellMemory owned(const Part& part, int peer) const;

  std::vector<Offsets> peer_cells_;  // [node rank][item]; empty if peers cannot access them
};

}  // namespace sc
