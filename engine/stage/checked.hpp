// SPDX-License-Identifier: Apache-2.0
// Additions of a checked build to a stage: a watch for each declaration, and NaN in halo cells without valid
// values and in cells that the kernel must set.
#pragma once

#include <memory>
#include <vector>

#include "engine/field/watch.hpp"

namespace sc {

class Stage;

/// One for each access, kept until a device has finished the work that refers to them.
using Watches = std::shared_ptr<const std::vector<Watch>>;
Watches watches_of(const Stage& stage);

/// Fills the stale halo cells of the stage's inputs with signalling NaNs (integers: with their bits), except
/// those that the program itself sets. Fields on a device and in a caller's memory are not changed.
void poison_stale_halos(const Stage& stage);
/// The same for one of its fields.
void poison_stale_halo(Storage& storage, const Boundaries& boundaries);
/// The same for the own cells of outputs whose old values are no longer read: a cell that the kernel does not
/// set keeps this value.
void poison_outputs(const Stage& stage);

}  // namespace sc
