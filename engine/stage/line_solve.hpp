// SPDX-License-Identifier: Apache-2.0
// LineSolve: tridiagonal systems along whole lines of an axis, which ranks may divide. An operator computes
// the right-hand sides and uses the solutions.
#pragma once

#include "engine/stage/line_stage.hpp"
#include "engine/stage/solved_lines.hpp"

namespace sc {

inline namespace SC_COMPILED {

/// An operator has
///   static constexpr int systems;  // right sides a line, all with the same matrix
///   void right(const Bundle&, (LineIn of each reads()…), LineOut<double, systems> r) const;
///   void finish(const Bundle&, (LineIn / LineOut of each declaration…), LineIn<double, systems> x) const;
///   static constexpr unsigned read(int n);  // if there: a bit for each component of declaration n, counted
///                                           // from 0, that it reads
/// right() sets every r of the bundle; it is called twice if ranks divide the lines. finish() sets every cell
/// of the outputs. Both get this rank's cells of the lines, and the halo at their ends within the reach.
template <class Op, Declaration... Declared>
class LineSolve final : public SolvedLines {
 public:
  static constexpr int systems = Op::systems;

  /// Collective. Throws Error (bad_input) if the grid is divided inside a block of the system (see
  /// LineSystem::cuts), and for invalid declarations.
  LineSolve(std::string name, int axis, std::shared_ptr<const LineSystem> system, Op op, LineOptions options,
            Declared... declared)
      : SolvedLines(std::move(name), axis, std::move(system), options.flops, {declared.access()...}),
        scratch_(options.scratch),
        op_(op),
        views_(declared...) {
    divide(systems, options.sums);
    std::size_t bytes = 0;
    for (const int count : counts()) bytes = std::max(bytes, bytes_for(count));
    memory_ = bundle_memory(grid(), bytes);
    watch(views_.watch(*this));
  }
  LineSolve(std::string name, int axis, std::shared_ptr<const LineSystem> system, Op op, Declared... declared)
      : LineSolve(std::move(name), axis, std::move(system), op, LineOptions{}, declared...) {}

  /// The values of the operator's parameters for the next run.
  void set(const Op& op) { op_ = op; }

  void compute(const Box& box, int threads, std::span<Accumulator> /*into*/) override {
    check_box(box);
    if (two_passes())
      solve_divided(box, threads);
    else if (divided())
      sum_parts(box, threads);
    else
      each_bundle(Whole{this}, everything(every{}), box, threads);
  }

 private:
  using every = std::index_sequence_for<Declared...>;
  using Solution = LineComponents<const double, systems>;
  using Right = LineComponents<double, systems>;

  void sum_parts(const Box& parts, int threads) override {
    each_bundle(Sum{this}, reading(every{}), parts, threads);
  }
  void solve_divided(const Box& lines, int threads) override {
    each_bundle(Solve{this}, everything(every{}), lines, threads);
  }

  /// Computes the right-hand sides into memory of the bundle.
  template <class... Lines>
  LinePart right_sides(const Bundle& b, Lines... lines) const {
    LinePart part = this->part(b);
    part.right = b.scratch_memory + scratch_ * b.scratch_size;
    std::apply([&](auto... reads) { set_right(op_, b, reads..., right(b)); },
               std::tuple_cat(if_read<Declared>(lines)...));
    return part;
  }
  template <class... Reads>
  [[gnu::noinline]] static void set_right(const Op& op, const Bundle& b, Reads... reads) {
    const Op own = op;  // a local copy, so the compiler knows that no store changes it
    own.right(b, reads...);
  }
  template <class... Lines>
  [[gnu::noinline]] static void set_outputs(const Op& op, const Bundle& b, Lines... lines) {
    const Op own = op;
    own.finish(b, lines...);
  }
  Right right(const Bundle& b) const {
    return {b.scratch_memory + scratch_ * b.scratch_size, b.scratch_along, b.scratch_size};
  }
  Solution solution(const Bundle& b) const {
    return {b.scratch_memory + scratch_ * b.scratch_size, b.scratch_along, b.scratch_size};
  }
  SumsOfLines sums(const Bundle& b) const {
    return {b.scratch_memory + (scratch_ + systems) * b.scratch_size, b.lines};
  }
  template <class D, class Lines>
  static auto if_read(Lines lines) {
    if constexpr (D::how == Mode::read)
      return std::tuple<Lines>(lines);
    else
      return std::tuple<>();
  }

  /// Lines that no rank divides: eliminated at once, while they are in the cache.
  struct Whole {
    const LineSolve* stage;
    template <class... Lines>
    void operator()(const Bundle& b, Lines... lines) const {
      LinePart part = stage->right_sides(b, lines...);
      const SumsOfLines sums = stage->sums(b);
      const int blocks = part.count;
      for (int n = 0; n < systems; ++n, part.right += b.scratch_size) {
        sum_blocks(part, sums, 0);
        solve_blocks(part, sums, [&](int k) { return (k + blocks) % blocks; });
      }
      set_outputs(stage->op_, b, lines..., stage->solution(b));
    }
  };
  /// Divided lines: first their sums …
  struct Sum {
    const LineSolve* stage;
    template <class... Lines>
    void operator()(const Bundle& b, Lines... lines) const {
      LinePart part = stage->part(b);
      part.right = stage->right(b).base;
      set_right(stage->op_, b, lines..., stage->right(b));
      const SumsOfLines sums = stage->sums(b);
      for (int n = 0; n < systems; ++n, part.right += b.scratch_size) {
        sum_blocks(part, sums, 0);
        stage->give(b, n, sums);
      }
    }
  };
  /// … then the rest, when the sums of other ranks have arrived.
  struct Solve {
    const LineSolve* stage;
    template <class... Lines>
    void operator()(const Bundle& b, Lines... lines) const {
      LinePart part = stage->right_sides(b, lines...);
      const SumsOfLines sums = stage->sums(b);
      const auto position = [&](int k) { return stage->window().at(k, stage->system()); };
      for (int n = 0; n < systems; ++n, part.right += b.scratch_size) {
        stage->fetch(b, n, sums);
        solve_blocks(part, sums, position);
      }
      set_outputs(stage->op_, b, lines..., stage->solution(b));
    }
  };

  template <std::size_t n, class D>
  LineArrayOf<D> array() const {
    LineArrayOf<D> array{views_.template view<n>(place(n)), accesses()[n].reach.width};
    if constexpr (requires { Op::read(0); }) array.read = Op::read(static_cast<int>(n));
    return array;
  }
  template <std::size_t... n>
  auto everything(std::index_sequence<n...>) const {
    return std::make_tuple(array<n, Declared>()...);
  }
  template <std::size_t... n>
  auto reading(std::index_sequence<n...>) const {
    return std::tuple_cat(if_read<Declared>(array<n, Declared>())...);
  }
  template <class Work, class Arrays>
  void each_bundle(const Work& work, const Arrays& arrays, const Box& box, int threads) {
    std::apply(
        [&](const auto&... array) {
          const LineGeometry g = geometry(box);
          for_each_line(g, threads, scratches(g.count()), memory_, work, array...);
        },
        arrays);
  }

  /// With right sides, and sums of the window, of lines that have so many cells in a box.
  int scratches(int count) const { return scratch_ + systems + (2 * window().count + count - 1) / count; }
  LineGeometry geometry(const Box& box) const {
    const int axis = whole_axis(), count = std::max(1, box.hi[axis] - box.lo[axis]);
    return geometry_of<Declared...>(*this, box, scratches(count));
  }
  std::size_t bytes_for(int count) const {
    Box box = grid().own();
    box.hi[whole_axis()] = count;
    return bytes_of<Declared...>(geometry(box), scratches(count));
  }

  int scratch_;
  Op op_;
  DeclaredViews<Declared...> views_;
  BundleMemory memory_;
};

}  // namespace SC_COMPILED
}  // namespace sc
