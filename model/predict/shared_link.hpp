// SPDX-License-Identifier: Apache-2.0
// A link that divides its rate evenly among its connections in use (processor sharing). A connection
// transfers one message after the other, in the order in which they begin.
#pragma once

#include <vector>

namespace sc::model {

struct Sharing {
  int connection = 0;
  double begin = 0;  ///< time when the message is ready for the link
  double alone = 0;  ///< seconds that it occupies a link of its own
  int count = 1;     ///< number of such connections; the same for all messages of one
};

/// The time when the link has transferred each of the messages.
std::vector<double> ends_on_link(const std::vector<Sharing>& messages);

}  // namespace sc::model
