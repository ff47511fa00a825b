// SPDX-License-Identifier: Apache-2.0
// Spectra of a velocity that lies at the cells of any decomposition: it moves to the pencils of a transform.
#pragma once

#include <functional>
#include <vector>

#include "engine/field/field.hpp"
#include "engine/stage/global_value.hpp"

namespace sc::compressible {

/// Of the shells 0, 1, 2, …: mean |u|^2 / 2 of the modes with k - 1/2 <= |k| < k + 1/2, of the part of u
/// across k and of that along k.
struct Spectrum {
  std::vector<double> solenoidal, dilatational;
};

/// Collective, as what it returns, which looks at `velocity` where it is; the bits do not depend on the
/// split.
std::function<Spectrum(GlobalValue&)> spectrum_of(AnyField& velocity);

}  // namespace sc::compressible
