// SPDX-License-Identifier: Apache-2.0
// All cells of a field on rank 0, and the comparison of such values bit by bit.
#pragma once

#include <cstring>
#include <vector>

#include "engine/field/field.hpp"
#include "engine/move/output/gather.hpp"

namespace sc::test {

/// Collective; empty on the other ranks.
template <class T = double>
std::vector<T> on_root(AnyField& field) {
  field.storage(0).settle();
  const std::vector<std::byte> bytes = gather(field.storage(0));
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

}  // namespace sc::test
