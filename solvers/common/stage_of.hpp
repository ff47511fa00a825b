// SPDX-License-Identifier: Apache-2.0
// stage_of: a sweep on the heap, where a solver keeps it as a Stage.
#pragma once

#include <memory>

#include "engine/stage/sweep.hpp"

namespace sc {

/// Sweep(of...).
template <class... Of>
auto stage_of(const Of&... of) {
  return std::make_unique<decltype(Sweep(of...))>(of...);
}

}  // namespace sc
