// SPDX-License-Identifier: Apache-2.0
// Account: measured runs give the mean times; the mean multiplied by the number of runs gives the totals.
#include "engine/base/account.hpp"

namespace sc {

Account& Account::operator+=(const Account& other) {
  pieces += other.pieces;
  bytes += other.bytes;
  measured += other.measured;
  apart += other.apart;
  hideable += other.hideable;
  looks += other.looks;
  core_apart += other.core_apart;
  return *this;
}

Account operator-(Account a, const Account& b) {
  a.pieces -= b.pieces;
  a.bytes -= b.bytes;
  a.measured -= b.measured;
  a.apart -= b.apart;
  a.hideable -= b.hideable;
  a.looks -= b.looks;
  a.core_apart -= b.core_apart;
  return a;
}

bool Sampled::due(const Sampling& sampling) const {
  constexpr int warm_up = 2;  // its traffic is known only after its readers have run once
  if (runs_ < warm_up) return false;
  if (runs_ < warm_up + sampling.first) return true;
  return sampling.every > 0 && runs_ % sampling.every == 0;
}

void Sampled::ran(Kind kind, const Seconds& spent, Account& account) {
  ++runs_;
  Seconds run = spent;
  if (kind != Kind::overlapped) {
    ++account.measured;
    ++measured_;
    sum_.movement += spent.movement;
    sum_.core += spent.core;
  } else if (known()) {
    ++account.measured;
    run = {sum_.movement / static_cast<double>(measured_), sum_.core / static_cast<double>(measured_)};
  } else {
    ++guessed_;
    guess_.movement += spent.movement;
    guess_.core += spent.core;
  }
  account.apart += run.movement;
  account.core_apart += run.core;
  if (kind != Kind::sample) account.hideable += run.movement;
  if (!known() || guessed_ == 0) return;
  const auto runs = static_cast<double>(guessed_);
  account.apart += runs * spent.movement - guess_.movement;
  account.hideable += runs * spent.movement - guess_.movement;
  account.core_apart += runs * spent.core - guess_.core;
  guessed_ = 0;
}

}  // namespace sc
