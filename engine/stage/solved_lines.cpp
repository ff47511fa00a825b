// SPDX-License-Identifier: Apache-2.0
// SolvedLines: groups of lines in the order in which they are summed, sent and solved.
#include "engine/stage/solved_lines.hpp"

#include <algorithm>

#include "engine/stage/slabs.hpp"

namespace sc {

/// The first of two passes: it reads what right sides are made of.
class SolvedLines::Sums final : public Stage {
 public:
  explicit Sums(SolvedLines& lines)
      : Stage(lines.name() + " (sums)", inputs_of(lines.accesses())), lines_(lines) {
    compute_on(lines.grid());
    check_accesses();
  }
  int whole_axis() const override { return lines_.whole_axis(); }
  bool takes_parts() const override { return true; }
  void compute(const Box& box, int threads, std::span<Accumulator> /*into*/) override {
    lines_.sum_parts(box, threads);
  }
  std::optional<Own> own() override { return lines_.sums_moved(); }

 private:
  static std::vector<Access> inputs_of(std::vector<Access> accesses) {
    std::erase_if(accesses, [](const Access& a) { return a.mode != Mode::read; });
    return accesses;
  }
  SolvedLines& lines_;
};

SolvedLines::~SolvedLines() = default;

SolvedLines::SolvedLines(std::string name, int axis, std::shared_ptr<const LineSystem> system, double flops,
                         std::vector<Access> accesses)
    : Stage(std::move(name), std::move(accesses), flops), axis_(axis), system_(std::move(system)) {
  check_writes();
  check_axis(axis);
  check_accesses();
  check_cuts();
  two_passes_ = Slabs::in(*this) && (axis_ == 2 || grid().split()[axis_] > 1);
  if (two_passes_ && axis_ == 2) check_pieces();
}

void SolvedLines::check_pieces() const {
  for (const Access& a : accesses()) {
    if (!a.storage().far()) continue;
    const FarArray& array = far_cells(a.storage()).arrays()[0];
    for (int piece = 0; piece <= array.pieces(); ++piece)
      if (const int cut = array.first(piece); system_->block_at(grid().origin().z + cut) < 0)
        refuse("stage \"" + name() + "\" solves lines in blocks of " + std::to_string(system_->block()) +
               " cells, and field \"" + a.field->name() + "\" is cut into pieces at plane " +
               std::to_string(cut) + "; give its place so many planes that stay together");
  }
}

std::vector<int> SolvedLines::counts() const {
  std::vector<int> all{std::max(1, grid().own().hi[axis_])};
  for (const Access& a : accesses()) {
    if (!two_passes_ || axis_ != 2 || !a.storage().far()) continue;
    const FarArray& array = far_cells(a.storage()).arrays()[0];
    for (int piece = 0; piece < array.pieces(); ++piece)
      all.push_back(array.first(piece + 1) - array.first(piece));
  }
  return all;
}

Stage* SolvedLines::before() {
  if (!two_passes_) return nullptr;
  if (!sums_) sums_ = std::make_unique<Sums>(*this);
  return sums_.get();
}

void SolvedLines::check_cuts() const {
  const auto where = "stage \"" + name() + "\" ";
  const char letter = "xyz"[axis_];
  if (const int n = grid().cells()[axis_]; system_->cells() != n)
    refuse(where + "solves lines of " + std::to_string(system_->cells()) + " cells along " + letter +
           ", where its grid has " + std::to_string(n));
  for (const Access& a : accesses())
    if (a.mode == Mode::update && a.reach.width > 0)
      refuse(where + "updates field \"" + a.field->name() +
             "\", which its right sides read; write another level");
  for (const int cut : grid().cuts(axis_))
    if (system_->block_at(cut) < 0)
      refuse(where + "solves lines in blocks of " + std::to_string(system_->block()) +
             " cells, and its grid is cut " + "at " + std::to_string(cut) + " along " + letter +
             "; give the grid LineSystem::cuts() where ranks divide the axis");
}

void SolvedLines::divide(int systems, std::shared_ptr<std::vector<double>> sums) {
  if (grid().split()[axis_] == 1) {
    window_ = {0, system_->blocks(), 0, system_->blocks()};
    if (!two_passes_) return;
    near_sums_ = sums ? std::move(sums) : std::make_shared<std::vector<double>>();
    const Int3 n = grid().own().extent();
    const std::size_t lines = static_cast<std::size_t>(n.x) * static_cast<std::size_t>(n.y);
    near_sums_->resize(
        std::max(near_sums_->size(), lines * static_cast<std::size_t>(2 * systems * window_.count)));
    return;
  }
  blocks_ = BlockSums::make(grid(), axis_, *system_, systems);
  window_ = blocks_->window();
}

std::optional<Stage::Own> SolvedLines::own() { return two_passes_ ? std::nullopt : sums_moved(); }

std::optional<Stage::Own> SolvedLines::sums_moved() {
  if (!divided()) return std::nullopt;
  blocks_->storage().settle();
  solved_ = 0;
  return Own{.cut = {.all = grid().own(), .core = {}, .shell = blocks_->groups()},
             .sums = blocks_.get(),
             .sums_at_once = true};
}

/// Arrivals come in the order of their groups.
void SolvedLines::take(const Exchange& /*exchange*/, int piece, int threads) {
  const std::size_t group = blocks_->group_of(piece), next = blocks_->group_of(piece + 1);
  if (group == next) return;
  for (; solved_ <= group && solved_ < blocks_->groups().size(); ++solved_)
    solve_divided(blocks_->groups()[solved_], threads);
}

void SolvedLines::finish(int threads) {
  for (; solved_ < blocks_->groups().size(); ++solved_) solve_divided(blocks_->groups()[solved_], threads);
}

LinePart SolvedLines::part(const Bundle& bundle) const {
  const Index& at = bundle.first;
  const int begin = static_cast<int>(axis_ == 0 ? at.x : axis_ == 1 ? at.y : at.z);
  const int first = system_->block_at(begin);
  return {.system = system_.get(),
          .begin = begin,
          .first = first,
          .count = system_->block_at(begin + bundle.count) - first,
          .lines = bundle.lines};
}

/// Where the sums of a bundle lie between its two visits, from position 0 of the window on.
struct SolvedLines::Cells {
  double* base;
  std::ptrdiff_t along, across, stride;
};

SolvedLines::Cells SolvedLines::cells(const Bundle& bundle, int n) const {
  const Int3 origin = grid().origin();
  Int3 at{static_cast<int>(bundle.first.x) - origin.x, static_cast<int>(bundle.first.y) - origin.y,
          static_cast<int>(bundle.first.z) - origin.z};
  at[axis_] = 0;
  if (near_sums_) {  // lines along z: positions one behind the other
    const Int3 own = grid().own().extent();
    const std::ptrdiff_t plane = std::ptrdiff_t{own.x} * own.y, all = plane * window_.count;
    return {near_sums_->data() + 2 * n * all + std::ptrdiff_t{at.y} * own.x + at.x, plane,
            bundle.across == 0 ? std::ptrdiff_t{1} : std::ptrdiff_t{own.x}, all};
  }
  const Storage& storage = blocks_->storage();
  const Layout& layout = storage.grid().layout();
  const std::ptrdiff_t strides[3] = {1, layout.sy, layout.sz};
  double* base = reinterpret_cast<double*>(storage.base()) + 2 * n * storage.component_stride();
  return {base + layout.offset(at), strides[axis_], strides[bundle.across], storage.component_stride()};
}

void SolvedLines::give(const Bundle& bundle, int n, const SumsOfLines& sums) const {
  const Cells c = cells(bundle, n);
  const LinePart mine = part(bundle);
  for (int k = 0; k < mine.count; ++k)
    for (int l = 0; l < bundle.distinct; ++l) {
      double* to = c.base + window_.at(mine.first + k, *system_) * c.along + l * c.across;
      to[0] = *sums.sum(k, l);
      to[c.stride] = *sums.first(k, l);
    }
}

void SolvedLines::fetch(const Bundle& bundle, int n, const SumsOfLines& sums) const {
  const Cells c = cells(bundle, n);
  const LinePart mine = part(bundle);
  int needed = mine.count + 1 + system_->before() + system_->after();
  if (system_->cyclic()) needed = std::min(needed, system_->blocks());
  for (int m = 0; m < needed; ++m) {
    const int block = mine.first - 1 - system_->before() + m;
    const int k = window_.at(block, *system_);
    if (k < 0 || k >= window_.count) continue;  // beyond the ends of a line
    for (int l = 0; l < bundle.lines; ++l) {
      const double* from = c.base + k * c.along + std::min(l, bundle.distinct - 1) * c.across;
      *sums.sum(k, l) = from[0];
      *sums.first(k, l) = from[c.stride];
    }
  }
}

}  // namespace sc
