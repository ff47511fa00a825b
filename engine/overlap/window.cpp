// SPDX-License-Identifier: Apache-2.0
// Window: records runs, and says why a run cannot be recorded.
#include "engine/overlap/window.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/overlap/window_slabs.hpp"

namespace sc {

namespace {

/// The reason why cells of a written field cannot be computed in tiles: its conditions read values that a
/// tile may not have yet.
std::string refusal_of_conditions(const AnyField& field) {
  for (int side = 0; side < 6; ++side) {
    const Face face{side / 2, side % 2};
    const Boundary* condition = field.boundaries().get(face);
    if (!condition) continue;
    const std::string what =
        "the condition of field \"" + field.name() + "\" at " + face_name(face) + " reads ";
    if (condition->tangential() > 0) return what + "beside its column";
    if (condition->reads_others()) return what + "another field";
  }
  return "";
}

}  // namespace

std::string Window::refusal(const Stage& stage, bool takes_values) {
  const std::string what = "stage \"" + stage.name() + "\" ";
  if (!stage.accumulators().empty()) {
    if (!takes_values) return what + "reduces to a value";
    if (stage.device()) return what + "reduces to a value on a device";
  }
  if (!stage.capture().compute) return what + "does not compute cell by cell";
  for (const Access& a : stage.accesses()) {
    if (a.across()) return what + "reads another grid";
    if (a.mode == Mode::read) continue;
    if (const std::string why = refusal_of_conditions(*a.field); !why.empty()) return why;
  }
  return "";
}

bool Window::has_neighbours(const Grid& grid) {
  for (int axis = 0; axis < 3; ++axis)
    if (grid.periodic()[axis] || grid.split()[axis] > 1) return true;
  return false;
}

Recorded::Recorded(const Stage& from, int in_step)
    : step(in_step),
      stage(from.capture()),
      share(1.0 / from.colours()),
      bytes(from.bytes_per_cell()),
      flops(from.flops()),
      watched(from.watched()) {
  add(from.accesses());
}

Recorded::Recorded(std::span<const Access> levels, int in_step)
    : step(in_step), share(0), bytes(0), flops(0), watched(false) {
  stage.compute = [](auto&&...) {};
  add(levels);
}

void Recorded::add(std::span<const Access> accesses) {
  for (const Access& a : accesses) {
    Storage& storage = a.storage();
    const Boundaries& boundaries = a.field->boundaries();
    uses.push_back({storage.shared_from_this(), &boundaries, boundaries, a.mode, a.reach});
    places.push_back(place_of(storage));
  }
}

RecordedArrays::RecordedArrays(std::span<const Recorded> runs) {
  for (const Recorded& run : runs) add(run);
}

void RecordedArrays::add(const Recorded& run) {
  std::vector<WindowAccess>& accesses = runs_.emplace_back();
  for (const Recorded::Use& use : run.uses) {
    const int number = number_of(use.storage.get());
    if (number == static_cast<int>(first_.size())) {
      first_.push_back(&use);
      reach_.push_back(point);
    }
    Reach& reach = reach_[static_cast<std::size_t>(number)];
    reach = reach | use.reach;
    accesses.push_back({number, use.mode, use.reach.width});
    for (int side = 0; side < 6; ++side) {
      const Face face{side / 2, side % 2};
      if (run.grid().periodic()[face.axis]) continue;
      const Boundary* condition = use.conditions.get(face);
      margin_ = std::max({margin_, use.reach.width, condition ? condition->inward() : 0});
    }
  }
}

int RecordedArrays::number_of(const Storage* storage) const {
  const auto found =
      std::ranges::find_if(first_, [&](const Recorded::Use* use) { return use->storage.get() == storage; });
  return static_cast<int>(found - first_.begin());
}

std::vector<Reach> RecordedArrays::inputs() const {
  const std::vector<int> layers = dependence().halo;
  std::vector<Reach> inputs(layers.size(), point);
  for (std::size_t n = 0; n < layers.size(); ++n) {
    if (layers[n] == 0) continue;
    // Beside a neighbour, the dependences of later runs extend into edges and corners.
    const bool spreads = runs_.size() > 1 && Window::has_neighbours(first_[n]->storage->grid());
    inputs[n] = spreads ? reach_[n] | box(layers[n]) : reach_[n];
  }
  return inputs;
}

int RecordedArrays::reach() const {
  int most = 0;
  for (const Reach& reach : reach_) most = std::max(most, reach.width);
  return most;
}

RecordedArrays::MemoryUse RecordedArrays::memory_use(int array) const {
  MemoryUse use;
  for (const auto& run : runs_)
    for (const WindowAccess& a : run) {
      if (a.array != array) continue;
      if (a.mode != Mode::write && !use.written) use.read = true;
      if (a.mode != Mode::read) use.written = true;
    }
  return use;
}

int Window::steps() const {
  int steps = 0;
  const std::span<const Recorded> runs = open();
  for (std::size_t n = 0; n < runs.size(); ++n) steps += n == 0 || runs[n].step != runs[n - 1].step;
  return steps;
}

Window::Filled Window::filled(const Storage& storage) const {
  Filled f;
  for (const Recorded& run : open())
    for (const Recorded::Use& use : run.uses) {
      if (use.storage.get() != &storage) continue;
      if (!f.conditions || use.mode != Mode::read) f = {&use.conditions, point};
      if (use.mode == Mode::read) f.read = f.read | use.reach;
    }
  return f;
}

bool Window::holds(const Storage& storage, const Boundaries& conditions, Reach reach) const {
  const Filled f = filled(storage);
  return f.conditions && *f.conditions == conditions && f.read.covers(reach);
}

// A pass fills a halo with the conditions of the run that writes its values, or of the first one that uses
// them; single steps, with those of the first run that reads so far.
std::string Window::changed(const Recorded& more) const {
  for (const Recorded::Use& use : more.uses) {
    if (use.mode == Mode::write) continue;
    const Filled f = filled(*use.storage);
    if (f.conditions && !f.read.covers(use.reach) && *f.conditions != use.conditions)
      return "boundary conditions of \"" + use.storage->name() + "\" change";
  }
  return "";
}

std::string Window::shortage(std::span<const Recorded> more) const {
  const Grid& grid = more.front().grid();
  if (!open().empty() && !(grid == open().front().grid())) return "another grid begins";
  if (!open().empty() && more.front().device() != open().front().device())
    return "stages on the host and on a device follow each other";
  for (const Recorded& run : more)
    if (const std::string why = changed(run); !why.empty()) return why;
  RecordedArrays arrays(open());
  for (const Recorded& run : more) arrays.add(run);
  const bool several = open().size() + more.size() > 1 && has_neighbours(grid);
  if (several && arrays.dependence().most_halo() > grid.halo())
    return "the halo of " + std::to_string(grid.halo()) + " layers holds no more steps";
  return WindowSlabs::shortage(arrays);
}

void Window::add(Recorded run) {
  for (const Recorded::Use& use : run.uses)
    if (Pending* other = use.storage->in_flight(); other && other != this) other->finish();
  runs_.push_back(std::move(run));
  mark();
}

void Window::seal(int step, const std::string& why) {
  while (sealed_ < runs_.size() && runs_[sealed_].step < step) ++sealed_;
  why_ = why;
}

std::vector<Recorded> Window::take_sealed() {
  release();
  const auto first = runs_.begin(), last = first + static_cast<std::ptrdiff_t>(sealed_);
  std::vector<Recorded> taken(std::make_move_iterator(first), std::make_move_iterator(last));
  runs_.erase(first, last);
  sealed_ = 0;
  return taken;
}

std::vector<Recorded> Window::take() {
  release();
  return std::exchange(runs_, {});
}

void Window::mark() {
  for (const Recorded& recorded : runs_)
    for (const Recorded::Use& use : recorded.uses) use.storage->set_in_flight(this);
}

namespace {

/// Of a storage whose values were recorded and never computed.
struct Abandoned final : Pending {
  void finish() override {
    throw Error(
        Exit::failure,
        "the values of a field were recorded in a loop of several steps a pass that ended early and no "
        "longer exists; finish() in Python, or Runner::close_pass(), computes them before that");
  }
  bool computes() const override { return true; }
};

}  // namespace

Window::~Window() {
  static Abandoned abandoned;
  release();
  for (const Recorded& run : runs_)
    for (const Recorded::Use& use : run.uses)
      if (use.mode != Mode::read) use.storage->set_in_flight(&abandoned);
}

void Window::release() {
  for (const Recorded& run : runs_)
    for (const Recorded::Use& use : run.uses)
      if (use.storage->in_flight() == this) use.storage->set_in_flight(nullptr);
}

}  // namespace sc
