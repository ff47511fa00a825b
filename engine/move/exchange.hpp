// SPDX-License-Identifier: Apache-2.0
// Exchange: rounds over the pieces of a Carrier: all that arrives is expected when a round begins, what
// leaves is started piece by piece. Halos, redistributions and lists of entries are one with parcels of their
// own.
#pragma once

#include <string>

#include "engine/move/carrier.hpp"
#include "engine/move/movement.hpp"

namespace sc {

class Exchange : public PieceMovement {
 public:
  /// Ends a round under way. Nothing is left to do here once the context is closed.
  ~Exchange() override;

  int pieces() const final;
  /// The first start (or a wait) after a wait or finish begins a new round; rounds are collective.
  void start(int piece) final;
  using Movement::start;
  /// Bounding boxes; empty where a rank has more arrivals than departures or the other way round.
  Box source(int piece) const override;
  Box sink(int piece) const final;
  std::optional<Passage> departure(int piece) const final;
  std::optional<Passage> arrival(int piece) const final;
  /// True once all arrivals of the round are there and no started piece of ours waits for a push. With no
  /// round under way there is nothing to wait for: true.
  bool test() final;
  /// As test(), but of what comes from other ranks: pieces to this rank itself may be started later.
  bool test_others();
  /// Whether pieces to this rank itself are there as soon as they are started.
  bool copies_at_once() const;
  bool to_self(int piece) const final;
  /// Ends the round: as test(). Peers on this node may still be reading own cells: settle() the storages (or
  /// finish()) before writing them.
  void wait() final;
  /// Ends the round, and returns when no peer reads own cells any more. Without one under way only the
  /// latter.
  void finish() final;
  std::int64_t bytes() const final { return carrier_.bytes(); }

  /// Whether the arrival of this number is there in the round under way (or the last one).
  bool arrived(int piece) const final;
  /// One line a neighbour: the transport, pieces and bytes.
  std::string describe() const { return carrier_.describe(); }
  Traffic traffic(Transport transport) const final { return carrier_.traffic(transport); }

 protected:
  /// Collective; `parcels` of storages.
  Exchange(Context& context, Parcels parcels);
  void begin();
  /// Before a round begins.
  virtual void before_round() {}
  bool under_way() const { return open_; }
  Carrier& carrier() { return carrier_; }
  const Carrier& carrier() const { return carrier_; }

 private:
  void start_rest();
  void end_reading();

  Context& context_;
  Carrier carrier_;
  std::uint64_t rounds_ = 0;
  bool open_ = false;
  bool read_by_peers_ = false;  // any departure, in place
  bool being_read_ = false;     // what went out in the last round, maybe still
};

}  // namespace sc
