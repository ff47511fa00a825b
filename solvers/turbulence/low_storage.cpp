// SPDX-License-Identifier: Apache-2.0
// A step of third order in two arrays.
#include "solvers/turbulence/solver.hpp"
#include "solvers/turbulence/stages.hpp"

namespace sc::turbulence {

/// Williamson, J. Comput. Phys. 35 (1980), case 7:  g = a g + dt N(u),  u <- E (u + b g),  g <- E g
void Turbulence::low_storage_3() {
  constexpr std::array a{0.0, -5.0 / 9, -153.0 / 128}, b{1.0 / 3, 15.0 / 16, 8.0 / 15};
  const SweepOptions flops{.flops = has_scalar() ? 78.0 : 60.0};
  ModeSweep first("stage", LowStorageFirst{}, flops, updates(v_), writes(*sum_), reads(*u_));
  ModeSweep later("stage", LowStorage{}, flops, updates(v_), updates(*sum_), reads(*u_));
  for (std::size_t s = 0; s < a.size(); ++s) {
    Stage& stage = s == 0 ? *first : *later;
    nonlinear({.next = stage, .keep = true, .choose_dt = s == 0});
    const LowStorage now{projection(), decay(s), a[s], b[s], dt_};
    first.set({now});
    later.set(now);
    store_->run(stage);
  }
}

}  // namespace sc::turbulence
