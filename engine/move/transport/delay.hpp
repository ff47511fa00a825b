// SPDX-License-Identifier: Apache-2.0
// Delay: pieces are held back by a timer. Without a rate they are released in another order, for tests; with
// one, in the order in which they leave, as by a network adapter that sends without the processor.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "engine/base/context.hpp"
#include "engine/move/transport/transport.hpp"

namespace sc {

class Delay {
 public:
  Delay(Context& context, std::size_t pieces);
  /// Whether a piece of this transport is held back: in tests, also one to this rank itself.
  bool holds(Transport transport) const { return reorders() || transport != Transport::self; }
  void hold(int piece, std::uint64_t trip, std::size_t bytes);
  /// A piece whose time has come, -1 for none. When reordering: the latest first in even rounds, in a
  /// scrambled order in odd ones.
  int next();
  bool empty() const { return held_.empty(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Held {
    int piece;
    std::uint64_t trip;
    Clock::time_point due;
  };
  bool reorders() const { return context_.options().rate == 0; }
  std::uint64_t rank_of(const Held& held) const;

  Context& context_;
  std::vector<Held> held_;
};

}  // namespace sc
