// SPDX-License-Identifier: Apache-2.0
// Counts are int; the standard library's containers need std::size_t.
#pragma once

#include <cstddef>

namespace sc {

constexpr std::size_t at(int number) { return static_cast<std::size_t>(number); }

}  // namespace sc
