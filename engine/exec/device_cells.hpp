// SPDX-License-Identifier: Apache-2.0
// A kernel over the cells of a box on a device: for_each()'s counterpart, one thread a cell (of a colour: one
// a pair of cells along x). The kernel, its parameters and its views travel by value.
#pragma once

#include "engine/exec/for_each.hpp"
#include "engine/exec/launch.hpp"

namespace sc {

namespace detail {

template <class Kernel, class... Views>
struct CellBody {
  Box box;
  Lattice lattice;
  Frame frame;
  Kernel kernel;
  std::tuple<Views...> views;

  /// Places along x: cells, or those of them that one colour can have.
  Int3 extent() const {
    const Int3 n = box.extent();
    return {lattice.colours == 1 ? n.x : (n.x + 1) / 2, n.y, n.z};
  }
  /// Cell number `place`; x beyond the box where the row has no such cell.
  SC_FN Int3 cell(Int3 place) const {
    const Int3 first{box.lo.x, box.lo.y + place.y, box.lo.z + place.z};
    if (lattice.colours == 1) return {first.x + place.x, first.y, first.z};
    const Lattice::Run run =
        lattice.run(first.x + frame.origin.x, first.y + frame.origin.y, first.z + frame.origin.z);
    if (run.step == 0) return {box.hi.x, first.y, first.z};
    return {first.x + run.first + place.x * run.step, first.y, first.z};
  }
  SC_FN auto at(Int3 cell) const {
    const At c{frame.layout.offset(cell), frame.layout.sy, frame.layout.sz};
    const Index g{frame.origin.x + cell.x, frame.origin.y + cell.y, frame.origin.z + cell.z};
    return std::apply([&](const auto&... v) { return call(kernel, c, g, v...); }, views);
  }
  SC_FN void operator()(Int3 place) const {
    const Int3 c = cell(place);
    if (c.x < box.hi.x) at(c);
  }
  template <int K>
  SC_FN void operator()(Int3 place, TallyOf<K>& tally, Reduce reduce) const {
    const Int3 c = cell(place);
    if (c.x >= box.hi.x) return;
    const auto result = at(c);
    for (int k = 0; k < K; ++k) tally.add(k, reduce, Values<Kernel, Views...>::get(result, k));
  }
};

}  // namespace detail

/// The values of a reduction as a device keeps them until collect().
class DeviceTally {
 public:
  /// Room for `values` values.
  DeviceTally(std::shared_ptr<Device> device, int values);
  template <int K>
  TallyOf<K>* of() const {
    return reinterpret_cast<TallyOf<K>*>(memory_.get());
  }
  /// Waits for both lanes of the stage, adds what they have tallied to `into` and begins anew.
  void collect(std::span<Accumulator> into);

 private:
  std::shared_ptr<Device> device_;
  std::size_t bytes_;
  Device::Memory memory_, copy_, empty_;
};

inline namespace SC_COMPILED {

/// `what` names the kernel in errors. What the kernel returns is left where there is no tally.
template <class Kernel, class... Views>
void device_cells(Device& device, Lane lane, const Box& box, const Lattice& lattice, const Frame& frame,
                  DeviceTally* tally, Reduce reduce, const char* what, const Kernel& kernel,
                  const Views&... views) {
  const detail::CellBody<Kernel, Views...> body{box, lattice, frame, kernel, {views...}};
  constexpr int count = detail::Values<Kernel, Views...>::count;
  if constexpr (count > 0)
    if (tally) return launch_tallied(device, lane, body.extent(), body, reduce, tally->of<count>(), what);
  launch(device, lane, body.extent(), body, what);
}

}  // namespace SC_COMPILED
}  // namespace sc
