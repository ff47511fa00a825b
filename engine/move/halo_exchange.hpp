// SPDX-License-Identifier: Apache-2.0
// HaloExchange: own cells of every rank into the halos of its neighbours, for any set of fields of one grid.
// It moves what other ranks own; what lies beyond a physical boundary is left to the boundary conditions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/grid/reach.hpp"
#include "engine/move/halo_plan.hpp"
#include "engine/move/movement.hpp"
#include "engine/move/transport.hpp"

namespace sc {

class Carrier;

struct HaloItem {
  Storage* storage;
  Reach reach;
  /// Of one colour only: what a coloured sweep has just written.
  Lattice lattice = {};
};

struct HaloOptions {
  Corners corners = Corners::direct;
  /// Most bytes of one piece; under the eager limit of the transport (64 KiB for Open MPI over TCP).
  std::size_t piece_bytes = std::size_t{60} * 1024;
  /// The same where a neighbour's cells are read in place: there nothing is gained by pieces, and each costs
  /// two flags on their way between cores.
  std::size_t near_piece_bytes = std::size_t{1} << 30;
  /// The same on a device, where a piece costs a launch and a message and nothing is gained by many.
  std::size_t device_piece_bytes = std::size_t{4} << 20;
};

class HaloExchange final : public Movement {
 public:
  /// Collective on the ranks of the grid. Throws Error (bad_input) for a storage of another grid or a reach
  /// wider than the grid's halo. The storages must outlive every round under way.
  HaloExchange(const Grid& grid, std::vector<HaloItem> items, HaloOptions options = {});
  /// Ends a round under way. Nothing is left to do here once the context is closed.
  ~HaloExchange() override;

  int pieces() const override;
  /// The first start (or a wait) after a wait or finish begins a new round; rounds are collective.
  void start(int piece) override;
  using Movement::start;
  /// Bounding boxes; empty where a rank has more arrivals than departures or the other way round.
  Box source(int piece) const override;
  Box sink(int piece) const override;
  /// True once all arrivals of the round are in the halo and no started piece of ours waits for a push. With
  /// no round under way there is nothing to wait for: true.
  bool test() override;
  /// As test(), but of what comes from other ranks: pieces to this rank itself may be started later.
  bool test_others();
  void wait_others();
  /// Whether pieces to this rank itself are in its halo as soon as they are started.
  bool copies_at_once() const;
  bool to_self(int piece) const override;
  /// Ends the round: as test(). Peers on this node may still be reading own cells: settle() the storages (or
  /// finish()) before writing them.
  void wait() override;
  /// Ends the round, and returns when no peer reads own cells any more. Without one under way only the
  /// latter.
  void finish() override;
  std::int64_t bytes() const override;

  /// Whether the arrival of this number is in the halo in the round under way (or the last one).
  bool arrived(int piece) const;
  const std::vector<HaloItem>& items() const { return items_; }
  /// One line a neighbour: the transport, pieces and bytes.
  std::string describe() const;
  Traffic traffic(Transport transport) const;

 private:
  std::vector<HaloItem> items_;
  std::unique_ptr<Carrier> carrier_;
};

}  // namespace sc
