// SPDX-License-Identifier: Apache-2.0
// One level of the pressure operator: its couplings and fields, restriction to the next level and
// prolongation. Levels coarsen by pairs of global indices, so that nothing depends on the decomposition. A
// level whose blocks are too thin moves to one rank. The kernels of its stages are compiled in level.cpp,
// smoothing.cpp and transfer.cpp.
#pragma once

#include <memory>
#include <vector>

#include "engine/field/table.hpp"
#include "solvers/cavity/poisson_kernels.hpp"
#include "solvers/common/stage_of.hpp"

namespace sc::cavity {

/// Fields of a level. x has two time levels: the iterate and the previous one.
template <class Points>
struct PoissonLevel {
  using Real = typename Points::Real;
  explicit PoissonLevel(const Grid& cells, Space where = Space::host)
      : grid(cells),
        space(where),
        a(cells, "couplings", {.space = where}),
        inverse_diagonal(cells, "inverse diagonal", {.space = where}),
        x(cells, "x", {.levels = 2, .space = where}),
        b(cells, "b", {.space = where}),
        r(cells, "residual", {.space = where}) {
    // Couplings and values beyond a wall are zero.
    a.boundaries().leave_others(Beyond::given);
    x.boundaries().leave_others(Beyond::given);
    r.boundaries().leave_others(Beyond::unread);
  }
  PoissonLevel(const PoissonLevel&) = delete;
  PoissonLevel& operator=(const PoissonLevel&) = delete;

  /// Collective, when the couplings are set: computes 1 / D and the bound of the eigenvalues.
  void finish(Runner& runner);
  /// Collective: the largest coupling along each axis.
  std::array<double, 3> largest_couplings(Runner& runner);
  /// A table of numbers for this level's kernels.
  Table<double> table(std::vector<double> values) const { return {grid.context(), space, std::move(values)}; }

  Grid grid;
  Space space;
  Field<Real, Points::coefficients> a;
  Field<Real> inverse_diagonal;
  Field<Real> x, b, r;
  double lambda = 2;  ///< bound of the eigenvalues of D^-1 A
  /// Centres of the cells along every axis, in units of finest cells; entry i + 1 belongs to cell i = -1 … n.
  std::array<Table<double>, 3> centres;
  std::array<std::array<bool, 2>, 3> given{};  ///< the low and high faces of every axis on which x is zero
};

/// x' = x + momentum (x - before) + weight D^-1 (A x - b)
struct Chebyshev {
  double momentum, weight;
};

/// The stages of one level. The new x is level(1), and becomes now() by advance().
template <class Points>
struct LevelSweeps {
  explicit LevelSweeps(PoissonLevel<Points>& level);
  SetStage<Chebyshev> smooth;
  SetStage<double> from_zero;  ///< the first sweep, where x is zero; the parameter is the weight
  std::unique_ptr<Stage> residual;
};

/// Stages between a level and the next coarser one, whose cells have `factor` times the size.
template <class Points>
struct Transfer {
  using Level = PoissonLevel<Points>;
  /// Collective: sets the couplings of `coarse`. `ratios`: see CoarsenSeven.
  static void set_couplings(Level& fine, Level& coarse, Int3 factor,
                            const std::array<const double*, 3>& ratios, Runner& runner);
  static std::unique_ptr<Stage> restrict_residual(Level& fine, Level& coarse, Int3 factor);
  static std::unique_ptr<Stage> prolong(Level& fine, Level& coarse, Int3 factor);
};

}  // namespace sc::cavity
