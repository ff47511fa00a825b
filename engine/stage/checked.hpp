// SPDX-License-Identifier: Apache-2.0
// What a checked build adds to a stage: a watch for each declaration, and poison in the halo cells that hold
// nothing a kernel may read, and in what it has to set.
#pragma once

#include <memory>
#include <vector>

#include "engine/field/watch.hpp"

namespace sc {

class Stage;

/// One for each access, kept until a device has done what refers to them.
using Watches = std::shared_ptr<const std::vector<Watch>>;
Watches watches_of(const Stage& stage);

/// Fills the stale halo cells of what the stage reads with signalling NaNs (integers: with their bits), but
/// for those that the program itself fills. Fields on a device and in memory of somebody else's are left
/// alone.
void poison_stale_halos(const Stage& stage);
/// The same of one of its fields.
void poison_stale_halo(const Storage& storage, const Boundaries& boundaries);
/// Likewise the own cells of what the stage writes, when nobody reads their old values any more: a kernel
/// that leaves one unset leaves such a value.
void poison_outputs(const Stage& stage);

}  // namespace sc
