// SPDX-License-Identifier: Apache-2.0
// StagePlan: the program order is fill, take and close the inputs; shell; core; take and close the outputs.
#include "engine/overlap/stage_plan.hpp"

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
  for (int role = 0; role < roles; ++role) {
    const auto r = static_cast<std::size_t>(role);
    const Movement* movement = shape.moves[r];
    first_piece_[r] = static_cast<int>(plan_.pieces().size());
    first_arrival_[r] = static_cast<int>(plan_.arrivals().size());
    if (!movement) continue;
    const int pieces = movement->pieces();
    const bool at_once = role == sums && shape.sums_at_once;
    for (int piece = 0; piece < pieces; ++piece)
      plan_.add(Piece{.movement = role, .number = piece, .at_once = at_once});
    for (int piece = 0; role == outputs && piece < pieces; ++piece) late_ = late_ || is_late(shape, piece);
    if (role == gathers || role == sums) {
      const int step = role == gathers ? before : shell_step;
      for (int piece = 0; piece < pieces; ++piece) plan_.add(Arrival{role, piece, step});
      continue;
    }
    // Peers send their outputs once their shells are computed. With late pieces, the end of the exchange also
    // waits for the core.
    const bool waits_for_core = role == outputs && late_;
    plan_.add(Arrival{role, from_all, role == inputs ? before : waits_for_core ? core_step : shell_step});
    if (waits_for_core && shape.copies_at_once) plan_.add(Arrival{role, from_others, shell_step});
  }
  given_.assign(plan_.pieces().size(), 0);
}

/// Along an axis on which the rank is its own neighbour, the halo is filled from the core. A piece to another
/// rank comes from the shell only, although the bounding box of its parts may intersect the core.
bool StagePlan::is_late(const StageShape& shape, int piece) const {
  const Movement& movement = *shape.moves[outputs];
  const bool by_self = shape.copies_at_once || !shape.slabs.empty();
  if (!shape.parts || !(by_self ? movement.to_self(piece) : shape.whole_lines)) return false;
  return !intersect(movement.source(piece), shape.cut.core).empty();
}

int StagePlan::add(const Task& task, Chunk chunk) {
  chunk.part = static_cast<int>(tasks_.size());
  tasks_.push_back(task);
  return plan_.add(chunk, after_, needs_, gives_);
}

void StagePlan::add_takes(const StageShape& shape, Role role, int step) {
  const auto r = static_cast<std::size_t>(role);
  for (int piece = 0; piece < shape.moves[r]->pieces(); ++piece) {
    needs_ = {first_arrival_[r] + piece};
    const int taken = add({.what = Task::What::take, .role = role, .number = piece}, {.step = step});
    after_.assign(1, taken);  // in the order of piece numbers
  }
}

void StagePlan::add_inputs(const StageShape& shape) {
  after_.clear();
  needs_.clear();
  gives_.clear();
  if (!shape.moves[inputs] && !shape.moves[gathers]) return;
  if (shape.fills) filled_ = add({.what = Task::What::fill}, {.step = shell_step});
  if (shape.moves[gathers]) add_takes(shape, gathers, shell_step);
  if (filled_ >= 0) after_.push_back(filled_);
  needs_.clear();
  if (shape.moves[inputs]) needs_ = {first_arrival_[inputs]};
  closed_ = add({.what = Task::What::close_inputs}, {.step = shell_step});
}

void StagePlan::add_box(const StageShape& shape, const Task& task, Chunk chunk, bool last) {
  const Box& box = task.box;
  gives_.clear();
  for (const Role role : {outputs, sums}) {
    const auto r = static_cast<std::size_t>(role);
    if (!shape.moves[r]) continue;
    for (int piece = 0; piece < shape.moves[r]->pieces(); ++piece) {
      const int number = first_piece_[r] + piece;
      char& given = given_[static_cast<std::size_t>(number)];
      const bool late = role == outputs && is_late(shape, piece);
      const bool may = chunk.step == shell_step || late;
      const Box source = shape.moves[r]->source(piece);
      const bool meets = may && !intersect(source, box).empty();
      // A piece without cells of this rank must be started too: it begins the round, before any arrival is
      // awaited.
      const bool opens = last && !given && !late && !(source.empty() && chunk.step == core_step);
      if (!meets && !opens) continue;
      gives_.push_back(number);
      given = 1;
    }
  }
  if (task.slab)
    gives_.push_back(plan_.add(Piece{.movement = slab_stream, .number = task.number, .at_once = true}));
  add(task, chunk);
}

/// Slots are available in program order: every slab depends on the previous one.
void StagePlan::add_slabs(const StageShape& shape) {
  const int count = static_cast<int>(shape.slabs.size());
  const auto gives = [&](int n) { return !shape.parts || shape.slabs[static_cast<std::size_t>(n)].gives; };
  int last_that_gives = -1;
  for (int n = 0; n < count; ++n)
    if (gives(n)) last_that_gives = n;
  // Unless slabs that send come first, nothing can be sent before all slabs have been computed: then all of
  // them are in the shell's step.
  const bool ends_first = !shape.parts || gives(0);
  for (int n = 0, before = -1; n < count; ++n) {
    const Slab& slab = shape.slabs[static_cast<std::size_t>(n)];
    const int step = gives(n) || !ends_first ? shell_step : core_step;
    needs_.assign(1, plan_.add(Arrival{slab_stream, n, step}));
    after_.clear();
    if (before >= 0) after_.push_back(before);
    if (slab.reads && closed_ >= 0) after_.push_back(closed_);
    if (slab.reads && closed_ >= 0 && shape.moves[inputs]) needs_.push_back(first_arrival_[inputs]);
    before = static_cast<int>(plan_.chunks().size());
    add_box(shape, {.what = Task::What::compute, .box = slab.box, .number = n, .slab = true}, {.step = step},
            n == (last_that_gives < 0 ? count - 1 : last_that_gives));
  }
}

void StagePlan::add_cells(const StageShape& shape) {
  const Cut& cut = shape.cut;
  after_.clear();
  needs_.clear();
  if (closed_ >= 0) after_ = {closed_};
  if (closed_ >= 0 && shape.moves[inputs]) needs_ = {first_arrival_[inputs]};
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
  const bool own = shape.moves[gathers] || shape.moves[sums];
  if (!own && !shape.moves[outputs]) return;
  gives_.clear();
  needs_.clear();
  after_.resize(plan_.chunks().size());
  for (std::size_t c = 0; c < after_.size(); ++c) after_[c] = static_cast<int>(c);
  if (shape.moves[sums]) add_takes(shape, sums, last_step);
  needs_.clear();
  if (shape.moves[outputs]) needs_ = {first_arrival_[outputs]};
  add({.what = Task::What::close_outputs}, {.step = last_step});
}

}  // namespace sc
