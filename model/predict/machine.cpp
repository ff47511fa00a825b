// SPDX-License-Identifier: Apache-2.0
// Machine: which of its figures count for a stage.
#include "model/predict/machine.hpp"

#include <algorithm>

namespace sc::model {

Rate Machine::rate(const std::string& stage, double bytes_per_cell, double flops_per_cell, int on) const {
  const auto of = [on](const auto& by_threads) {
    const auto t = static_cast<std::size_t>(std::max(on, 1));
    return by_threads[std::min(t, by_threads.size()) - 1];
  };
  const auto named = rates.find(stage);
  if (named != rates.end() && !named->second.empty()) return of(named->second);
  return {std::max(bytes_per_cell * (byte.empty() ? 0 : of(byte)),
                   flops_per_cell * (flop.empty() ? 0 : of(flop))),
          0};
}

}  // namespace sc::model
