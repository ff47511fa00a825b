// SPDX-License-Identifier: Apache-2.0
// Staged: the owner packs into a buffer in shared memory of the node, and the receiver unpacks it. A sender
// waits for no receiver, except for the buffer of the previous trip.
#pragma once

#include "engine/base/arena.hpp"
#include "engine/move/transport/flags.hpp"

namespace sc {

class Staged final : public Flagged {
 public:
  /// Collective.
  explicit Staged(Ends& ends);

  void bind(Endpoint& end) override {
    end.copies = packing(ends_.routes, end.parcel.parts, end.buffer, end.leaving);
  }
  bool free(const Endpoint& departure) const override {
    return load(departure.consumed) + 1 >= departure.trip;
  }
  bool sent(const Endpoint& /*departure*/) const override { return true; }

 private:
  Arena arena_;
};

}  // namespace sc
