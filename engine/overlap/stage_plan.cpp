// SPDX-License-Identifier: Apache-2.0
// StagePlan: the program order is fill, take and close the inputs; shell; core; take and close the outputs.
#include "engine/overlap/stage_plan.hpp"

#include "engine/base/index.hpp"

namespace sc {

namespace {

// Steps of chunks; the first and the last are never overlapped.
constexpr int before = -1, shell_step = 0, core_step = 1, last_step = 2;

Task boxed(const Box& box) { return {.what = Task::What::compute, .box = box}; }

}  // namespace

void StagePlan::make(const StageShape& shape) {
  plan_.clear();
  tasks_.clear();
  given_.clear();
  late_ = false;
  filled_ = closed_ = -1;
  add_movements(shape);
  add_inputs(shape);
  shape.slabs.empty() ? add_cells(shape) : add_slabs(shape);
  add_outputs(shape);
}

void StagePlan::add_movements(const StageShape& shape) {
  for (auto& arrivals : arrivals_) arrivals.clear();
  for (const RunExchange& moved : shape.moves)
    for (int piece = 0; piece < moved.exchange->pieces(); ++piece)
      late_ = late_ || is_late(shape, moved, piece);
  for (int n = 0; n < static_cast<int>(shape.moves.size()); ++n) {
    const auto [role, exchange] = shape.moves[at(n)];
    const int pieces = exchange->pieces();
    const bool at_once = role == sums && shape.sums_at_once;
    for (int piece = 0; piece < pieces; ++piece)
      plan_.add(Piece{.movement = n, .number = piece, .at_once = at_once});
    if (role == gathers || role == sums) {
      const int step = role == gathers ? before : shell_step;
      for (int piece = 0; piece < pieces; ++piece)
        arrivals_[at(role)].push_back(plan_.add(Arrival{n, piece, step}));
      continue;
    }
    // Peers send their outputs once their shells are computed. With late pieces, the end of the exchange also
    // waits for the core.
    const bool waits_for_core = role == outputs && late_;
    const int step = role == inputs ? before : waits_for_core ? core_step : shell_step;
    arrivals_[at(role)].push_back(plan_.add(Arrival{n, from_all, step}));
    if (waits_for_core && shape.copies_at_once) plan_.add(Arrival{n, from_others, shell_step});
  }
  given_.assign(plan_.pieces().size(), 0);
}

/// Along an axis on which the rank is its own neighbour, the halo is filled from the core. A piece to another
/// rank comes from the shell only, although the bounding box of its parts may intersect the core.
bool StagePlan::is_late(const StageShape& shape, const RunExchange& moved, int piece) const {
  if (moved.role != outputs || !shape.parts) return false;
  const bool by_self = shape.copies_at_once || !shape.slabs.empty();
  if (!(by_self ? moved.exchange->to_self(piece) : shape.whole_lines)) return false;
  return !intersect(moved.exchange->source(piece), shape.cut.core).empty();
}

int StagePlan::add(const Task& task, Chunk chunk) {
  chunk.part = static_cast<int>(tasks_.size());
  tasks_.push_back(task);
  return plan_.add(chunk, after_, needs_, gives_);
}

void StagePlan::add_takes(Role role, int step) {
  int piece = 0;
  for (const int arrival : arrivals_[at(role)]) {
    needs_ = {arrival};
    const int taken = add({.what = Task::What::take, .role = role, .number = piece++}, {.step = step});
    after_.assign(1, taken);  // in the order of piece numbers
  }
}

void StagePlan::add_inputs(const StageShape& shape) {
  after_.clear();
  needs_.clear();
  gives_.clear();
  if (!shape.has(inputs) && !shape.has(gathers)) return;
  if (shape.fills) filled_ = add({.what = Task::What::fill}, {.step = shell_step});
  add_takes(gathers, shell_step);
  if (filled_ >= 0) after_.push_back(filled_);
  needs_ = arrivals_[inputs];
  closed_ = add({.what = Task::What::close_inputs}, {.step = shell_step});
}

void StagePlan::add_box(const StageShape& shape, const Task& task, Chunk chunk, bool last) {
  const Box& box = task.box;
  gives_.clear();
  int number = -1;
  for (const RunExchange& moved : shape.moves)
    for (int piece = 0; piece < moved.exchange->pieces(); ++piece) {
      ++number;
      if (moved.role == inputs || moved.role == gathers) continue;
      char& given = given_[at(number)];
      const bool late = is_late(shape, moved, piece);
      const bool may = chunk.step == shell_step || late;
      const Box source = moved.exchange->source(piece);
      const bool meets = may && !intersect(source, box).empty();
      // A piece without cells of this rank must be started too: it begins the round, before any arrival is
      // awaited.
      const bool opens = last && !given && !late && !(source.empty() && chunk.step == core_step);
      if (!meets && !opens) continue;
      gives_.push_back(number);
      given = 1;
    }
  if (task.slab)
    gives_.push_back(plan_.add(Piece{.movement = slab_stream, .number = task.number, .at_once = true}));
  add(task, chunk);
}

/// Slots are available in program order: every slab depends on the previous one.
void StagePlan::add_slabs(const StageShape& shape) {
  const int count = static_cast<int>(shape.slabs.size());
  const auto gives = [&](int n) { return !shape.parts || shape.slabs[at(n)].gives; };
  int last_that_gives = -1;
  for (int n = 0; n < count; ++n)
    if (gives(n)) last_that_gives = n;
  // Unless slabs that send come first, nothing can be sent before all slabs have been computed: then all of
  // them are in the shell's step.
  const bool ends_first = !shape.parts || gives(0);
  for (int n = 0, before = -1; n < count; ++n) {
    const Slab& slab = shape.slabs[at(n)];
    const int step = gives(n) || !ends_first ? shell_step : core_step;
    needs_.assign(1, plan_.add(Arrival{slab_stream, n, step}));
    after_.clear();
    if (before >= 0) after_.push_back(before);
    if (slab.reads && closed_ >= 0) {
      after_.push_back(closed_);
      needs_.insert(needs_.end(), arrivals_[inputs].begin(), arrivals_[inputs].end());
    }
    before = static_cast<int>(plan_.chunks().size());
    add_box(shape, {.what = Task::What::compute, .box = slab.box, .number = n, .slab = true}, {.step = step},
            n == (last_that_gives < 0 ? count - 1 : last_that_gives));
  }
}

void StagePlan::add_cells(const StageShape& shape) {
  const Cut& cut = shape.cut;
  after_.clear();
  needs_ = arrivals_[inputs];
  if (closed_ >= 0) after_ = {closed_};
  if (!shape.parts) return add_box(shape, boxed(cut.all), {.step = shell_step}, true);
  for (std::size_t b = 0; b < cut.shell.size(); ++b)
    add_box(shape, boxed(cut.shell[b]), {.step = shell_step}, b + 1 == cut.shell.size());
  after_.clear();
  needs_.clear();
  if (filled_ >= 0) after_ = {filled_};
  if (!cut.core.empty() || cut.shell.empty())
    add_box(shape, boxed(cut.core), {.step = core_step, .divisible = true}, cut.shell.empty());
}

void StagePlan::add_outputs(const StageShape& shape) {
  if (!shape.has(gathers) && !shape.has(sums) && !shape.has(outputs)) return;
  gives_.clear();
  needs_.clear();
  after_.resize(plan_.chunks().size());
  for (std::size_t c = 0; c < after_.size(); ++c) after_[c] = static_cast<int>(c);
  add_takes(sums, last_step);
  needs_ = arrivals_[outputs];
  add({.what = Task::What::close_outputs}, {.step = last_step});
}

}  // namespace sc
