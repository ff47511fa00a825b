// SPDX-License-Identifier: Apache-2.0
// Numbers of things are int; the standard library's containers want std::size_t.
#pragma once

#include <cstddef>

namespace sc {

constexpr std::size_t at(int number) { return static_cast<std::size_t>(number); }

}  // namespace sc
