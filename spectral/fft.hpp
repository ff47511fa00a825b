// SPDX-License-Identifier: Apache-2.0
// FFT: the real transform of a distributed three-dimensional field, by lines along x, y, z on pencils;
// transposes overlap with the computation of lines.
//
//   forward:   modes(k) = sum over x of real(x) exp(-i k.x)
//   backward:  real(x) = 1 / (nx ny nz) sum over k of modes(k) exp(i k.x)
//
// with 0 <= kx; modes with negative kx are the conjugates. The bits depend on the cells, the kept modes, the
// library and the processor type of the build. They do not depend on ranks, process grid, threads or chunks.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/field/field.hpp"
#include "engine/move/transpose.hpp"
#include "spectral/lines.hpp"
#include "spectral/transform_run.hpp"

namespace sc::spectral {

/// Bytes of a message that are worth its overhead.
constexpr std::int64_t least_message = 12288;

struct FftOptions {
  Int3 cells;
  /// Number of ranks along the two divided axes of the pencils; 0: chosen. Real fields are divided along y
  /// and z.
  std::array<int, 2> process_grid = {0, 0};
  /// The largest |k| kept along each axis; negative: all. Other modes are neither stored nor transferred.
  Int3 largest_mode = {-1, -1, -1};
  Library library = Library::automatic;
  int chunks = 0;  ///< slabs of a transpose; 0: chosen
  ChunkBytes piece_bytes = {};
  /// Pencils are allocated by the first transform; on a single rank they always are.
  bool pencils_later = false;
  /// How transposes overlap with the computation of lines.
  Strategy strategy = Strategy::automatic;
};

/// Values with x contiguous; y and z are strides in elements; own cell (0, 0, 0) is at `at`.
template <class T>
struct Cells {
  T* at = nullptr;
  std::ptrdiff_t y = 0, z = 0;
  operator Cells<const T>() const requires(!std::is_const_v<T>) { return {at, y, z}; }
};

/// The same for some cells of an axis, from the first of them.
template <class T>
struct Section {
  Cells<T> cells;
  int count = 0;
};

/// Cells in a plane.
template <class T>
struct Rows {
  T* at = nullptr;
  std::ptrdiff_t y = 0;
};

/// The cells of one component of a field.
template <class T, int N>
Cells<T> cells_of(Level<T, N> level, int component = 0) {
  const Layout& layout = level.storage().grid().layout();
  return {level.view().base + component * level.storage().component_stride(), layout.sy, layout.sz};
}

/// Whether a transform preserves its input modes. With `destroy` it may use their memory, which saves an
/// array on a single rank if all modes are kept.
enum class Input { preserve, destroy };

template <class T>
class Pipeline;

template <class T>
class FFT {
 public:
  using C = std::complex<T>;

  /// Collective. Throws Error (bad_input) for cells < 1, a process grid whose product is not the number of
  /// ranks, a library that is not in this build, or a strategy that divides threads.
  FFT(Context& context, const FftOptions& options);
  ~FFT();

  /// The grids of real fields and of modes: halo 0, blocks may be empty. Modes have the memory order kx, ky,
  /// kz.
  const Grid& real_grid() const { return real_; }
  const Grid& mode_grid() const { return modes_; }
  /// The wavenumber of a global index on the grid of modes; n / 2 is positive.
  int wavenumber(int axis, int index) const;
  /// The kept modes of an axis; for x only kx >= 0.
  Kept kept(int axis) const { return kept_[static_cast<std::size_t>(axis)]; }

  /// Collective. Own cells of real_grid() and of mode_grid(), at any address. `in` is preserved, unless
  /// Input::destroy is passed.
  void forward(Cells<const T> in, Cells<C> out);
  void backward(Cells<const C> in, Cells<T> out);
  void backward(Cells<C> in, Cells<T> out, Input input);
  /// All components of a field on these grids; its halo, if any, becomes stale.
  template <int N>
  void forward(Level<T, N> in, Level<C, N> out);
  template <int N>
  void backward(Level<C, N> in, Level<T, N> out, Input input = Input::preserve);

  // The transform in two parts, for computations at the points that need one plane at a time
  // (fft_planes.cpp). Between the parts are complex planes normal to z, an array of plane_cells(). The part
  // "across" includes all communication (and, if ranks divide y, the lines along y); the other part needs one
  // plane only.

  /// Kept kx, rows, own planes. Rows are the kept ky if every rank has whole planes, own points otherwise.
  Int3 plane_cells() const;
  /// Collective. `modes` is preserved; `planes` is any memory of the caller.
  void backward_across(Cells<const C> modes, Cells<C> planes);
  void forward_across(Cells<const C> planes, Cells<C> modes);
  // Within a plane, called by thread `thread` of the context; threads may compute different planes
  // concurrently. Rows hold the lines along y of all kx, own y of them; if ranks divide y, the planes already
  // are such rows.
  std::size_t rows_elements() const;
  /// The rows of a plane: in `memory`, or the plane itself.
  Rows<C> rows_of(Rows<C> plane, C* memory) const;
  void backward_columns(Rows<C> plane, Rows<C> rows, int thread) const;
  void forward_columns(Rows<C> rows, Rows<C> plane, int thread) const;
  /// Own rows first … first + some - 1, to and from points in the order of a bundle (RealLines).
  typename RealLines<T>::Bundle bundle() const { return along_x_->bundle(); }
  void backward_bundle(Rows<C> rows, int first, int some, T* points, int thread) const;
  void forward_bundle(T* points, Rows<C> rows, int first, int some, int thread) const;
  /// From all own points of a plane; rows are `points_y` elements apart.
  void forward_rows(const T* points, std::ptrdiff_t points_y, Rows<C> rows, int thread) const;

