// SPDX-License-Identifier: Apache-2.0
// The instructions by their names.
#pragma once

#include <string>
#include <unordered_map>

#include "tests/ptx_card/block.hpp"

namespace sc::ptx {

using Table = std::unordered_map<std::string, Handler>;
void add_arithmetic(Table& table);
void add_access(Table& table);

}  // namespace sc::ptx
