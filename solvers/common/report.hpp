// SPDX-License-Identifier: Apache-2.0
// What solvers report about a step, and about a state that is not finite.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "engine/grid/cells.hpp"
#include "solvers/common/typed.hpp"

namespace sc {

struct StepReport {
  std::int64_t step = 0;
  double time = 0;  ///< after the step
  double dt = 0;
};

/// Of a solver whose next step depends on no other times; part of a checkpoint.
struct SolverClock {
  double time = 0;
  std::int64_t steps = 0;
};

/// The first own cell where a field of N components is not finite, as "NAME is not finite WHEN at POINT (x,
/// y, z); ADVICE"; `point` is the solver's word for its points. Empty if all are finite.
struct Loss {
  std::string when, point, advice;

  template <int N = 1>
  std::string of(AnyField& field, const std::string& name) const {
    std::string sentence;
    const Grid& grid = field.grid();
    const Int3 own = grid.own().hi;
    typed<N>(field, [&](auto& values) {
      values.each_slab([&](int lo, int hi, auto cells) {
        each_cell({{0, 0, lo}, {own.x, own.y, hi}}, [&](Int3 c) {
          for (int k = 0; k < N; ++k)
            if (sentence.empty() && !std::isfinite(cells.base[k * cells.stride + grid.layout().offset(c)]))
              sentence = name + " is not finite " + when + " at " + point + " " +
                         to_string(grid.origin() + c) + "; " + advice;
        });
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