  /// Collective: see Runner::begin_step().
  void begin_step() { stages_.begin_step(); }
  /// The choice of `automatic` so far; null under another strategy.
  const Choice* choice() const { return stages_.choice(); }
  /// Bytes that this rank sends in one transform of one component, in either direction.
  std::int64_t bytes() const;

 private:
  void make_storages();
  void choose_chunks(const FftOptions& options);
  /// On a single rank, pencils are allocated by the first whole transform.
  void place_pencils();
  /// Copies a part of a plane between the caller's planes and the pencils of the transposes.
  void copy_planes(Cells<const C> from, Cells<C> to, const Box& slab);
  bool whole_planes() const { return real_.split().y == 1; }
  using SlabAction = std::function<void(const Box& slab)>;
  /// The last stage of every forward transform: lines along z.
  TransformStage z_forward(Cells<C> out);
  void run_forward(const SlabAction& first, Cells<C> out, TransformKind& kind);
  void run_backward(Cells<const C> in, const SlabAction& last, TransformKind& kind);
  /// On a single rank with all modes kept, lines are computed in the array of modes, which saves an array.
  bool in_place() const { return context_.size() == 1 && modes_.cells() == half_; }
  void make_transposes();
  std::unique_ptr<Transpose> make(Storage& from, int a, int leaving, Storage& to, int b, int arriving) const;
  void make_plans(Library library);
  std::byte* work(int thread) const;

  enum class Direction { forward, backward };
  /// Lines of all cells along z, section by section; no movement overlaps with them.
  using Sections = std::span<const Section<C>>;
  void along_z(Direction direction, Sections from, Sections to);
  // fft_lines.cpp: the lines of a slab of own cells along one axis.
  using Block = std::function<void(Int3 first, int lines, std::byte* work)>;
  void each_block(int axis, int width, const Box& slab, const Block& block);
  void rehearse_lines(int axis, const Box& slab) const;
  void x_forward(Cells<const T> in, const Box& slab);
  void x_backward(Cells<T> out, const Box& slab);
  void along(int axis, Direction direction, Cells<const C> from, Cells<C> to, const Box& slab);  // y or z
  void along(int axis, Direction direction, Sections from, Sections to, const Box& slab);
  /// All cells of lines along an axis, before or after their transform.
  Section<C> whole(int axis, Cells<const C> cells, bool points) const {
    return {{const_cast<C*>(cells.at), cells.y, cells.z},
            points ? cells_[axis] : kept_[static_cast<std::size_t>(axis)].count()};
  }
  void xy_forward(Cells<const T> in, const Box& slab);
  void yx_backward(Cells<T> out, const Box& slab);

  /// Waits until peers have read there what the last transform has left to them.
  void settle(Storage& pencils);
  Box slab_of(const Storage& storage, const Chunks& chunks, int chunk) const;
  void check(const Storage& real, const Storage& modes) const;
  template <int N, class From, class To, class Go>
  void each_component(const From& in, const To& out, Go&& go);

  friend class Pipeline<T>;

  Context& context_;
  Int3 cells_;
  std::array<Kept, 3> kept_;
  Int3 half_;  ///< kept kx, all points of y and z
  Grid real_, modes_;
  // Pencils along x, y and z; adjacent ones share a storage if the transpose between them would be a copy.
  std::shared_ptr<Storage> x_, y_, z_;
  Cells<C> at_x_, at_y_, at_z_;  ///< their cells in this transform
  Chunks in_z_, in_y_;           ///< slabs for lines along x and y, and for lines along z
  std::unique_ptr<Transpose> xy_, yz_, zy_, yx_;
  /// From computed planes that no rank divides, in the order in which their receivers compute lines along z.
  /// Made by the first forward_across().
  std::unique_ptr<Transpose> planes_z_;
  ChunkBytes piece_bytes_;
  std::unique_ptr<RealLines<T>> along_x_;
  std::unique_ptr<Lines<T>> along_y_, along_z_;
  std::size_t work_bytes_ = 0;
  std::vector<std::byte> work_;
  std::array<std::uint16_t, 3> names_{};
  std::uint16_t planes_name_ = 0, transpose_name_ = 0;
  TransformRun stages_;
  TransformKind forward_{"fft forward"}, backward_{"fft backward"};
  TransformKind forward_across_{"fft forward across planes"}, backward_across_{"fft backward across planes"};
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
