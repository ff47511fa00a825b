// SPDX-License-Identifier: Apache-2.0
// Pipeline: its pencils and planes, and the plan.
#include "spectral/pipeline.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "engine/base/align.hpp"
#include "engine/base/error.hpp"

namespace sc::spectral {

namespace {

/// Planes of a slab: every thread has one, and a message from one rank to another is worth its overhead.
int planes_of_slab(int threads, std::int64_t plane_bytes, int ranks) {
  const std::int64_t enough = (least_message * ranks + plane_bytes - 1) / plane_bytes;
  return static_cast<int>((enough + threads - 1) / threads) * threads;
}

/// Elements between rows: whole cache lines, unless messages would grow by more than 5 per cent.
int row_of(int elements, std::size_t bytes) {
  const int row = round_up(elements, static_cast<int>(cache_line / bytes));
  return 20 * row > 21 * elements ? elements : row;
}

bool arrives(Mode mode) { return mode != Mode::write; }
bool travels_back(Mode mode) { return mode != Mode::read; }

}  // namespace

template <class T>
bool Pipeline<T>::possible(const FFT<T>& fft) {
  return fft.context_.size() > 1 && fft.whole_planes();
}

template <class T>
Pipeline<T>::Pipeline(FFT<T>& fft, int count, const std::vector<Use>& uses)
    : Planes(count), fft_(fft), arrays_(static_cast<std::size_t>(count)) {
  Context& context = fft.context_;
  const int ranks = context.size();
  const Int3 kept{fft.kept(0).count(), fft.kept(1).count(), fft.cells_.z};
  const auto storage = [&](const std::string& name, Int3 split) {
    const Grid grid(context, {.cells = kept, .halo = 0, .split = split});
    return std::make_shared<Storage>(grid, name, element_type<C>(), 1, grid.arena());
  };
  const std::int64_t plane_bytes = std::int64_t{kept.x} * kept.y * static_cast<std::int64_t>(sizeof(C));
  const int planes = (kept.z + ranks - 1) / ranks;
  row_ = row_of(kept.x, sizeof(C));
  slabs_ = {2, std::max(1, planes / planes_of_slab(context.threads(), plane_bytes, ranks))};
  for (int k = 0; k < count; ++k) at(k).planes = storage("planes " + std::to_string(k), {1, 1, ranks});
  for (const Use& use : uses) {
    const std::string number = std::to_string(use.array);
    Array& array = at(use.array);
    if (arrives(use.mode)) {
      array.lines = storage("lines " + number, {1, ranks, 1});
      array.there = transpose(*array.lines, *array.planes, true);
    }
    if (travels_back(use.mode)) {
      array.lines_back = storage("lines back " + number, {1, ranks, 1});
      array.back = transpose(*array.planes, *array.lines_back, false);
    }
  }
}

template <class T>
std::unique_ptr<Transpose> Pipeline<T>::transpose(Storage& from, Storage& to, bool there) const {
  return std::make_unique<Transpose>(from, there ? 2 : 1, to, there ? 1 : 2,
                                     TransposeOptions{.leaving = there ? 1 : slabs_.count,
                                                      .arriving = there ? slabs_.count : 1,
                                                      .piece_bytes = fft_.piece_bytes_,
                                                      .slab_major_row = row_});
}

template <class T>
Cells<std::complex<T>> Pipeline<T>::slab_of(const Storage& storage, int lo, int hi) const {
  const Int3 n = storage.grid().own().extent();
  const std::ptrdiff_t row = row_, plane = row * n.y;
  C* at = reinterpret_cast<C*>(storage.base()) + plane * lo;
  return {at, row * (hi - lo), hi - lo == 1 ? plane : row};  // of a single plane: to the next slab
}

template <class T>
std::vector<Section<std::complex<T>>> Pipeline<T>::sections(const Storage& planes,
                                                            const Storage& lines) const {
  std::vector<Section<C>> all;
  const Grid& grid = planes.grid();
  const int here = grid.context().rank(), first = lines.grid().origin().y;
  for (int rank = 0; rank < grid.context().size(); ++rank)
    for (int n = 0; n < slabs_.count; ++n) {
      const Box whole = grid.box_of(rank), slab = slabs_.slab(whole, n);
      if (slab.empty()) continue;
      Cells<C> cells = slab_of(lines, slab.lo.z, slab.hi.z);
      if (rank == here) {
        cells = slab_of(planes, slab.lo.z - whole.lo.z, slab.hi.z - whole.lo.z);
        cells.at += first * cells.y;
      }
      const int count = slab.extent().z;
      const bool goes_on = !all.empty() && count == 1 && all.back().cells.y == cells.y &&
                           all.back().cells.z == cells.z &&
                           all.back().cells.at + all.back().count * cells.z == cells.at;
      if (goes_on)
        ++all.back().count;  // slabs of single planes are one stretch
      else
        all.push_back({cells, count});
    }
  return all;
}

template <class T>
void Pipeline<T>::announce(const std::vector<Use>& uses) {
  std::vector<Transpose*> there, back;
  arriving_.clear();
  filled_ = 0;
  for (const Use& use : uses) {
    Array& array = at(use.array);
    fft_.settle(*array.planes);
    if (arrives(use.mode)) {
      arriving_.push_back(use.array);
      there.push_back(array.there.get());
    }
    if (travels_back(use.mode)) back.push_back(array.back.get());
  }
  stages_.clear();
  if (!there.empty())
    stages_.push_back({static_cast<int>(there.size()), [this](int) { fill_(); }, there, true});
  stages_.push_back({slabs_.count, [this](int slab) { use(slab); }, back});
  // The first line needs the last plane, so that lines in this plan would gain nothing: from_planes()
  // computes them.
  if (!back.empty()) stages_.push_back({1, [](int) {}});
  fft_.stages_.begin(stages_, back.empty() ? there_ : there.empty() ? back_ : both_);
}

template <class T>
void Pipeline<T>::to_planes(int array, Cells<const C> modes) {
  if (filled_ >= arriving_.size() || arriving_[filled_] != array)
    throw Error(Exit::failure, "array " + std::to_string(array) + " of planes is not expected now");
  ++filled_;
  const Array& a = at(array);
  fft_.settle(*a.lines);
  fill_ = [&] {
    fft_.along(2, FFT<T>::Direction::backward, std::array{fft_.whole(2, modes, false)},
               sections(*a.planes, *a.lines), fft_.modes_.own());
  };
  fft_.stages_.advance();
}

template <class T>
void Pipeline<T>::from_planes(int array, Cells<C> modes) {
  const Array& a = at(array);
  fft_.along_z(FFT<T>::Direction::forward, sections(*a.planes, *a.lines_back),
               std::array{fft_.whole(2, modes, false)});
}

template <class T>
void Pipeline<T>::each_slab(const std::vector<Use>& uses, const SlabAction& action) {
  if (stages_.empty()) announce(uses);
  if (filled_ < arriving_.size())
    throw Error(Exit::failure, "array " + std::to_string(arriving_[filled_]) + " of planes is not filled");
  action_ = &action;
  fft_.stages_.finish();
  stages_.clear();
}

template <class T>
void Pipeline<T>::use(int chunk) {
  const Box slab = slabs_.slab(arrays_.front().planes->grid().own(), chunk);
  if (slab.empty()) return;
  for (std::size_t k = 0; k < arrays_.size(); ++k) {
    const Cells<C> cells = slab_of(*arrays_[k].planes, slab.lo.z, slab.hi.z);
    constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(C));
    planes_[k] = {reinterpret_cast<std::byte*>(cells.at - slab.lo.z * cells.z), cells.y * size,
                  cells.z * size};
  }
  (*action_)({slab.lo.z, slab.hi.z, planes_});
}

template <class T>
std::int64_t Pipeline<T>::memory() const {
  std::int64_t sum = 0;
  for (const Array& array : arrays_)
    for (const auto& storage : {array.lines, array.lines_back})
      if (storage) sum += static_cast<std::int64_t>(storage->grid().layout().elements * sizeof(C));
  return sum;
}

template class Pipeline<float>;
template class Pipeline<double>;

}  // namespace sc::spectral
