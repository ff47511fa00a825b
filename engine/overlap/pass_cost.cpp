// SPDX-License-Identifier: Apache-2.0
// PassCost: elements by array, and the parcels of halos.
#include "engine/overlap/pass_cost.hpp"

#include <cstdio>
#include <map>

#include "engine/move/parcels/route.hpp"
#include "engine/stage/refresh.hpp"

namespace sc {

namespace {

double bytes_a_cell(const Storage& storage) {
  return static_cast<double>(size_of(storage.type())) * storage.components();
}

/// Adds what an exchange of these halos sends to others.
void add_sent(StepCost& cost, const Grid& grid, const std::vector<HaloItem>& items, const HaloOptions& halo) {
  if (items.empty()) return;
  for (const Parcel& parcel : halo_parcels(grid, items, halo).departures) {
    if (parcel.peer == grid.context().rank()) continue;
    cost.sent += static_cast<double>(parcel.bytes);
    cost.messages += 1;
  }
}

/// Every element of a run counts once for its read and once for its write; a halo is sent before the first
/// run that reads so far since its values were written.
StepCost of_singles(std::span<const Recorded> runs, const HaloOptions& halo) {
  StepCost cost;
  std::map<Storage*, Reach> fresh;
  for (const Recorded& run : runs) {
    StepCost of;
    std::vector<HaloItem> items;
    for (const Recorded::Use& use : run.uses) {
      Storage& storage = *use.storage;
      const auto cells = static_cast<double>(run.grid().own().cells()) * run.share;
      if (use.mode != Mode::write) of.read += bytes_a_cell(storage) * cells;
      if (use.mode != Mode::read) of.written += bytes_a_cell(storage) * cells;
      if (use.reach.width == 0 || fresh[&storage].covers(use.reach)) continue;
      items.push_back({&storage, received_for(use.conditions, use.reach)});
      fresh[&storage] = fresh[&storage] | use.reach;
    }
    add_sent(of, run.grid(), items, halo);
    for (const Recorded::Use& use : run.uses)
      if (use.mode != Mode::read) fresh[use.storage.get()] = point;
    if (run.step == runs.front().step) continue;  // may need halos of before
    cost.read += of.read;
    cost.written += of.written;
    cost.sent += of.sent;
    cost.messages += of.messages;
  }
  return cost;
}

StepCost of_pass(const RecordedArrays& arrays, const Grid& grid, const HaloOptions& halo) {
  StepCost cost;
  std::vector<HaloItem> items;
  const std::vector<Reach> inputs = arrays.inputs();
  for (std::size_t n = 0; n < inputs.size(); ++n) {
    const Recorded::Use& use = *arrays.first()[n];
    const RecordedArrays::MemoryUse memory = arrays.memory_use(static_cast<int>(n));
    const double bytes = bytes_a_cell(*use.storage) * static_cast<double>(grid.own().cells());
    cost.read += memory.read ? bytes : 0;
    cost.written += memory.written ? bytes : 0;
    const bool stays = !memory.written;  // its halo is sent once in a run
    if (inputs[n].width > 0 && !stays)
      items.push_back({use.storage.get(), received_for(use.conditions, inputs[n])});
  }
  add_sent(cost, grid, items, halo);
  return cost;
}

/// Of all cells that the runs compute, those beyond the block, divided by its own.
double beyond_of(std::span<const Recorded> runs, const std::vector<int>& beyond, const Grid& grid) {
  double more = 0, own = 0;
  for (std::size_t n = 0; n < runs.size(); ++n) {
    Box box = grid.own();
    own += static_cast<double>(box.cells()) * runs[n].share;
    for (int axis = 0; axis < 3; ++axis) {
      if (!grid.physical({axis, 0})) box.lo[axis] -= beyond[n];
      if (!grid.physical({axis, 1})) box.hi[axis] += beyond[n];
    }
    more += static_cast<double>(box.cells() - grid.own().cells()) * runs[n].share;
  }
  return own > 0 ? more / own : 0;
}

StepCost divided(StepCost cost, int steps) {
  return {cost.read / steps, cost.written / steps, cost.sent / steps, cost.messages / steps};
}

}  // namespace

std::string describe(const PassCost& cost) {
  const StepCost &p = cost.passes, &s = cost.singles;
  char text[320];
  std::snprintf(
      text, sizeof text,
      "passes of %d steps: in a step this rank reads %.3g MB and writes %.3g MB of its fields instead "
      "of %.3g MB and %.3g MB",
      cost.steps, 1e-6 * p.read, 1e-6 * p.written, 1e-6 * s.read, 1e-6 * s.written);
  std::string all = text;
  if (s.sent > 0) {
    std::snprintf(text, sizeof text, ", sends %.3g MB in %.3g messages instead of %.3g MB in %.3g",
                  1e-6 * p.sent, p.messages, 1e-6 * s.sent, s.messages);
    all += text;
  }
  std::snprintf(text, sizeof text, ", and computes %.0f %% more cells", 100 * cost.more);
  return all + text;
}

PassCost pass_cost(std::span<const Recorded> runs, const HaloOptions& halo) {
  const RecordedArrays arrays(runs);
  const Grid& grid = runs.front().grid();
  const int steps = runs.back().step - runs.front().step + 1;
  return {.steps = steps,
          .passes = divided(of_pass(arrays, grid, halo), steps),
          .singles = divided(of_singles(runs, halo), steps - 1),
          .more = beyond_of(runs, arrays.dependence().beyond, grid)};
}

}  // namespace sc
