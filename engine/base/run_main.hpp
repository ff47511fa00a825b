// SPDX-License-Identifier: Apache-2.0
// The main function of a program on the engine: its arguments, and one sentence and an exit code if it fails.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/context.hpp"

namespace sc {

/// The words of a command line after the program's name. Each call takes the next word, or `otherwise` if
/// none is left, and throws Error (bad_input) if the word is not what `what` must be.
class Arguments {
 public:
  Arguments(int argc, char** argv);
  int whole(const std::string& what, int otherwise, int least = 0);
  double number(const std::string& what, double otherwise, double least = 0,
                double most = std::numeric_limits<double>::max());
  std::string text(const std::string& what, const std::string& otherwise);
  /// Throws Error (bad_input) if words are left.
  void end() const;

 private:
  const std::string* next(const std::string& what);

  std::vector<std::string> words_;
  std::vector<std::string> taken_;  ///< what each word was, for end()
};

/// Calls `body` on all ranks, closes its Context, and returns the exit code for main(). If `body` throws,
/// rank 0 prints "program: sentence" of the lowest rank that failed, and all ranks return its code (failure,
/// unless it is an Error). If a rank fails alone, so that others wait for it, it ends all ranks after ten
/// seconds.
int run_main(int argc, char** argv, const std::function<void(Context&, Arguments)>& body,
             const ContextOptions& options = {});

}  // namespace sc
