// SPDX-License-Identifier: Apache-2.0
// What nvcc embeds in a program for one source.
#pragma once

#include <cstddef>
#include <string_view>

namespace sc::ptx {

/// The PTX of a fat binary; throws Fault where it holds none, or compressed.
std::string_view text_of(const std::byte* fat);

}  // namespace sc::ptx
