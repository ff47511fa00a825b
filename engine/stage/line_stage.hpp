// SPDX-License-Identifier: Apache-2.0
// LineStage: an operator over whole lines along one axis (FFT, tridiagonal solve), with its declarations.
// Shell, core and progress calls divide it along the other axes only.
#pragma once

#include <utility>

#include "engine/exec/for_each_line.hpp"
#include "engine/stage/declared_views.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

struct LineOptions {
  int scratch = 0;   ///< arrays of doubles that the operator needs beside its lines, see Bundle::scratch
  double flops = 0;  ///< floating-point operations a cell, for reports
  /// For a LineSolve along z of fields in far memory: the memory of sums between its two passes. Stages may
  /// share it, because no other run comes in between; otherwise each has its own.
  std::shared_ptr<std::vector<double>> sums = nullptr;
};

inline namespace SC_COMPILED {

template <class Op, Declaration... Declared>
class LineStage final : public Stage {
 public:
  /// The operator's call operator takes (const Bundle&, views…) in the order of the declarations: LineIn and
  /// LineOut, with neighbouring lines side by side, or LineMemory, in place. All ranks call it in the same
  /// order; it does not communicate. Throws Error (bad_input) if the axis is divided between ranks, and for
  /// invalid declarations.
  LineStage(std::string name, int axis, Op op, LineOptions options, Declared... declared)
      : Stage(std::move(name), {declared.access()...}, options.flops),
        axis_(axis),
        scratch_(options.scratch),
        op_(op),
        views_(declared...) {
    check_writes();
    check_accesses();
    check_axis(axis_);
    check_whole_lines();
    for (const Access& a : accesses()) reach_ = std::max(reach_, a.reach.width);
    const LineGeometry whole = geometry(grid().own());
    std::size_t bytes = whole.bytes(scratch_, sizeof(double));
    ((bytes += whole.bytes(Declared::components, sizeof(typename Declared::element))), ...);
    memory_.resize(static_cast<std::size_t>(grid().context().threads()), std::vector<std::byte>(bytes + 64));
    watch(views_.watch(*this));
  }
  LineStage(std::string name, int axis, Op op, Declared... declared)
      : LineStage(std::move(name), axis, op, LineOptions{}, declared...) {}

  /// The values of the operator's parameters for the next run.
  void set(const Op& op) { op_ = op; }

  int whole_axis() const override { return axis_; }
  void compute(const Box& box, int threads, std::span<Accumulator> /*into*/) override {
    check_box(box);
    compute(box, threads, std::index_sequence_for<Declared...>{});
  }

 private:
  template <class D>
  using Array = LineArray<typename D::element, D::components, D::how != Mode::write, D::how != Mode::read>;

  template <std::size_t... n>
  void compute(const Box& box, int threads, std::index_sequence<n...>) {
    for_each_line(geometry(box), threads, scratch_, memory_, op_,
                  Array<Declared>{views_.template view<n>(place(n)), accesses()[n].reach.width}...);
  }

  LineGeometry geometry(const Box& box) const {
    std::size_t line = sizeof(double) * static_cast<std::size_t>(scratch_);
    ((line += sizeof(typename Declared::element) * Declared::components), ...);
    line *= static_cast<std::size_t>(grid().own().hi[axis_] + 2 * reach_);
    return {box, axis_, reach_, line, grid().layout(), grid().origin()};
  }

  int axis_;
  int scratch_;
  int reach_ = 0;
  Op op_;
  DeclaredViews<Declared...> views_;
  std::vector<std::vector<std::byte>> memory_;  // for each thread: scratch, and lines along x side by side
};

}  // namespace SC_COMPILED
}  // namespace sc
