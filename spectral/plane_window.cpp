// SPDX-License-Identifier: Apache-2.0
// PlaneWindow: its pencils and planes, and the plan.
#include "spectral/plane_window.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace sc::spectral {

namespace {

/// Planes of a slab: every thread has one, and a message from one rank to another is worth its overhead.
int planes_of_slab(int threads, std::int64_t plane_bytes, int ranks) {
  constexpr std::int64_t least_message = 12288;
  const std::int64_t enough = (least_message * ranks + plane_bytes - 1) / plane_bytes;
  return static_cast<int>((enough + threads - 1) / threads) * threads;
}

}  // namespace

template <class T>
bool PlaneWindow<T>::possible(const FFT<T>& fft) {
  return fft.context_.size() > 1 && fft.whole_planes();
}

template <class T>
Cells<std::complex<T>> PlaneWindow<T>::cells(const Storage& storage) {
  const Layout& layout = storage.grid().layout();
  return {reinterpret_cast<C*>(storage.base()), layout.sy, layout.sz};
}

template <class T>
PlaneWindow<T>::PlaneWindow(FFT<T>& fft, int arrays, int back) : fft_(fft), back_(back) {
  Context& context = fft.context_;
  const int ranks = context.size();
  const Int3 kept{fft.kept(0).count(), fft.kept(1).count(), fft.cells_.z};
  const auto storage = [&](const std::string& name, Int3 split) {
    const Grid grid(context, {.cells = kept, .halo = 0, .split = split});
    return std::make_shared<Storage>(grid, name, element_type<C>(), 1, grid.arena());
  };
  const std::int64_t plane_bytes = std::int64_t{kept.x} * kept.y * static_cast<std::int64_t>(sizeof(C));
  const int planes = (kept.z + ranks - 1) / ranks;
  const int together = planes_of_slab(context.threads(), plane_bytes, ranks);
  slabs_ = {2, std::max(1, planes / together)};
  for (int k = 0; k < arrays; ++k) {
    const std::string number = std::to_string(k);
    Array& array = arrays_.emplace_back();
    array.lines = storage("lines " + number, {1, ranks, 1});
    array.planes = storage("planes " + number, {1, 1, ranks});
    array.there = fft.make(*array.lines, 2, 1, *array.planes, 1, slabs_.count);
    if (k < back) continue;
    array.lines_back = storage("lines back " + number, {1, ranks, 1});
    array.back = fft.make(*array.planes, 1, slabs_.count, *array.lines_back, 2, 1);
  }
}

template <class T>
Cells<std::complex<T>> PlaneWindow<T>::planes(int array) const {
  return cells(*arrays_[static_cast<std::size_t>(array)].planes);
}

template <class T>
void PlaneWindow<T>::lines(int array, Cells<const C> modes) {
  Storage& lines = *arrays_[static_cast<std::size_t>(array)].lines;
  fft_.settle(lines);
  fft_.along_z(FFT<T>::Direction::backward, modes, cells(lines));
}

template <class T>
void PlaneWindow<T>::run(const std::function<void(int lo, int hi)>& points,
                         const std::vector<Cells<C>>& out) {
  std::vector<Transpose*> there, back;
  for (const Array& array : arrays_) {
    there.push_back(array.there.get());
    if (array.back) back.push_back(array.back.get());
  }
  const Box own = arrays_.front().planes->grid().own();
  const Pass computed{1, [](int) {}, there};
  const Pass used{slabs_.count,
                  [&](int chunk) {
                    const Box slab = slabs_.slab(own, chunk);
                    if (!slab.empty()) points(slab.lo.z, slab.hi.z);
                  },
                  back};
  // The first line needs the last plane, so slabs of lines would gain nothing.
  const Pass lines{1, [&](int) {
                     for (std::size_t k = 0; k < out.size(); ++k)
                       fft_.along(2, FFT<T>::Direction::forward,
                                  cells(*arrays_[static_cast<std::size_t>(back_) + k].lines_back), out[k],
                                  fft_.modes_.own());
                   }};
  fft_.passes_.run(std::array{computed, used, lines}, kind_);
  for (const Array& array : arrays_) fft_.settle(*array.planes);  // the caller may overwrite them
}

template <class T>
std::int64_t PlaneWindow<T>::memory() const {
  std::int64_t sum = 0;
  for (const Array& array : arrays_)
    for (const auto& storage : {array.lines, array.lines_back})
      if (storage) sum += static_cast<std::int64_t>(storage->grid().layout().elements * sizeof(C));
  return sum;
}

template class PlaneWindow<float>;
template class PlaneWindow<double>;

}  // namespace sc::spectral
