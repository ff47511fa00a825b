// SPDX-License-Identifier: Apache-2.0
// Halo: accounts of time and traffic, from the context's timeline.
#include <limits>

#include "api/c/halo.hpp"
#include "engine/overlap/ledger.hpp"

namespace sc::halo {

double Halo::record(Phase phase, double begin) {
  const double seconds = context_->timeline().now() - begin;
  context_->timeline().add_total(name_, phase, seconds);
  return seconds;
}

halo_account Halo::account() const {
  const Moved moved = moved_so_far(*context_, Resource::messages);
  // The caller's computation beside its calls cannot be paused for a sample without overlap.
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  halo_account account{};
  account.size = sizeof account;
  account.messages = static_cast<std::int64_t>(moved.pieces);
  account.bytes = static_cast<std::int64_t>(moved.bytes);
  account.moving = overlapped_ ? unknown : moved.apart;
  account.starting = moved.start + moved.poke;
  account.waiting = moved.wait;
  account.hidden = overlapped_ ? unknown : moved.hidden();
  return account;
}

}  // namespace sc::halo
