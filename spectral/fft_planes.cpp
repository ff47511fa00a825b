// SPDX-License-Identifier: Apache-2.0
// FFT in two parts: across planes, with all communication, and within a plane, where a thread computes all
// lines while the plane is in its cache.
#include <array>
#include <cstring>

#include "engine/exec/team.hpp"
#include "engine/plan/rehearsal.hpp"
#include "spectral/fft.hpp"

namespace sc::spectral {

template <class T>
Int3 FFT<T>::plane_cells() const {
  const Int3 own = real_.own().extent();
  return {kept_[0].count(), whole_planes() ? kept_[1].count() : own.y, own.z};
}

template <class T>
void FFT<T>::copy_planes(Cells<const C> from, Cells<C> to, const Box& slab) {
  if (slab.empty()) return;
  const Int3 n = plane_cells();
  if (context_.rehearses()) {
    const std::int64_t planes = slab.extent().z;
    if (Rehearsal* rehearsal = context_.rehearsal())
      rehearsal->computed({"fft planes", 2.0 * sizeof(C)}, planes * n.y * n.x, planes * n.y);
    return;
  }
  const Scope scope(context_.timeline(), planes_name_, Phase::all);
  team(context_.threads(), [&](int) {
    const auto [first, last] = team_share(slab.extent().z);
    for (auto z = slab.lo.z + first; z < slab.lo.z + last; ++z)
      for (int y = 0; y < n.y; ++y)
        std::memcpy(to.at + z * to.z + y * to.y, from.at + z * from.z + y * from.y,
                    static_cast<std::size_t>(n.x) * sizeof(C));
  });
}

template <class T>
void FFT<T>::along_z(Direction direction, Sections from, Sections to) {
  const double before = context_.timeline().total_seconds();
  along(2, direction, from, to, modes_.own());
  context_.accounts()[Resource::messages].core_apart += context_.timeline().total_seconds() - before;
}

template <class T>
void FFT<T>::backward_across(Cells<const C> modes, Cells<C> planes) {
  if (context_.size() == 1)
    return along_z(Direction::backward, std::array{whole(2, modes, false)},
                   std::array{whole(2, planes, true)});
  place_pencils();
  settle(*z_);
  const Cells<C>& from = yx_ ? at_x_ : at_y_;
  run_backward(
      modes, [&](const Box& slab) { copy_planes(from, planes, slab); }, backward_across_);
}

template <class T>
void FFT<T>::forward_across(Cells<const C> planes, Cells<C> modes) {
  if (context_.size() == 1)
    return along_z(Direction::forward, std::array{whole(2, planes, true)},
                   std::array{whole(2, modes, false)});
  place_pencils();
  settle(*x_);
  if (!whole_planes())
    return run_forward([&](const Box& slab) { copy_planes(planes, at_x_, slab); }, modes, forward_across_);
  if (!planes_z_) planes_z_ = make(*y_, 1, 1, *z_, 2, in_y_.count);
  const TransformStage copy{1, [&](int) { copy_planes(planes, at_x_, x_->grid().own()); }, {planes_z_.get()}};
  stages_.run(std::array{copy, z_forward(modes)}, forward_across_);
}

template <class T>
std::size_t FFT<T>::rows_elements() const {
  const auto all = [](int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); };
  return whole_planes() ? all(kept_[0].count(), real_.own().extent().y) : 0;
}

template <class T>
Rows<std::complex<T>> FFT<T>::rows_of(Rows<C> plane, C* memory) const {
  return whole_planes() ? Rows<C>{memory, kept_[0].count()} : plane;
}

template <class T>
void FFT<T>::backward_columns(Rows<C> plane, Rows<C> rows, int thread) const {
  if (whole_planes()) along_y_->backward(plane.at, plane.y, rows.at, rows.y, kept_[0].count(), work(thread));
}

template <class T>
void FFT<T>::forward_columns(Rows<C> rows, Rows<C> plane, int thread) const {
  if (whole_planes()) along_y_->forward(rows.at, rows.y, plane.at, plane.y, kept_[0].count(), work(thread));
}

template <class T>
void FFT<T>::backward_bundle(Rows<C> rows, int first, int some, T* points, int thread) const {
  const T scale = T(1) / (T(cells_.x) * T(cells_.y) * T(cells_.z));
  along_x_->backward_bundle(rows.at + first * rows.y, rows.y, points, some, scale, work(thread));
}

template <class T>
void FFT<T>::forward_bundle(T* points, Rows<C> rows, int first, int some, int thread) const {
  along_x_->forward_bundle(points, rows.at + first * rows.y, rows.y, some, work(thread));
}

template <class T>
void FFT<T>::forward_rows(const T* points, std::ptrdiff_t points_y, Rows<C> rows, int thread) const {
  along_x_->forward(points, points_y, rows.at, rows.y, real_.own().hi.y, work(thread));
}

template class FFT<float>;
template class FFT<double>;

}  // namespace sc::spectral
