// SPDX-License-Identifier: Apache-2.0
// What solvers report about a step, and about a state that is not finite.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "solvers/common/typed.hpp"

namespace sc {

struct StepReport {
  std::int64_t step = 0;
  double time = 0;  ///< after the step
  double dt = 0;
};

/// The first own cell where a field of N components is not finite, as "NAME is not finite WHEN at POINT (x,
/// y, z); ADVICE"; `point` is the solver's word for its points. Empty if all are finite.
struct Loss {
  std::string when, point, advice;

  template <int N = 1>
  std::string of(AnyField& field, const std::string& name) const {
    std::string sentence;
    const Grid& grid = field.grid();
    const Box own = grid.own();
    typed<N>(field, [&](auto& values) {
      values.each_slab([&](int lo, int hi, auto cells) {
        for (int z = lo; z < hi; ++z)
          for (int y = 0; y < own.hi.y; ++y)
            for (int x = 0; x < own.hi.x; ++x)
              for (int k = 0; k < N; ++k)
                if (sentence.empty() &&
                    !std::isfinite(cells.base[k * cells.stride + grid.layout().offset({x, y, z})]))
                  sentence = name + " is not finite " + when + " at " + point + " " +
                             to_string(grid.origin() + Int3{x, y, z}) + "; " + advice;
      });
    });
    return sentence;
  }
  /// Collective: throws Error (diverged) with the sentence of the first rank that has one, or with
  /// `otherwise`.
  [[noreturn]] void report(const Context& context, const std::string& sentence,
                           const std::string& otherwise) const {
    context.agree(Exit::diverged, sentence);
    throw Error(Exit::diverged, otherwise + " is not finite " + when);
  }
};

}  // namespace sc
