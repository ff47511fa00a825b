// SPDX-License-Identifier: Apache-2.0
// Movement: any asynchronous transfer, in pieces that are sent separately. Strategies use only this
// interface.
#pragma once

#include <memory>
#include <optional>

#include "engine/field/storage.hpp"
#include "engine/move/transport/transport.hpp"
#include "engine/plan/passage.hpp"

namespace sc {

class Movement : public Pending, public std::enable_shared_from_this<Movement> {
 public:
  /// The number of pieces; the numbering never changes.
  virtual int pieces() const = 0;
  /// Sends one piece, whose source has been computed. Each piece is started once between two wait()s.
  virtual void start(int piece) = 0;
  /// Own cells (local coordinates) that a piece sends, and cells in which the piece of the same number
  /// arrives.
  virtual Box source(int piece) const = 0;
  virtual Box sink(int piece) const = 0;
  /// The message of a departing piece, and of the arriving piece of that number, if any.
  virtual std::optional<Passage> departure(int piece) const = 0;
  virtual std::optional<Passage> arrival(int piece) const = 0;
  /// Whether the receiver is this rank itself.
  virtual bool to_self(int piece) const = 0;
  /// Makes progress without blocking; true if everything for this rank has arrived.
  virtual bool test() = 0;
  /// As test(), but only for data from other ranks: pieces to this rank itself may be started later.
  virtual bool test_others() = 0;
  /// Whether pieces to this rank itself are complete when they are started.
  virtual bool copies_at_once() const = 0;
  /// Whether the arrival of this number is complete in the round in progress (or the last one).
  virtual bool arrived(int piece) const = 0;
  /// Waits until everything for this rank has arrived. Starts pieces that have not been started.
  virtual void wait() = 0;
  /// Bytes that this rank sends in one round.
  virtual std::int64_t bytes() const = 0;
  /// What was sent by a transport, over all rounds.
  virtual Traffic traffic(Transport transport) const = 0;

  void start() {
    for (int piece = 0; piece < pieces(); ++piece) start(piece);
  }
};

}  // namespace sc
