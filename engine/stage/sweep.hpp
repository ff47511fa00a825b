// SPDX-License-Identifier: Apache-2.0
// Sweep: a kernel over all own cells, with its declarations.
#pragma once

#include <utility>

#include "engine/exec/device_cells.hpp"
#include "engine/stage/checked.hpp"
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
      : Stage(std::move(name), accumulators_of(options.reduce), options.colours, options.flops),
        kernel_(kernel),
        declared_(declared...),
        accesses_{declared.access()...} {
    for (const Access& a : accesses_)
      if (a.mode != Mode::read && !grid_) grid_ = &a.field->grid();
    if (!grid_ && !accesses_.empty()) grid_ = &accesses_.front().field->grid();
    if (!grid_) refuse("stage \"" + this->name() + "\" declares no field");
    check_accesses();
    check_values(options.reduce);
    reduce_ = options.reduce;
#ifdef SC_CHECKED
    watches_ = watches_of(*this);
    watch();
#endif
  }
  /// Without options the kernel must return nothing.
  Sweep(std::string name, Kernel kernel, Declared... declared) requires(values == 0)
      : Sweep(std::move(name), kernel, SweepOptions{}, declared...) {}

  /// The values of the kernel's parameters for the next run.
  void set(const Kernel& kernel) { kernel_ = kernel; }

  const Grid& grid() const override { return *grid_; }
  const std::vector<Access>& accesses() const override { return accesses_; }
  void compute(const Box& box, int threads, std::span<Accumulator> into) override {
    compute_in(places<sizeof...(Declared)>(), box, threads, into);
  }
  void compute_in(std::span<const Place> places, const Box& box, int threads,
                  std::span<Accumulator> into) override {
    compute_in(places, box, threads, into, std::index_sequence_for<Declared...>{});
  }
  Captured capture() const override { return capture(std::index_sequence_for<Declared...>{}); }
  bool runs_on_devices() const override { return true; }
  void collect() override {
    if (tally_) tally_->collect(accumulators());
  }

 private:
  template <std::size_t... n>
  void compute_in([[maybe_unused]] std::span<const Place> places, const Box& box, int threads,
                  std::span<Accumulator> into, std::index_sequence<n...>) {
    const RowTrial::Turn turn = this->turn(box, threads);
    const Frame frame{grid_->layout(), grid_->origin(), turn.order()};
    if (Device* device = this->device()) {
      if (!into.empty() && !tally_)
        tally_ = std::make_unique<DeviceTally>(device->shared_from_this(), static_cast<int>(into.size()));
      return device_cells(*device, stream(), box, lattice(), frame, into.empty() ? nullptr : tally_.get(),
                          reduce_, name().c_str(), kernel_, view<n>(places[n])...);
    }
    for_each(box, lattice(), frame, threads, into, kernel_, view<n>(places[n])...);
  }
  template <std::size_t n>
  auto view(Place place) const {
#ifdef SC_CHECKED
    return watched_view<n>(declared_, place, watches_);
#else
    return std::get<n>(declared_).view(place);
#endif
  }
#ifdef SC_CHECKED
  template <std::size_t n>
  static auto watched_view(const std::tuple<Declared...>& declared, Place place, const Watches& watches) {
    auto view = std::get<n>(declared).view(place);
    set_watch(view, &(*watches)[n]);
    return view;
  }
#endif
  template <std::size_t... n>
  Captured capture(std::index_sequence<n...>) const {
    if constexpr (values > 0) return {};  // summed when the stage has run
    using Places = std::span<const Place>;
#ifdef SC_CHECKED
    const auto views = [declared = declared_, watches = watches_]([[maybe_unused]] Places places) {
      return std::make_tuple(watched_view<n>(declared, places[n], watches)...);
    };
#else
    const auto views = [declared = declared_]([[maybe_unused]] Places places) {
      return std::make_tuple(std::get<n>(declared).view(places[n])...);
    };
#endif
    constexpr bool by_position =
        InFluxes<Kernel> ||
        std::is_invocable_v<const Kernel&, At, Index, decltype(std::declval<const Declared&>().view())...>;
    return {[kernel = kernel_, views, layout = grid_->layout(), lattice = lattice()](
                Places places, const Box& box, Int3 origin, int threads) {
              std::apply(
                  [&](const auto&... view) {
                    for_each(box, lattice, Frame{layout, origin, {}}, threads, {}, kernel, view...);
                  },
                  views(places));
            },
            by_position, InFluxes<Kernel>};
  }

  void check_values(Reduce reduce) const {
    if constexpr (values > 0) {
      if (reduce == Reduce::none)
        refuse("stage \"" + name() +
               "\" has a kernel that returns a value and no SweepOptions::reduce to say what becomes of it; "
               "allowed there are sum, max and min");
    } else if (reduce != Reduce::none) {
      refuse("stage \"" + name() +
             "\" has a SweepOptions::reduce and a kernel that returns nothing to reduce");
    }
  }
  static std::vector<Accumulator> accumulators_of(Reduce reduce) {
    return std::vector<Accumulator>(reduce == Reduce::none ? 0 : static_cast<std::size_t>(values),
                                    Accumulator(reduce));
  }

  Kernel kernel_;
  std::tuple<Declared...> declared_;
  std::vector<Access> accesses_;
  const Grid* grid_ = nullptr;
  Reduce reduce_ = Reduce::none;
  std::unique_ptr<DeviceTally> tally_;  // if the fields are on a device
#ifdef SC_CHECKED
  Watches watches_;  // one for each declaration
#endif
};

template <class Kernel, Declaration... Declared>
Sweep(const char*, Kernel, Declared...) -> Sweep<Kernel, Declared...>;
template <class Kernel, Declaration... Declared>
Sweep(const char*, Kernel, SweepOptions, Declared...) -> Sweep<Kernel, Declared...>;
template <class Kernel, Declaration... Declared>
Sweep(std::string, Kernel, Declared...) -> Sweep<Kernel, Declared...>;
template <class Kernel, Declaration... Declared>
Sweep(std::string, Kernel, SweepOptions, Declared...) -> Sweep<Kernel, Declared...>;

}  // namespace SC_COMPILED
}  // namespace sc
