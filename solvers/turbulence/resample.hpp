// SPDX-License-Identifier: Apache-2.0
// Fields at other points of the periodic box: how a run starts from one on a coarser or finer grid.
#pragma once

#include "engine/field/field.hpp"

namespace sc::turbulence {

/// Collective: `to` gets the values of the trigonometric polynomial through the points of `from`, without the
/// modes |k_i| >= n_i / 2 of either grid. Both are real fields of one precision, with as many components and
/// one split. The bits do not depend on the split.
void resample(AnyField& from, AnyField& to);

}  // namespace sc::turbulence
