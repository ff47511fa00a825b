// SPDX-License-Identifier: Apache-2.0
// Machine: the parameters that apply to a stage.
#include "model/predict/machine.hpp"

#include <algorithm>

namespace sc::model {

Rate Machine::rate(const Kernel& kernel, int on) const {
  const auto of = [on](const auto& by_threads) {
    const auto t = static_cast<std::size_t>(std::max(on, 1));
    return by_threads[std::min(t, by_threads.size()) - 1];
  };
  const auto named = rates.find(kernel.name);
  if (named != rates.end() && !named->second.empty()) return of(named->second);
  return {std::max(kernel.bytes_per_cell * (byte.empty() ? 0 : of(byte)),
                   kernel.flops_per_cell * (flop.empty() ? 0 : of(flop))),
          0};
}

double Machine::seconds(const RehearsedRun& of, const Work& work, int on) const {
  if (work.cells == 0) return 0;
  const Rate each = rate(of.kernels[static_cast<std::size_t>(work.kernel)], on);
  return static_cast<double>(work.cells) * each.cell + static_cast<double>(work.rows) * each.row;
}

}  // namespace sc::model
