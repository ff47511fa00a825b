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

/// The lines of a box for a stage with these declarations and `scratches` arrays of doubles beside them.
template <Declaration... Declared>
LineGeometry geometry_of(const Stage& stage, const Box& box, int scratches) {
  int reach = 0;
  for (const Access& a : stage.accesses()) reach = std::max(reach, a.reach.width);
  const int axis = stage.whole_axis(), count = std::max(1, box.hi[axis] - box.lo[axis]);
  std::size_t line = sizeof(double) * static_cast<std::size_t>(scratches);
  ((line += sizeof(typename Declared::element) * Declared::components), ...);
  line *= static_cast<std::size_t>(count + 2 * reach);
  return {box, axis, reach, line, stage.grid().layout(), stage.grid().origin()};
}
/// The memory of a thread for a bundle of them.
template <Declaration... Declared>
std::size_t bytes_of(const LineGeometry& lines, int scratches) {
  std::size_t bytes = lines.bytes(scratches, sizeof(double));
  ((bytes += lines.bytes(Declared::components, sizeof(typename Declared::element))), ...);
  return bytes;
}
/// For each thread: scratch, and lines along x side by side.
using BundleMemory = std::vector<std::vector<std::byte>>;
inline BundleMemory bundle_memory(const Grid& grid, std::size_t bytes) {
  return BundleMemory(static_cast<std::size_t>(grid.context().threads()),
                      std::vector<std::byte>(bytes + cache_line));
}
template <Declaration D>
using LineArrayOf =
    LineArray<typename D::element, D::components, D::how != Mode::write, D::how != Mode::read>;

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
    memory_ = bundle_memory(grid(), bytes_of<Declared...>(geometry(grid().own()), scratch_));
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
  template <std::size_t... n>
  void compute(const Box& box, int threads, std::index_sequence<n...>) {
    for_each_line(geometry(box), threads, scratch_, memory_, op_,
                  LineArrayOf<Declared>{views_.template view<n>(place(n)), accesses()[n].reach.width}...);
  }

  LineGeometry geometry(const Box& box) const { return geometry_of<Declared...>(*this, box, scratch_); }

  int axis_;
  int scratch_;
  Op op_;
  DeclaredViews<Declared...> views_;
  BundleMemory memory_;
};

}  // namespace SC_COMPILED
}  // namespace sc
