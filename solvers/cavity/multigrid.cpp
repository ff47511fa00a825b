// SPDX-License-Identifier: Apache-2.0
// Multigrid: construction of the hierarchy, and the cycle.
#include "solvers/cavity/multigrid.hpp"

namespace sc::cavity {

namespace {

constexpr int sweeps_before = 3, sweeps_after = 3;  // of smoothing, around the coarse correction
constexpr int sweeps_on_coarsest = 16;
constexpr int thinnest = 4;  // a level with thinner blocks moves to one rank before it is coarsened

bool has_thin_block(const Grid& grid, Int3 factor) {
  for (int a = 0; a < 3; ++a)
    for (std::size_t b = 0; factor[a] > 1 && grid.split()[a] > 1 && b + 1 < grid.cuts(a).size(); ++b)
      if (grid.cuts(a)[b + 1] - grid.cuts(a)[b] < thinnest) return true;
  return false;
}

bool on_one_rank(const Grid& grid) { return grid.box_of(0).extent() == grid.cells(); }

bool is_coarsest(const Grid& grid) {
  const Int3 n = grid.cells();
  return std::max({n.x, n.y, n.z}) <= 2;
}

/// Halves the axes along which cells are strongly coupled, at a quarter of the strongest or more: smoothing
/// reduces an error that oscillates along a weakly coupled axis too slowly, and half as many cells could not
/// represent it (semi-coarsening; U. Trottenberg, C. Oosterlee, A. Schueller, Multigrid, 2001, section 5.1).
template <class Points>
Int3 factor_of(PoissonLevel<Points>& level, Runner& runner) {
  const std::array<double, 3> largest = level.largest_couplings(runner);
  const Int3 n = level.grid.cells();
  double strongest = 0;
  for (int a = 0; a < 3; ++a)
    if (n[a] > 2) strongest = std::max(strongest, largest[std::size_t(a)]);
  Int3 factor{1, 1, 1};
  for (int a = 0; a < 3; ++a)
    if (n[a] > 2 && 4 * largest[std::size_t(a)] >= strongest) factor[a] = 2;
  return factor;
}

/// The halo beside neighbours has a layer for each sweep of a pass, limited by the thickness of the blocks.
Grid coarser(const Grid& fine, Int3 factor, int sweeps_per_pass) {
  const Grid coarse = fine.coarsen(factor, 1);
  int layers = sweeps_per_pass;
  for (int a = 0; a < 3; ++a)
    for (std::size_t b = 0; b + 1 < coarse.cuts(a).size(); ++b)
      if (const int cells = coarse.cuts(a)[b + 1] - coarse.cuts(a)[b]; cells > 0)
        layers = std::min(layers, cells);
  return fine.coarsen(factor, layers, 1);
}

/// The centre of a coarse cell is the mean of the centres of its first and last children. Faces stay where
/// they are.
std::vector<double> centres_of_parents(const std::vector<double>& fine, int nc, int factor, bool periodic) {
  const int nf = static_cast<int>(fine.size()) - 2;
  std::vector<double> c(static_cast<std::size_t>(nc) + 2);
  for (int i = 0; i < nc; ++i) {
    const int lo = std::min(i * factor, nf), hi = std::min((i + 1) * factor, nf) - 1;
    c[std::size_t(i) + 1] = 0.5 * (fine[std::size_t(lo) + 1] + fine[std::size_t(hi) + 1]);
  }
  const double period = fine[std::size_t(nf) + 1] - fine[1];  // the first cell and its image beyond the last
  c[0] = periodic ? c[std::size_t(nc)] - period : fine.front();
  c[std::size_t(nc) + 1] = periodic ? c[1] + period : fine.back();
  return c;
}

/// Fine over coarse distance between the centres on both sides of the low face of coarse cell I = 0 … n, or
/// between a face of the domain and a centre.
std::vector<double> distance_ratios(const std::vector<double>& fine, const std::vector<double>& coarse,
                                    int factor) {
  const std::size_t nc = coarse.size() - 2, nf = fine.size() - 2;
  std::vector<double> ratio(nc + 1);
  for (std::size_t I = 0; I <= nc; ++I) {
    const std::size_t i = std::min(I * static_cast<std::size_t>(factor), nf);
    ratio[I] = (fine[i + 1] - fine[i]) / (coarse[I + 1] - coarse[I]);
  }
  return ratio;
}

}  // namespace

template <class Points>
Multigrid<Points>::Multigrid(L& finest, Runner& runner)
    : finest_(finest), runner_(runner), finest_sweeps_(finest) {
  for (L* above = &finest; !is_coarsest(above->grid); above = steps_.back().coarse.get()) add_level(*above);
}

template <class Points>
void Multigrid<Points>::add_level(L& above) {
  Step step;
  L* fine = &above;
  const Int3 factor = factor_of(above, runner_);
  if (has_thin_block(above.grid, factor) && !on_one_rank(above.grid)) {
    step.gathered = std::make_unique<L>(above.grid.on(1), above.space);
    step.gathered->centres = above.centres;
    step.gathered->given = above.given;
    runner_.move(above.a.now(), step.gathered->a.now());
    fine = step.gathered.get();
  }
  step.coarse = std::make_unique<L>(coarser(fine->grid, factor, runner_.steps_per_pass()), above.space);
  L& coarse = *step.coarse;
  coarse.given = above.given;
  std::array<Table<double>, 3> between;
  std::array<const double*, 3> ratios;
  for (int d = 0; d < 3; ++d) {
    const auto k = std::size_t(d);
    const std::vector<double>& fine_centres = fine->centres[k].values();
    coarse.centres[k] = coarse.table(
        centres_of_parents(fine_centres, coarse.grid.cells()[d], factor[d], coarse.grid.periodic()[d]));
    const std::vector<double>& coarse_centres = coarse.centres[k].values();
    between[k] = coarse.table(distance_ratios(fine_centres, coarse_centres, factor[d]));
    ratios[k] = between[k].data();
  }
  Transfer<Points>::set_couplings(*fine, coarse, factor, ratios, runner_);
  coarse.finish(runner_);
  step.restrict_residual = Transfer<Points>::restrict_residual(*fine, coarse, factor);
  step.prolong = Transfer<Points>::prolong(*fine, coarse, factor);
  step.sweeps = std::make_unique<LevelSweeps<Points>>(coarse);
  steps_.push_back(std::move(step));
}

template <class Points>
void Multigrid<Points>::smooth(L& l, LevelSweeps<Points>& s, int count, bool from_zero, Stage* after) {
  runner_.steps(count, [&](int k) {
    const double momentum = k == 0 ? 0.0 : (2.0 * k - 1) / (2.0 * k + 3);
    const double weight = (8.0 * k + 4) / ((2.0 * k + 3) * l.lambda);
    const bool first = k == 0 && from_zero;
    if (first)
      s.from_zero.set(weight);
    else
      s.smooth.set({momentum, weight});
    runner_.run(first ? *s.from_zero : *s.smooth);
    l.x.advance();
    if (after && k + 1 == count) runner_.run(*after);
  });
}

template <class Points>
void Multigrid<Points>::cycle(std::size_t depth) {
  L& l = level(depth);
  if (depth == steps_.size()) {
    smooth(l, sweeps(depth), sweeps_on_coarsest, true);
    return;
  }
  Step& step = steps_[depth];
  smooth(l, sweeps(depth), sweeps_before, true, sweeps(depth).residual.get());
  if (step.gathered) runner_.move(l.r.now(), step.gathered->r.now());
  runner_.run(*step.restrict_residual);
  cycle(depth + 1);
  if (step.gathered) runner_.move(l.x.now(), step.gathered->x.now());
  runner_.run(*step.prolong);
  if (step.gathered) runner_.move(step.gathered->x.now(), l.x.now());
  smooth(l, sweeps(depth), sweeps_after, false);
}

template class Multigrid<SevenPoints<double, false>>;
template class Multigrid<SevenPoints<double, true>>;
template class Multigrid<NineteenPoints<double>>;
template class Multigrid<SevenPoints<float, false>>;
template class Multigrid<SevenPoints<float, true>>;
template class Multigrid<NineteenPoints<float>>;

}  // namespace sc::cavity
