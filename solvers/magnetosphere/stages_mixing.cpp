// SPDX-License-Identifier: Apache-2.0
// The stages with constant diffusion and mixing.
#include "solvers/magnetosphere/leaps.hpp"

namespace sc::magnetosphere {

template Stages stages_with<Diffusion::mixing>(Plasma& nodes, Plasma& centres, bool planet);

}  // namespace sc::magnetosphere
