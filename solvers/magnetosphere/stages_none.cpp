// SPDX-License-Identifier: Apache-2.0
// The stages without diffusion.
#include "solvers/magnetosphere/leaps.hpp"

namespace sc::magnetosphere {

template Stages stages_with<Diffusion::none>(Plasma& nodes, Plasma& centres, bool planet);

}  // namespace sc::magnetosphere
