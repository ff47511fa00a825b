// SPDX-License-Identifier: Apache-2.0
// The stages with constant diffusion.
#include "solvers/magnetosphere/leaps.hpp"

namespace sc::magnetosphere {

template Stages stages_with<Diffusion::constant>(Plasma& nodes, Plasma& centres, bool planet);

}  // namespace sc::magnetosphere
