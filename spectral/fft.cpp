// SPDX-License-Identifier: Apache-2.0
// FFT: the pencils, and the order of lines and transposes.
#include "spectral/fft.hpp"

#include <algorithm>

#include "engine/base/align.hpp"
#include "engine/base/error.hpp"

namespace sc::spectral {

namespace {

/// If every rank gets lines, only one axis is divided: then one of the two transposes needs no messages.
std::array<int, 2> choose_process_grid(std::array<int, 2> wanted, int ranks, Int3 cells, Int3 modes) {
  auto [py, pz] = wanted;
  if (py == 0 && pz == 0) {
    for (py = 1; py < ranks; ++py) {
      pz = ranks / py;
      if (ranks % py == 0 && pz <= std::min(cells.z, modes.y) && py <= std::min(cells.y, modes.x)) break;
    }
    return {py, ranks / py};
  }
  if (py == 0 && pz > 0) py = ranks / pz;
  if (pz == 0 && py > 0) pz = ranks / py;
  if (py < 1 || pz < 1 || std::int64_t{py} * pz != ranks)
    refuse("process_grid is [" + std::to_string(wanted[0]) + ", " + std::to_string(wanted[1]) +
           "], which does not multiply to the " + std::to_string(ranks) + " ranks of this run");
  return {py, pz};
}

Int3 checked(Int3 cells) {
  if (std::min({cells.x, cells.y, cells.z}) < 1)
    refuse("cells is " + to_string(cells) + "; every axis needs at least 1 cell");
  return cells;
}

Int3 mode_cells(const std::array<Kept, 3>& kept) {
  return {kept[0].count(), kept[1].count(), kept[2].count()};
}

/// The number of slabs in which a block of so many bytes is transposed between `ranks` ranks. A slab and its
/// real cells stay in the L2 cache. Small blocks, too, have some slabs, of which one travels while the next
/// is computed, as long as a message, from one slab to another, is not too small to be worth its overhead.
int choose_slabs(std::int64_t block_bytes, int ranks) {
  constexpr std::int64_t slab_bytes = std::int64_t{2} << 20;
  constexpr int most = 32, enough_to_overlap = 4;
  auto slabs = static_cast<int>(std::min<std::int64_t>(most, block_bytes / slab_bytes + 1));
  if (ranks == 1) return slabs;
  const auto message = [&](int n) { return block_bytes / (std::int64_t{ranks} * n * n); };
  while (slabs < enough_to_overlap && message(slabs + 1) >= least_message) ++slabs;
  return slabs;
}

/// What a stage gives its slabs to; without a transpose the next stage uses them in place.
std::vector<Transpose*> by(const std::unique_ptr<Transpose>& transpose) {
  return transpose ? std::vector{transpose.get()} : std::vector<Transpose*>{};
}

}  // namespace

template <class T>
FFT<T>::FFT(Context& context, const FftOptions& options)
    : context_(context),
      cells_(checked(options.cells)),
      kept_{Kept{kept_real_modes(cells_.x, options.largest_mode.x), 0},
            kept_modes(cells_.y, options.largest_mode.y), kept_modes(cells_.z, options.largest_mode.z)},
      half_{kept_[0].count(), cells_.y, cells_.z},
      real_(context,
            {.cells = cells_,
             .halo = 0,
             .split =
                 {1, choose_process_grid(options.process_grid, context.size(), cells_, mode_cells(kept_))[0],
                  choose_process_grid(options.process_grid, context.size(), cells_, mode_cells(kept_))[1]}}),
      modes_(context,
             {.cells = mode_cells(kept_), .halo = 0, .split = {real_.split().y, real_.split().z, 1}}),
      piece_bytes_(options.piece_bytes),
      stages_(context, options.strategy) {
  make_plans(options.library);
  choose_chunks(options);
  if (context.size() > 1 && !options.pencils_later) make_storages();
  names_ = {context.timeline().name("fft x"), context.timeline().name("fft y"),
            context.timeline().name("fft z")};
  planes_name_ = context.timeline().name("fft planes");
  transpose_name_ = context.timeline().name("fft transpose");
}

template <class T>
FFT<T>::~FFT() = default;

template <class T>
void FFT<T>::make_plans(Library library) {
  along_x_ = make_real_lines<T>(library, cells_.x, kept_[0].count());
  along_y_ = make_lines<T>(library, cells_.y, kept_[1]);
  along_z_ = make_lines<T>(library, cells_.z, kept_[2]);
  work_bytes_ = std::max({along_x_->work_bytes(), along_y_->work_bytes(), along_z_->work_bytes()});
  work_bytes_ = round_up(work_bytes_, cache_line) + 5 * cache_line;
  const auto threads = static_cast<std::size_t>(context_.threads());
  work_.resize(work_bytes_ * threads + cache_line);
}

template <class T>
std::byte* FFT<T>::work(int thread) const {
  return on_cache_line(const_cast<std::byte*>(work_.data())) + work_bytes_ * static_cast<std::size_t>(thread);
}

template <class T>
void FFT<T>::make_storages() {
  const int py = real_.split().y, pz = real_.split().z;
  const auto pencils = [&](const char* name, Int3 cells, Int3 split) {
    const Grid grid(context_, {.cells = cells, .halo = 0, .split = split});
    return std::make_shared<Storage>(grid, name, element_type<C>(), 1, grid.arena());
  };
  x_ = pencils("x pencils", half_, {1, py, pz});
  y_ = py == 1 ? x_ : pencils("y pencils", half_, {py, 1, pz});
  z_ = pz == 1 ? y_ : pencils("z pencils", {half_.x, kept_[1].count(), half_.z}, {py, pz, 1});
  make_transposes();
}

template <class T>
void FFT<T>::place_pencils() {
  if (!x_) make_storages();
  const auto cells = [](const Storage& storage) {
    const Layout& layout = storage.grid().layout();
    return Cells<C>{reinterpret_cast<C*>(storage.base()), layout.sy, layout.sz};
  };
  at_x_ = cells(*x_);
  at_y_ = cells(*y_);
  at_z_ = cells(*z_);
}

template <class T>
std::unique_ptr<Transpose> FFT<T>::make(Storage& from, int a, int leaving, Storage& to, int b,
                                        int arriving) const {
  return std::make_unique<Transpose>(
      from, a, to, b,
      TransposeOptions{.leaving = leaving, .arriving = arriving, .piece_bytes = piece_bytes_});
}

template <class T>
void FFT<T>::choose_chunks(const FftOptions& options) {
  const Int3 split = real_.split();
  const auto largest = [&](int cells, int blocks) { return (cells + blocks - 1) / blocks; };
  const std::int64_t block = std::int64_t{kept_[0].count()} * largest(cells_.y, split.y) *
                             largest(cells_.z, split.z) * static_cast<std::int64_t>(sizeof(C));
  const int wanted = options.chunks > 0 ? options.chunks : choose_slabs(block, std::max(split.y, split.z));
  in_z_ = {2, std::min(wanted, largest(cells_.z, split.z))};
  in_y_ = {1, std::min(wanted, largest(kept_[1].count(), split.z))};
}

template <class T>
void FFT<T>::make_transposes() {
  if (x_ != y_) {
    xy_ = make(*x_, 0, in_z_.count, *y_, 1, in_z_.count);
    yx_ = make(*y_, 1, in_z_.count, *x_, 0, in_z_.count);
  }
  if (y_ != z_) {
    yz_ = make(*y_, 1, in_z_.count, *z_, 2, in_y_.count);
    zy_ = make(*z_, 2, in_y_.count, *y_, 1, in_z_.count);
  }
}

template <class T>
int FFT<T>::wavenumber(int axis, int index) const {
  const Kept& kept = kept_[static_cast<std::size_t>(axis)];
  if (kept.high > 0) return index < kept.low ? index : index - kept.count();
  const int n = cells_[axis];
  return axis > 0 && index > n / 2 ? index - n : index;
}

template <class T>
Box FFT<T>::slab_of(const Storage& storage, const Chunks& chunks, int chunk) const {
  return chunks.slab(storage.grid().own(), chunk);
}

template <class T>
void FFT<T>::settle(Storage& pencils) {
  const Scope scope(context_.timeline(), transpose_name_, Phase::settle);
  pencils.settle();
}

template <class T>
void FFT<T>::forward(Cells<const T> in, Cells<C> out) {
  place_pencils();
  settle(*x_);
  if (in_place()) at_x_ = at_y_ = at_z_ = out;
  run_forward([&](const Box& slab) { xy_ ? x_forward(in, slab) : xy_forward(in, slab); }, out, forward_);
}

template <class T>
TransformStage FFT<T>::z_forward(Cells<C> out) {
  return {in_y_.count, [this, out](int chunk) {
            along(2, Direction::forward, at_z_, out, in_y_.slab(modes_.own(), chunk));
          }};
}

/// `first` computes slabs of the pencils along x, or of those along y if they are the same.
template <class T>
void FFT<T>::run_forward(const SlabAction& first, Cells<C> out, TransformKind& kind) {
  const TransformStage x{in_z_.count, [&](int chunk) { first(slab_of(*x_, in_z_, chunk)); },
                         by(xy_ ? xy_ : yz_)};
  const TransformStage y{
      in_z_.count, [&](int chunk) { along(1, Direction::forward, at_y_, at_y_, slab_of(*y_, in_z_, chunk)); },
      by(yz_)};
  if (xy_)
    stages_.run(std::array{x, y, z_forward(out)}, kind);
  else
    stages_.run(std::array{x, z_forward(out)}, kind);
}

template <class T>
void FFT<T>::backward(Cells<const C> in, Cells<T> out) {
  backward(Cells<C>{const_cast<C*>(in.at), in.y, in.z}, out, Input::preserve);
}

template <class T>
void FFT<T>::backward(Cells<C> in, Cells<T> out, Input input) {
  place_pencils();
  settle(*z_);
  if (input == Input::destroy && in_place()) at_x_ = at_y_ = at_z_ = in;
  run_backward(
      in, [&](const Box& slab) { yx_ ? x_backward(out, slab) : yx_backward(out, slab); }, backward_);
}

/// `last` reads slabs of the pencils along x, or of those along y if they are the same.
template <class T>
void FFT<T>::run_backward(Cells<const C> in, const SlabAction& last, TransformKind& kind) {
  const TransformStage z{
      in_y_.count,
      [&](int chunk) { along(2, Direction::backward, in, at_z_, in_y_.slab(modes_.own(), chunk)); }, by(zy_)};
  const TransformStage y{
      in_z_.count,
      [&](int chunk) { along(1, Direction::backward, at_y_, at_y_, slab_of(*y_, in_z_, chunk)); }, by(yx_)};
  const TransformStage x{in_z_.count, [&](int chunk) { last(slab_of(*x_, in_z_, chunk)); }};
  if (yx_)
    stages_.run(std::array{z, y, x}, kind);
  else
    stages_.run(std::array{z, x}, kind);
}

template <class T>
void FFT<T>::check(const Storage& real, const Storage& modes) const {
  const auto fits = [](const Grid& a, const Grid& b) {
    return &a.context() == &b.context() && a.cells() == b.cells() && a.split() == b.split();
  };
  if (!fits(real.grid(), real_) || !fits(modes.grid(), modes_))
    refuse("\"" + real.name() + "\" and \"" + modes.name() +
           "\" do not lie on the grids of this transform: make them on its real_grid() and mode_grid()");
}

template <class T>
std::int64_t FFT<T>::bytes() const {
  return (xy_ ? xy_->bytes() : 0) + (yz_ ? yz_->bytes() : 0);
}

template class FFT<float>;
template class FFT<double>;

}  // namespace sc::spectral
