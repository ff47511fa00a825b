// SPDX-License-Identifier: Apache-2.0
// Passage: one message, as seen by its sender or its receiver.
#pragma once

#include <cstdint>

namespace sc {

struct Passage {
  enum class Way : std::uint8_t {
    self,    ///< within the rank: a copy
    node,    ///< to a rank of the same node: the receiver copies
    network  ///< to another node: a message
  } way = Way::self;
  int peer = 0;
  std::int64_t bytes = 0;
};

}  // namespace sc
