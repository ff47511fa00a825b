// SPDX-License-Identifier: Apache-2.0
// CompiledSweep: checked like a Sweep; a function of its library computes it.
#include "engine/stage/compiled_sweep.hpp"

namespace sc {

namespace {

std::vector<CellsAt> cells_at(std::span<const Place> places) {
  std::vector<CellsAt> cells;
  for (const Place& place : places) cells.push_back({place.base, place.component_stride});
  return cells;
}

}  // namespace

CompiledSweep::CompiledSweep(std::string name, CompiledRows rows, int values, SweepOptions options,
                             std::vector<Access> accesses)
    : Stage(std::move(name), std::move(accesses), options.flops, options.colours,
            std::vector<Accumulator>(static_cast<std::size_t>(values), Accumulator(options.reduce))),
      rows_(std::move(rows)),
      reduce_(options.reduce) {
  check_accesses();
}

void CompiledSweep::compute(const Box& box, int threads, std::span<Accumulator> into) {
  std::vector<Place> places;
  for (std::size_t n = 0; n < accesses().size(); ++n) places.push_back(place(n));
  const RowTrial::Timing timing = this->time_rows(box, threads);
  const Frame frame{grid().layout(), grid().origin(), timing.order()};
  if (Device* device = this->device()) {
    if (!into.empty() && !tally_)
      tally_ = std::make_unique<DeviceTally>(device->shared_from_this(), static_cast<int>(into.size()));
    return device_cells_compiled(*device, stream(), box, lattice(), frame,
                                 into.empty() ? nullptr : tally_.get(), reduce_, "stage \"" + name() + "\"",
                                 rows_, cells_at(places));
  }
  if (!rows_.function)
    refuse("stage \"" + name() + "\" was compiled for a device, and field \"" +
           accesses().front().field->name() + "\" is computed by the host");
  for_each_compiled(box, lattice(), frame, threads, into, rows_, cells_at(places));
}

Stage::Captured CompiledSweep::capture() const {
  if (Device* device = this->device())
    return {[device, what = "stage \"" + name() + "\"", rows = rows_, layout = grid().layout(),
             lattice = lattice()](std::span<const Place> places, const Box& box, Int3 origin, int,
                                  std::span<Accumulator>) {
              device_cells_compiled(*device, Stream::edge, box, lattice, {layout, origin, {}}, nullptr,
                                    Reduce::none, what, rows, cells_at(places));
            },
            rows_.by_position};
  return {[rows = rows_, layout = grid().layout(), lattice = lattice()](
              std::span<const Place> places, const Box& box, Int3 origin, int threads,
              std::span<Accumulator> into) {
            for_each_compiled(box, lattice, {layout, origin, {}}, threads, into, rows, cells_at(places));
          },
          rows_.by_position};
}

}  // namespace sc
