// SPDX-License-Identifier: Apache-2.0
// Multigrid: V cycles with Chebyshev smoothing, the preconditioner of generalised conjugate residuals.
#pragma once

#include "solvers/cavity/levels.hpp"
#include "solvers/cavity/mesh.hpp"

namespace sc::cavity {

template <class Points>
class Multigrid {
 public:
  using L = PoissonLevel<Points>;

  /// Collective: builds the levels below `finest`, whose couplings must be set.
  Multigrid(L& finest, Runner& runner);

  /// One V cycle from x = 0 on the finest level, for its b. The halo of the resulting x is stale.
  void cycle() { cycle(0); }

 private:
  // A part of the hierarchy on which the same ranks have cells. `gathered` is the copy of the level above on
  // one rank.
  struct Step {
    std::unique_ptr<L> gathered;
    std::unique_ptr<L> coarse;
    std::unique_ptr<Stage> restrict_residual, prolong;
    std::unique_ptr<LevelSweeps<Points>> sweeps;  // for the coarse level
  };
  void add_level(L& above);
  void cycle(std::size_t depth);
  void smooth(L& level, LevelSweeps<Points>& sweeps, int count, bool from_zero, Stage* after = nullptr);
  L& level(std::size_t depth) { return depth == 0 ? finest_ : *steps_[depth - 1].coarse; }
  LevelSweeps<Points>& sweeps(std::size_t depth) {
    return depth == 0 ? finest_sweeps_ : *steps_[depth - 1].sweeps;
  }

  L& finest_;
  Runner& runner_;
  LevelSweeps<Points> finest_sweeps_;
  std::vector<Step> steps_;
};

}  // namespace sc::cavity
