// SPDX-License-Identifier: Apache-2.0
// Looks for arrivals, with their time: in shared memory the receiver copies, so a look may be the whole
// movement.
#pragma once

#include <cstdint>

#include "engine/base/timeline.hpp"

namespace sc {

/// Calls look(), which makes progress and returns whether an arrival is complete. With overlap a look in vain
/// is a poke, without a span because there are many; otherwise it is a part of the wait for the arrival.
template <class Action>
bool look_for_arrival(Timeline& timeline, std::uint16_t name, bool overlaps, Action&& look) {
  const double begin = timeline.now();
  const bool there = look();
  const double end = timeline.now();
  if (overlaps && !there)
    timeline.add_total(name, Phase::poke, end - begin);
  else
    timeline.add(name, Phase::wait, begin, end);
  return there;
}

/// The same beside a core that can be computed now: a poke in any case.
template <class Action>
bool poke(Timeline& timeline, std::uint16_t name, Action&& look) {
  const double begin = timeline.now();
  const bool there = look();
  timeline.add_total(name, Phase::poke, timeline.now() - begin);
  return there;
}

}  // namespace sc
