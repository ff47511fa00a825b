// SPDX-License-Identifier: Apache-2.0
// The sentence with which something is refused.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "engine/base/error.hpp"

namespace sc::test {

/// What the Error says that `action` throws with this exit code; "accepted" if it throws none.
template <class Action>
std::string refusal(Action&& action, Exit code = Exit::bad_input) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "accepted";
}

}  // namespace sc::test
