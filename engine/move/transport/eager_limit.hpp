// SPDX-License-Identifier: Apache-2.0
// The eager limit of MPI: messages up to it leave at once, larger ones wait until their receiver answers.
#pragma once

#include <optional>

#include "engine/base/context.hpp"

namespace sc {

/// Largest message for which a limit is searched, in bytes: beyond the pieces of the engine's messages.
constexpr int most_eager = 4 << 20;

/// Collective: bytes of the largest message that MPI sends from rank 0 before the receiver has posted its
/// receive; none if even most_eager bytes leave. The receiver is the first rank on another node, or else rank
/// 1. Throws Error (bad_input) for a single rank.
std::optional<int> eager_limit(Context& context);

}  // namespace sc
