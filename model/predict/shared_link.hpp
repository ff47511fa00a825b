// SPDX-License-Identifier: Apache-2.0
// A link that divides its rate evenly among the messages in progress (processor sharing).
#pragma once

#include <vector>

namespace sc::model {

struct Sharing {
  double begin = 0;  ///< time when the message is ready for the link
  double alone = 0;  ///< seconds that it occupies a link of its own
  int count = 1;     ///< number of such messages
};

/// The time when the link has transferred each of the messages.
std::vector<double> ends_on_link(const std::vector<Sharing>& messages);

}  // namespace sc::model
