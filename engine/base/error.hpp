// SPDX-License-Identifier: Apache-2.0
// The only exception type of the project: a message for the user and an exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace sc {

/// Exit codes of every program of the project.
enum class Exit : int { ok = 0, failure = 1, bad_input = 2, storage = 3, diverged = 4, stopped = 5 };

class Error : public std::runtime_error {
 public:
  Error(Exit code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  Exit code() const { return code_; }

 private:
  Exit code_;
};

[[noreturn]] inline void refuse(const std::string& sentence) { throw Error(Exit::bad_input, sentence); }

}  // namespace sc
