// SPDX-License-Identifier: Apache-2.0
// Window: recording, and why a run cannot be recorded.
#include "engine/overlap/window.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sc {

namespace {

/// Why cells of a written field cannot be computed in tiles: what its conditions read is not there yet.
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

std::string refusal_of_field(const AnyField& field, const Storage& storage) {
  const std::string what = "field \"" + field.name() + "\" ";
  if (storage.far()) return what + "lies in files";
  if (storage.device()) return what + "lies on a device";
  return "";
}

}  // namespace

std::string Window::refusal(const Stage& stage) {
  const std::string what = "stage \"" + stage.name() + "\" ";
  if (const auto& values = const_cast<Stage&>(stage).accumulators(); !values.empty())
    return what + "reduces to a value";
  if (stage.colours() > 1) return what + "runs in colours";
  if (!stage.capture().compute) return what + "does not compute cell by cell";
  for (const Access& a : stage.accesses()) {
    if (a.across()) return what + "reads another grid";
    std::string why = refusal_of_field(*a.field, a.storage());
    if (why.empty() && a.mode != Mode::read) why = refusal_of_conditions(*a.field);
    if (!why.empty()) return why;
  }
  return "";
}

bool Window::has_neighbours(const Grid& grid) {
  for (int axis = 0; axis < 3; ++axis)
    if (grid.periodic()[axis] || grid.split()[axis] > 1) return true;
  return false;
}

RecordedArrays::RecordedArrays(const std::vector<Recorded>& runs) {
  for (const Recorded& run : runs) {
    std::vector<WindowAccess>& accesses = runs_.emplace_back();
    for (const Recorded::Use& use : run.uses) {
      const int number = number_of(use.storage.get());
      if (number == static_cast<int>(first_.size())) first_.push_back(&use);
      accesses.push_back({number, use.mode, use.reach.width});
    }
  }
}

void RecordedArrays::add(const std::vector<Access>& accesses) {
  std::vector<WindowAccess>& run = runs_.emplace_back();
  for (const Access& a : accesses) run.push_back({number_of(&a.storage()), a.mode, a.reach.width});
}

int RecordedArrays::number_of(const Storage* storage) {
  const auto found = std::find(storages_.begin(), storages_.end(), storage);
  const auto number = static_cast<int>(found - storages_.begin());
  if (found == storages_.end()) storages_.push_back(storage);
  return number;
}

int Window::steps() const {
  int steps = 0;
  for (std::size_t n = 0; n < runs_.size(); ++n) steps += n == 0 || runs_[n].step != runs_[n - 1].step;
  return steps;
}

bool Window::has_room_for(const Stage& stage) const {
  if (runs_.empty()) return true;
  const Grid& grid = stage.grid();
  if (!(grid == *grid_)) return false;
  RecordedArrays arrays(runs_);
  arrays.add(stage.accesses());
  return !has_neighbours(grid) || arrays.dependence().most_halo() <= grid.halo();
}

void Window::add(const Stage& stage, int step) {
  grid_ = stage.grid();
  Recorded run{step, stage.capture(), {}, {}, stage.bytes_per_cell(), stage.flops(), stage.watched()};
  for (const Access& a : stage.accesses()) {
    Storage& storage = a.storage();
    if (storage.in_flight() && storage.in_flight() != this) storage.in_flight()->finish();
    const Boundaries& boundaries = a.field->boundaries();
    run.uses.push_back({storage.shared_from_this(), &boundaries, boundaries, a.mode, a.reach});
    run.places.push_back(place_of(storage));
  }
  runs_.push_back(std::move(run));
  for (const Recorded& recorded : runs_)
    for (const Recorded::Use& use : recorded.uses) use.storage->set_in_flight(this);
}

std::vector<Recorded> Window::take_before(int step) {
  const auto first =
      std::find_if(runs_.begin(), runs_.end(), [&](const Recorded& r) { return r.step == step; });
  let_go();
  std::vector<Recorded> taken(std::make_move_iterator(runs_.begin()), std::make_move_iterator(first));
  runs_.erase(runs_.begin(), first);
  return taken;
}

std::vector<Recorded> Window::take() {
  let_go();
  return std::exchange(runs_, {});
}

void Window::let_go() {
  for (const Recorded& run : runs_)
    for (const Recorded::Use& use : run.uses)
      if (use.storage->in_flight() == this) use.storage->set_in_flight(nullptr);
}

}  // namespace sc
