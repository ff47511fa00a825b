// SPDX-License-Identifier: Apache-2.0
// Movement: anything asynchronous that carries bytes, in pieces that travel by themselves. Strategies know
// only this.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/field/storage.hpp"
#include "engine/move/transport/transport.hpp"
#include "engine/plan/passage.hpp"

namespace sc {

class Movement : public Pending, public std::enable_shared_from_this<Movement> {
 public:
  /// How many pieces; the same numbering every time.
  virtual int pieces() const = 0;
  /// Sends one piece on its way; its source has been computed. Each piece is started once between two
  /// wait()s.
  virtual void start(int piece) = 0;
  /// Own cells (local coordinates) a piece carries away, and where the piece of the same number arrives.
  virtual Box source(int piece) const = 0;
  virtual Box sink(int piece) const = 0;
  /// What a piece carries away, and what comes here as the piece of that number; none where there is no such.
  virtual std::optional<Passage> departure(int piece) const = 0;
  virtual std::optional<Passage> arrival(int piece) const = 0;
  /// Whether this rank itself is where it arrives.
  virtual bool to_self(int piece) const = 0;
  /// Makes progress without blocking; true once everything that comes here has arrived.
  virtual bool test() = 0;
  /// As test(), but of what comes from other ranks: pieces to this rank itself may be started later.
  virtual bool test_others() = 0;
  /// Whether pieces to this rank itself are there as soon as they are started.
  virtual bool copies_at_once() const = 0;
  /// Whether the arrival of this number is there in the round under way (or the last one).
  virtual bool arrived(int piece) const = 0;
  /// Until everything that comes here has arrived. Pieces not started yet are started first.
  virtual void wait() = 0;
  /// Bytes that leave this rank in one go.
  virtual std::int64_t bytes() const = 0;
  /// What really went out by a transport, over all rounds.
  virtual Traffic traffic(Transport transport) const = 0;

  void start() {
    for (int piece = 0; piece < pieces(); ++piece) start(piece);
  }
};

}  // namespace sc
