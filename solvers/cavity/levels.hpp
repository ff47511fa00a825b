// SPDX-License-Identifier: Apache-2.0
// One level of the pressure operator: its couplings and fields, restriction to the next level and
// prolongation. Levels coarsen by pairs of global indices, so that nothing depends on the decomposition. A
// level whose blocks are too thin moves to one rank.
#pragma once

#include <memory>
#include <vector>

#include "engine/field/table.hpp"
#include "solvers/cavity/poisson_kernels.hpp"
#include "solvers/common/stage_of.hpp"

namespace sc::cavity {

/// Fields of a level. x has two time levels: the iterate and the previous one.
template <class Real, class Points>
struct PoissonLevel {
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

template <class Real, class Points>
auto smooth_sweep(PoissonLevel<Real, Points>& l) {
  return stage_of("smooth", ChebyshevSweep<Real, Points>{},
                  SweepOptions{.flops = 3.0 * Points::neighbours + 8}, updates(l.x.level(1)),
                  reads(l.x.now(), Points::reach), reads(l.b.now()),
                  reads(l.a.now(), Points::coefficient_reach), reads(l.inverse_diagonal.now()));
}
template <class Real, class Points>
auto smooth_from_zero_sweep(PoissonLevel<Real, Points>& l) {
  return stage_of("smooth from zero", ChebyshevFromZero<Real>{}, writes(l.x.level(1)), writes(l.x.now()),
                  reads(l.b.now()), reads(l.inverse_diagonal.now()));
}
template <class Real, class Points>
auto residual_sweep(PoissonLevel<Real, Points>& l) {
  return stage_of("residual", ResidualAlone<Real, Points>{}, writes(l.r.now()),
                  reads(l.x.now(), Points::reach), reads(l.b.now()),
                  reads(l.a.now(), Points::coefficient_reach));
}
template <class Real, class Points>
auto restrict_sweep(PoissonLevel<Real, Points>& fine, PoissonLevel<Real, Points>& coarse, Int3 factor) {
  return stage_of("restrict", Restrict<Real>{{factor, fine.grid.cells()}}, writes(coarse.b.now()),
                  reads(fine.r.now(), refine(2, box(1))));
}
template <class Real, class Points>
auto prolong_sweep(PoissonLevel<Real, Points>& fine, PoissonLevel<Real, Points>& coarse, Int3 factor) {
  const auto of = [](const PoissonLevel<Real, Points>& l) -> std::array<const double*, 3> {
    return {l.centres[0].data(), l.centres[1].data(), l.centres[2].data()};
  };
  const Centres centres{of(fine),    of(coarse), factor, coarse.grid.cells(), coarse.grid.periodic(),
                        coarse.given};
  return stage_of("prolong", Prolong<Real>{centres}, updates(fine.x.now()),
                  reads(coarse.x.now(), coarsen(2, box(1))));
}

/// The stages of one level.
template <class Real, class Points>
struct LevelSweeps {
  explicit LevelSweeps(PoissonLevel<Real, Points>& l)
      : smooth(smooth_sweep(l)), from_zero(smooth_from_zero_sweep(l)), residual(residual_sweep(l)) {}
  using L = PoissonLevel<Real, Points>&;
  decltype(smooth_sweep(std::declval<L>())) smooth;
  decltype(smooth_from_zero_sweep(std::declval<L>())) from_zero;
  std::unique_ptr<Stage> residual;
};

}  // namespace sc::cavity
