// SPDX-License-Identifier: Apache-2.0
// Sweep: a kernel over all own cells, with its declarations.
#pragma once

#include <utility>

#include "engine/exec/device_cells.hpp"
#include "engine/stage/declared_views.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

struct SweepOptions {
  Reduce reduce =
      Reduce::none;  ///< for what the kernel returns: a double, or std::array<double, K> for K values
  int colours = 1;   ///< 2, 4 or 8: the kernel updates in place, one colour after the other
  double flops = 0;  ///< floating-point operations a cell, for reports
};

inline namespace SC_COMPILED {

template <class Kernel, Declaration... Declared>
class Sweep final : public Stage {
 public:
  /// Number of values that the kernel returns for a reduction.
  static constexpr int values =
      detail::Values<Kernel, decltype(std::declval<const Declared&>().view())...>::count;

  /// All ranks call it in the same order; it does not communicate. Throws Error (bad_input) for invalid
  /// declarations: an output also read around its cell, a reach wider than the halo, outputs on different
  /// grids, a kernel that returns a value without a reduction, or a reduction without a value.
  Sweep(std::string name, Kernel kernel, SweepOptions options, Declared... declared)
      : Stage(std::move(name), {declared.access()...}, options.flops, options.colours,
              accumulators_of(options.reduce)),
        kernel_(kernel),
        views_(declared...),
        reduce_(options.reduce) {
    check_accesses();
    check_values();
    watch(views_.watch(*this));
  }
  /// Without options the kernel must return nothing.
  Sweep(std::string name, Kernel kernel, Declared... declared) requires(values == 0)
      : Sweep(std::move(name), kernel, SweepOptions{}, declared...) {}

  /// The values of the kernel's parameters for the next run.
  void set(const Kernel& kernel) { kernel_ = kernel; }

  void compute(const Box& box, int threads, std::span<Accumulator> into) override {
    compute(box, threads, into, std::index_sequence_for<Declared...>{});
  }
  Captured capture() const override { return capture(std::index_sequence_for<Declared...>{}); }
  bool runs_on_devices() const override { return true; }
  void collect() override {
    if (tally_) tally_->collect(accumulators());
  }

 private:
  template <std::size_t... n>
  void compute(const Box& box, int threads, std::span<Accumulator> into, std::index_sequence<n...>) {
    const RowTrial::Timing timing = this->time_rows(box, threads);
    const Frame frame{grid().layout(), grid().origin(), timing.order()};
    if (Device* device = this->device()) {
      if (!into.empty() && !tally_)
        tally_ = std::make_unique<DeviceTally>(device->shared_from_this(), static_cast<int>(into.size()));
      return device_cells(*device, stream(), box, lattice(), frame, into.empty() ? nullptr : tally_.get(),
                          reduce_, name().c_str(), kernel_, views_.template view<n>(place(n))...);
    }
    for_each(box, lattice(), frame, threads, into, kernel_, views_.template view<n>(place(n))...);
  }
  template <std::size_t... n>
  Captured capture(std::index_sequence<n...>) const {
    using Places = std::span<const Place>;
    Captured captured;
    captured.by_faces = InFluxes<Kernel>;
    captured.by_position =
        InFluxes<Kernel> ||
        std::is_invocable_v<const Kernel&, At, Index, decltype(std::declval<const Declared&>().view())...> ||
        std::is_invocable_v<const Kernel&, At, Index, const SideValues&,
                            decltype(std::declval<const Declared&>().view())...>;
    if (Device* device = this->device())
      captured.compute = [device, what = name(), kernel = kernel_, views = views_, layout = grid().layout(),
                          lattice = lattice()]([[maybe_unused]] Places places, const Box& box, Int3 origin,
                                               int, std::span<Accumulator>) {
        device_cells(*device, Stream::edge, box, lattice, Frame{layout, origin, {}}, nullptr, Reduce::none,
                     what.c_str(), kernel, views.template view<n>(places[n])...);
      };
    else
      captured.compute = [kernel = kernel_, views = views_, layout = grid().layout(), lattice = lattice()](
                             [[maybe_unused]] Places places, const Box& box, Int3 origin, int threads,
                             std::span<Accumulator> into) {
        for_each(box, lattice, Frame{layout, origin, {}}, threads, into, kernel,
                 views.template view<n>(places[n])...);
      };
    return captured;
  }

  void check_values() const {
    if constexpr (values > 0) {
      if (reduce_ == Reduce::none)
        refuse("stage \"" + name() +
               "\" has a kernel that returns a value and no SweepOptions::reduce to say what becomes of it; "
               "allowed there are sum, max and min");
    } else if (reduce_ != Reduce::none) {
      refuse("stage \"" + name() +
             "\" has a SweepOptions::reduce and a kernel that returns nothing to reduce");
    }
  }
  static std::vector<Accumulator> accumulators_of(Reduce reduce) {
    return std::vector<Accumulator>(reduce == Reduce::none ? 0 : static_cast<std::size_t>(values),
                                    Accumulator(reduce));
  }

  Kernel kernel_;
  DeclaredViews<Declared...> views_;
  Reduce reduce_;
  std::unique_ptr<DeviceTally> tally_;  // if the fields are on a device
};

}  // namespace SC_COMPILED
}  // namespace sc
