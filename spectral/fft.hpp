// SPDX-License-Identifier: Apache-2.0
// FFT: the real transform of a distributed three-dimensional field, by lines along x, y, z on pencils, with
// the transposes travelling under the lines.
//
//   forward:   modes(k) = sum over x of real(x) exp(-i k.x)
//   backward:  real(x) = 1 / (nx ny nz) sum over k of modes(k) exp(i k.x)
//
// with 0 <= kx, whose negative half is the conjugate. The bits depend on the cells, the kept modes, the
// library and the CPU the build is for; not on ranks, process grid, threads or chunks.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "engine/field/field.hpp"
#include "engine/move/transpose.hpp"
#include "spectral/lines.hpp"
#include "spectral/pass_run.hpp"

namespace sc::spectral {

struct FftOptions {
  Int3 cells;
  /// Ranks along the two cut axes of the pencils; 0: chosen. Real fields are cut along y and z.
  std::array<int, 2> process_grid = {0, 0};
  /// The largest |k| kept along each axis; negative: all. What is left out is neither stored nor transferred.
  Int3 largest_mode = {-1, -1, -1};
  Library library = Library::automatic;
  int chunks = 0;  ///< slabs in which a transpose travels; 0: chosen
  ChunkBytes piece_bytes = {};
  /// Whether transposes travel under lines or after them.
  Strategy strategy = Strategy::automatic;
};

/// Values with x contiguous, y and z some elements apart; own cell (0, 0, 0) at `at`.
template <class T>
struct Cells {
  T* at = nullptr;
  std::ptrdiff_t y = 0, z = 0;
  operator Cells<const T>() const requires(!std::is_const_v<T>) { return {at, y, z}; }
};

/// The same in a plane.
template <class T>
struct Rows {
  T* at = nullptr;
  std::ptrdiff_t y = 0;
};

/// Those of one component of a field.
template <class T, int N>
Cells<T> cells_of(Level<T, N> level, int component = 0) {
  const Layout& layout = level.storage().grid().layout();
  return {level.view().base + component * level.storage().component_stride(), layout.sy, layout.sz};
}

/// Whether a transform preserves the modes it is given. Where it may destroy them it works in them if that
/// saves an array: alone, with every mode kept.
enum class Input { preserve, destroy };

template <class T>
class FFT {
 public:
  using C = std::complex<T>;

  /// Collective. Throws Error (bad_input) for cells < 1, a process grid whose product is not the number of
  /// ranks, a library that this build does not have, or a strategy that divides threads.
  FFT(Context& context, const FftOptions& options);
  ~FFT();

  /// Where real fields and modes live: halo 0, blocks may be empty. Modes keep the order kx, ky, kz of
  /// memory.
  const Grid& real_grid() const { return real_; }
  const Grid& mode_grid() const { return modes_; }
  /// The wavenumber of a global position on the grid of modes; of n / 2 the positive one.
  int wavenumber(int axis, int index) const;
  /// The kept modes of an axis; for x those with kx >= 0.
  Kept kept(int axis) const { return kept_[static_cast<std::size_t>(axis)]; }

  /// Collective. `in` is not changed unless it is given away; own cells of real_grid() and of mode_grid(),
  /// wherever they lie.
  void forward(Cells<const T> in, Cells<C> out);
  void backward(Cells<const C> in, Cells<T> out);
  void backward(Cells<C> in, Cells<T> out, Input input);
  /// Every component of a field on such grids (its halo, if it has one, becomes stale).
  template <int N>
  void forward(Level<T, N> in, Level<C, N> out);
  template <int N>
  void backward(Level<C, N> in, Level<T, N> out, Input input = Input::preserve);

  // The transform in two parts, for those who work at the points plane by plane and never need
  // all of them at once (fft_planes.cpp). Between the parts lie complex planes normal to z, an array of
  // plane_cells(): across() has done what needs other planes (and, where ranks cut y, the lines along y), the
  // rest stays within one.

  /// kept kx, rows, own planes: rows are the kept ky where every rank has whole planes, own points otherwise.
  Int3 plane_cells() const;
  /// Collective. `modes` is not changed; `planes` is any memory of the caller's.
  void backward_across(Cells<const C> modes, Cells<C> planes);
  void forward_across(Cells<const C> planes, Cells<C> modes);
  // Within a plane, by thread number `thread` of the context's; different threads may do different planes at
  // a time. Lines along y of all kx lie in rows, own y of them; where ranks cut y the planes are such rows.
  std::size_t rows_elements() const;
  /// Where the rows of a plane go: to `memory`, or they are the plane itself.
  Rows<C> rows_of(Rows<C> plane, C* memory) const;
  void backward_columns(Rows<C> plane, Rows<C> rows, int thread) const;
  void forward_columns(Rows<C> rows, Rows<C> plane, int thread) const;
  /// Own rows first … first + some - 1 to and from points in the order of a bundle (RealLines).
  typename RealLines<T>::Bundle bundle() const { return along_x_->bundle(); }
  void backward_bundle(Rows<C> rows, int first, int some, T* points, int thread) const;
  void forward_bundle(T* points, Rows<C> rows, int first, int some, int thread) const;
  /// From all own points of a plane, rows `points_y` elements apart.
  void forward_rows(const T* points, std::ptrdiff_t points_y, Rows<C> rows, int thread) const;
  /// Bytes of memory that this transform keeps for itself on this rank, once used.
  std::int64_t memory() const;

