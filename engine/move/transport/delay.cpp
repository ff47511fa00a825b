// SPDX-License-Identifier: Apache-2.0
// Delay: times of release, and the deterministic reordering of pieces.
#include "engine/move/transport/delay.hpp"

#include <algorithm>

namespace sc {

namespace {

/// The hash function of SplitMix64.
std::uint64_t scramble(std::uint64_t v) {
  v += 0x9e3779b97f4a7c15U;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9U;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebU;
  return v ^ (v >> 31);
}

}  // namespace

Delay::Delay(Context& context, std::size_t pieces) : context_(context) { held_.reserve(pieces); }

void Delay::hold(int piece, std::uint64_t trip, std::size_t bytes) {
  const auto number = static_cast<unsigned>(piece);
  double seconds = context_.options().delay;
  if (reorders()) seconds *= 1.0 + 0.25 * static_cast<double>(scramble(trip * 4096 + number) >> 11) * 0x1p-53;
  const auto later = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  held_.push_back({piece, trip, context_.leaves(bytes) + later});
}

/// The piece with the largest rank is released first.
std::uint64_t Delay::rank_of(const Held& held) const {
  const auto piece = static_cast<std::uint64_t>(held.piece);
  if (!reorders()) return ~static_cast<std::uint64_t>(held.due.time_since_epoch().count());
  return held.trip % 2 == 0 ? piece + 1 : scramble(held.trip + piece * 977) | 1U;
}

int Delay::next() {
  if (held_.empty()) return -1;
  const auto now = Clock::now();
  const auto rank = [&](const Held& held) { return held.due > now ? 0 : rank_of(held); };
  const auto first =
      std::ranges::max_element(held_, [&](const Held& a, const Held& b) { return rank(a) < rank(b); });
  if (first->due > now) return -1;
  const int piece = first->piece;
  held_.erase(first);
  return piece;
}

}  // namespace sc
