// SPDX-License-Identifier: Apache-2.0
// Movement: anything asynchronous that carries bytes, in pieces that travel by themselves. Strategies know
// only this.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/field/storage.hpp"
#include "engine/move/transport.hpp"
#include "engine/plan/rehearsal.hpp"

namespace sc {

class Movement : public Pending {
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
  virtual std::optional<Passage> departure(int /*piece*/) const { return {}; }
  virtual std::optional<Passage> arrival(int /*piece*/) const { return {}; }
  /// Whether this rank itself is where it arrives.
  virtual bool to_self(int /*piece*/) const { return false; }
  /// Makes progress without blocking; true once everything that comes here has arrived.
  virtual bool test() = 0;
  /// Until everything that comes here has arrived. Pieces not started yet are started first.
  virtual void wait() = 0;
  /// Bytes that leave this rank in one go.
  virtual std::int64_t bytes() const = 0;

  void start() {
    for (int piece = 0; piece < pieces(); ++piece) start(piece);
  }
};

/// A movement of a stage's own, whose arrivals the stage absorbs one by one in the order of their numbers,
/// whatever the order they come in.
class PieceMovement : public Movement, public std::enable_shared_from_this<PieceMovement> {
 public:
  /// Whether the arrival of this number is there in the round under way (or the last one).
  virtual bool arrived(int piece) const = 0;
  virtual Traffic traffic(Transport transport) const = 0;
};

}  // namespace sc