  /// Collective: see Runner::begin_step().
  void begin_step() { passes_.begin_step(); }
  /// What `automatic` has chosen so far; null under another strategy.
  const Choice* choice() const { return passes_.choice(); }
  /// Bytes that leave this rank in one transform of one component, either way.
  std::int64_t bytes() const;
  /// The movements between the pencils, forward, then backward.
  std::vector<const Transpose*> transposes() const;

 private:
  void make_storages();
  /// Alone, pencils are made when a whole transform is first asked for.
  void place_pencils();
  /// The part of a plane that is copied between the caller's planes and the pencils that travel.
  void copy_planes(Cells<const C> from, Cells<C> to, const Box& slab);
  bool whole_planes() const { return real_.split().y == 1; }
  using SlabAction = std::function<void(const Box& slab)>;
  void run_forward(const SlabAction& first, Cells<C> out, PassKind& kind);
  void run_backward(Cells<const C> in, const SlabAction& last, PassKind& kind);
  /// Alone and with every mode kept, lines fit where the modes are, and one array less is touched.
  bool in_place() const { return context_.size() == 1 && modes_.cells() == half_; }
  void make_transposes(const FftOptions& options);
  void make_plans(Library library);
  std::byte* work(int thread) const;

  // fft_passes.cpp: lines along one axis, of a slab of own cells
  using Block = std::function<void(Int3 first, int lines, std::byte* work)>;
  void each_block(int axis, int width, const Box& slab, const Block& block);
  void rehearse_lines(int axis, const Box& slab) const;
  void x_forward(Cells<const T> in, const Box& slab);
  void x_backward(Cells<T> out, const Box& slab);
  enum class Direction { forward, backward };
  void along(int axis, Direction direction, Cells<const C> from, Cells<C> to, const Box& slab);  // y or z
  void xy_forward(Cells<const T> in, const Box& slab);
  void yx_backward(Cells<T> out, const Box& slab);

  void timed(std::uint16_t name, Phase phase, const std::function<void()>& action);
  Box slab_of(const Storage& storage, const Chunks& chunks, int chunk) const;
  void check(const Storage& real, const Storage& modes) const;
  template <int N, class From, class To, class Go>
  void each_component(const From& in, const To& out, Go&& go);

  Context& context_;
  Int3 cells_;
  std::array<Kept, 3> kept_;
  Int3 half_;  ///< kept kx, all points of y and z
  Grid real_, modes_;
  // Pencils along x, y and z; the same storage twice where the transpose between them would be a copy.
  std::shared_ptr<Storage> x_, y_, z_;
  Cells<C> at_x_, at_y_, at_z_;  ///< where the passes of this transform find them
  Chunks in_z_, in_y_;           ///< slabs of the passes along x and y, and of those along z
  std::unique_ptr<Transpose> xy_, yz_, zy_, yx_;
  std::unique_ptr<RealLines<T>> along_x_;
  std::unique_ptr<Lines<T>> along_y_, along_z_;
  std::size_t work_bytes_ = 0;
  std::vector<std::byte> work_;
  std::array<std::uint16_t, 3> names_{};
  std::uint16_t planes_name_ = 0;
  PassRun passes_;
  PassKind forward_{"fft forward"}, backward_{"fft backward"};
  PassKind forward_across_{"fft forward across planes"}, backward_across_{"fft backward across planes"};
};

template <class T>
template <int N, class From, class To, class Go>
void FFT<T>::each_component(const From& in, const To& out, Go&& go) {
  out.storage().settle();
  out.storage().set_fresh(point);
  const Layout& a = in.storage().grid().layout();
  const Layout& b = out.storage().grid().layout();
  for (int k = 0; k < N; ++k) {
    const auto from = in.view().base + k * in.storage().component_stride();
    const auto to = out.view().base + k * out.storage().component_stride();
    go(Cells<const typename From::element>{from, a.sy, a.sz}, Cells<typename To::element>{to, b.sy, b.sz});
  }
}

template <class T>
template <int N>
void FFT<T>::forward(Level<T, N> in, Level<C, N> out) {
  check(in.storage(), out.storage());
  each_component<N>(in, out, [&](auto from, auto to) { forward(from, to); });
}

template <class T>
template <int N>
void FFT<T>::backward(Level<C, N> in, Level<T, N> out, Input input) {
  check(out.storage(), in.storage());
  if (input == Input::destroy) in.storage().settle();
  each_component<N>(in, out, [&](auto from, auto to) {
    backward(Cells<C>{const_cast<C*>(from.at), from.y, from.z}, to, input);
  });
}

extern template class FFT<float>;
extern template class FFT<double>;

}  // namespace sc::spectral
