// SPDX-License-Identifier: Apache-2.0
// How much slower the disk is while cores compute: they share the processor and the memory with its copies.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/move/stream/file_memory.hpp"

namespace sc {

/// The share, from 0.01 to 1, of the speed of copies in both directions that is left while `compute` computes
/// for a number of seconds: the median of three measurements with scratch files with these options, with
/// `bytes` in each direction. Throws Error (storage).
double computing_share(const FileMemoryOptions& options, std::int64_t bytes,
                       const std::function<void(double)>& compute);

}  // namespace sc
