// SPDX-License-Identifier: Apache-2.0
// A kernel over the cells of a box on a device: for_each()'s counterpart, one place for each cell (with
// colours: for each pair of cells along x). The kernel, its parameters and its views are passed by value.
#pragma once

#include "engine/exec/cell_body.hpp"
#include "engine/exec/device_fluxes.hpp"
#include "engine/exec/for_each.hpp"
#include "engine/exec/launch.hpp"

namespace sc {

/// The values of a reduction on a device until collect().
class DeviceTally {
 public:
  /// Allocates memory for `values` values.
  DeviceTally(std::shared_ptr<Device> device, int values);
  /// A TallyOf<K> of that many values.
  void* memory() const { return memory_.get(); }
  template <int K>
  TallyOf<K>* of() const {
    return static_cast<TallyOf<K>*>(memory());
  }
  /// Waits for `core` and `edge`, adds their tallies to `into` and clears them.
  void collect(std::span<Accumulator> into);

 private:
  std::shared_ptr<Device> device_;
  std::size_t bytes_;
  Device::Memory memory_, copy_, empty_;
};

inline namespace SC_COMPILED {

#ifdef __CUDACC__
/// A flux kernel in columns of threads that pass fluxes on. Returns whether the device and the box suit that.
template <class Kernel, class... Views>
bool launch_fluxes(Device& device, Stream stream, const Box& box, const Frame& frame, const char* what,
                   const Kernel& kernel, const Views&... views) {
  using Columns = detail::FluxColumns<Kernel, Views...>;
  if (device.runs_on_host() || views_are_checked || !Columns::fits(box.extent())) return false;
  Columns columns{box, frame.origin, frame.layout.sy, frame.layout.sz, kernel, {views...}};
  cuda::check(detail::run_columns(device.native(stream), columns), what);
  return true;
}
#endif

/// `what` names the kernel in errors. Without a tally the values of the kernel are discarded.
template <class Kernel, class... Views>
void device_cells(Device& device, Stream stream, const Box& box, const Lattice& lattice, const Frame& frame,
                  DeviceTally* tally, Reduce reduce, const char* what, const Kernel& kernel,
                  const Views&... views) {
#ifdef __CUDACC__
  if constexpr (InFluxes<Kernel>)
    if (launch_fluxes(device, stream, box, frame, what, kernel, views...)) return;
#endif
  const Layout& layout = frame.layout;
  const detail::CellBody<detail::CellOf<Kernel>, Views...> body{box,       lattice,  frame.origin, layout.sy,
                                                                layout.sz, {kernel}, {views...}};
  constexpr int count = detail::Values<Kernel, Views...>::count;
  if constexpr (count > 0)
    if (tally) return launch(device, stream, body.extent(), body, what, reduce, tally->of<count>());
  launch(device, stream, body.extent(), body, what);
}

}  // namespace SC_COMPILED
}  // namespace sc
