// SPDX-License-Identifier: Apache-2.0
// SolvedLines: groups of lines in the order in which they are summed, sent and solved.
#include "engine/stage/solved_lines.hpp"

namespace sc {

SolvedLines::SolvedLines(std::string name, int axis, std::shared_ptr<const LineSystem> system, double flops,
                         std::vector<Access> accesses)
    : Stage(std::move(name), {}, 1, flops),
      axis_(axis),
      system_(std::move(system)),
      accesses_(std::move(accesses)) {
  for (const Access& a : accesses_)
    if (a.mode != Mode::read && !grid_) grid_ = &a.field->grid();
  const auto where = "stage \"" + this->name() + "\" ";
  if (!grid_) refuse(where + "writes no field");
  if (axis < 0 || axis > 2)
    refuse(where + "runs along axis " + std::to_string(axis) + "; allowed are 0, 1 and 2 for x, y and z");
  check_accesses();
  check_cuts();
}

void SolvedLines::check_cuts() const {
  const auto where = "stage \"" + name() + "\" ";
  const char letter = "xyz"[axis_];
  if (const int n = grid_->cells()[axis_]; system_->cells() != n)
    refuse(where + "solves lines of " + std::to_string(system_->cells()) + " cells along " + letter +
           ", where its grid has " + std::to_string(n));
  for (const Access& a : accesses_)
    if (a.mode == Mode::update && a.reach.width > 0)
      refuse(where + "updates field \"" + a.field->name() +
             "\", which its right sides read; write another level");
  for (const int cut : grid_->cuts(axis_))
    if (system_->block_at(cut) < 0)
      refuse(where + "solves lines in blocks of " + std::to_string(system_->block()) +
             " cells, and its grid is cut " + "at " + std::to_string(cut) + " along " + letter +
             "; give the grid LineSystem::cuts() where ranks divide the axis");
}

void SolvedLines::divide(int systems) {
  if (grid_->split()[axis_] == 1) {
    window_ = {0, system_->blocks(), 0, system_->blocks()};
    return;
  }
  blocks_ = BlockSums::make(*grid_, axis_, *system_, systems);
  window_ = blocks_->window();
}

std::optional<Stage::Own> SolvedLines::own() {
  if (!divided()) return std::nullopt;
  blocks_->storage().settle();
  solved_ = 0;
  return Own{.cut = {.all = grid_->own(), .core = {}, .shell = blocks_->groups()},
             .sums = blocks_.get(),
             .sums_at_once = true};
}

/// Arrivals come in the order of their groups.
void SolvedLines::take(const Movement& /*movement*/, int piece, int threads) {
  const std::size_t group = blocks_->group_of(piece), next = blocks_->group_of(piece + 1);
  if (group == next) return;
  for (; solved_ <= group && solved_ < blocks_->groups().size(); ++solved_)
    solve_divided(blocks_->groups()[solved_], threads);
}

void SolvedLines::finish(int threads) {
  for (; solved_ < blocks_->groups().size(); ++solved_) solve_divided(blocks_->groups()[solved_], threads);
}

LinePart SolvedLines::part(const Bundle& bundle) const {
  return {.system = system_.get(),
          .begin = grid_->origin()[axis_],
          .first = (window_.first + window_.own + system_->blocks()) % system_->blocks(),
          .count = window_.own_count,
          .lines = bundle.lines};
}

/// Where the sums of a bundle lie for the movement.
struct SolvedLines::Cells {
  double* base;
  std::ptrdiff_t along, across, stride;
};

SolvedLines::Cells SolvedLines::cells(const Bundle& bundle, int n) const {
  const Storage& storage = blocks_->storage();
  const Layout& layout = storage.grid().layout();
  const Int3 origin = grid_->origin();
  Int3 at{static_cast<int>(bundle.first.x) - origin.x, static_cast<int>(bundle.first.y) - origin.y,
          static_cast<int>(bundle.first.z) - origin.z};
  at[axis_] = 0;
  const std::ptrdiff_t strides[3] = {1, layout.sy, layout.sz};
  double* base = reinterpret_cast<double*>(storage.base()) + 2 * n * storage.component_stride();
  return {base + layout.offset(at), strides[axis_], strides[bundle.across], storage.component_stride()};
}

void SolvedLines::give(const Bundle& bundle, int n, const SumsOfLines& sums) const {
  const Cells c = cells(bundle, n);
  for (int k = 0; k < window_.own_count; ++k)
    for (int l = 0; l < bundle.distinct; ++l) {
      double* to = c.base + (window_.own + k) * c.along + l * c.across;
      to[0] = *sums.sum(k, l);
      to[c.stride] = *sums.first(k, l);
    }
}

void SolvedLines::fetch(const Bundle& bundle, int n, const SumsOfLines& sums) const {
  const Cells c = cells(bundle, n);
  for (int k = 0; k < window_.count; ++k)
    for (int l = 0; l < bundle.lines; ++l) {
      const double* from = c.base + k * c.along + std::min(l, bundle.distinct - 1) * c.across;
      *sums.sum(k, l) = from[0];
      *sums.first(k, l) = from[c.stride];
    }
}

}  // namespace sc
