// SPDX-License-Identifier: Apache-2.0
// FFT, within a stage: the 1-D transforms of all lines of a slab along one axis, divided among the threads.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/exec/team.hpp"
#include "engine/plan/rehearsal.hpp"
#include "spectral/fft.hpp"

namespace sc::spectral {

namespace {

template <class T>
T* at(const Cells<T>& cells, Int3 c) {
  return cells.at + c.x + c.y * cells.y + c.z * cells.z;
}

/// The lines along an axis from cell c on.
template <class E, class C>
std::vector<Stretch<E>> stretches(std::span<const Section<C>> sections, int axis, Int3 c) {
  std::vector<Stretch<E>> all;
  all.reserve(sections.size());
  for (const Section<C>& s : sections)
    all.push_back({at(s.cells, c), axis == 1 ? s.cells.y : s.cells.z, s.count});
  return all;
}

}  // namespace

/// Calls `block` for groups of at most `width` adjacent lines, in every layer of the slab.
template <class T>
void FFT<T>::each_block(int axis, int width, const Box& slab, const Block& block) {
  const int beside = axis == 0 ? 1 : 0, layers = axis == 2 ? 1 : 2;
  const int across = (slab.extent()[beside] + width - 1) / width;
  const std::int64_t count = std::int64_t{across} * slab.extent()[layers];
  if (slab.empty()) return;
  if (context_.rehearses()) return rehearse_lines(axis, slab);
  const Scope scope(context_.timeline(), names_[static_cast<std::size_t>(axis)], Phase::all);
  team(static_cast<int>(std::min<std::int64_t>(context_.threads(), count)), [&](int thread) {
    const auto [first, last] = team_share(count);
    for (std::int64_t n = first; n < last; ++n) {
      Int3 c;  // first element of the first line
      c[beside] = slab.lo[beside] + static_cast<int>(n % across) * width;
      c[layers] = slab.lo[layers] + static_cast<int>(n / across);
      block(c, std::min(width, slab.hi[beside] - c[beside]), work(thread));
    }
  });
}

/// Cells are all points of the lines, whichever modes are kept. The operation counts are the usual ones: 5 n
/// log2 n for a complex line, half of that for a real one. A line is read once and written once.
template <class T>
void FFT<T>::rehearse_lines(int axis, const Box& slab) const {
  static constexpr std::array names{"fft x", "fft y", "fft z"};
  Rehearsal* rehearsal = context_.rehearsal();
  if (!rehearsal) return;
  const int points = cells_[axis];
  const Int3 n = slab.extent();
  const std::int64_t lines =
      axis == 0 ? std::int64_t{n.y} * n.z : std::int64_t{n.x} * (axis == 1 ? n.z : n.y);
  const double kept = kept_[static_cast<std::size_t>(axis)].count() / static_cast<double>(points);
  const double log = std::log2(points), bytes = sizeof(C);
  const Kernel kernel{names[static_cast<std::size_t>(axis)],
                      axis == 0 ? bytes * (0.5 + kept) : bytes * (1 + kept), axis == 0 ? 2.5 * log : 5 * log};
  rehearsal->computed(kernel, lines * points, lines);
}

template <class T>
void FFT<T>::x_forward(Cells<const T> in, const Box& slab) {
  const Cells<C> out = at_x_;
  each_block(0, along_x_->block(), slab, [&](Int3 c, int lines, std::byte* work) {
    along_x_->forward(at(in, c), in.y, at(out, c), out.y, lines, work);
  });
}

template <class T>
void FFT<T>::x_backward(Cells<T> out, const Box& slab) {
  const Cells<C> in = at_x_;
  const T scale = T(1) / (T(cells_.x) * T(cells_.y) * T(cells_.z));
  each_block(0, along_x_->block(), slab, [&](Int3 c, int lines, std::byte* work) {
    along_x_->backward(at(in, c), in.y, at(out, c), out.y, lines, scale, work);
  });
}

template <class T>
void FFT<T>::along(int axis, Direction direction, Cells<const C> from, Cells<C> to, const Box& slab) {
  const bool forward = direction == Direction::forward;
  along(axis, direction, std::array{whole(axis, from, forward)}, std::array{whole(axis, to, !forward)}, slab);
}

template <class T>
void FFT<T>::along(int axis, Direction direction, Sections from, Sections to, const Box& slab) {
  const Lines<T>& all = axis == 1 ? *along_y_ : *along_z_;
  each_block(axis, all.block(), slab, [&](Int3 c, int lines, std::byte* work) {
    const auto in = stretches<const C>(from, axis, c);
    const auto out = stretches<C>(to, axis, c);
    direction == Direction::forward ? all.forward(in, out, lines, work) : all.backward(in, out, lines, work);
  });
}

// If x and y pencils share memory, each plane is computed along both axes while it is in the cache.
template <class T>
void FFT<T>::xy_forward(Cells<const T> in, const Box& slab) {
  for (Box plane = slab; plane.lo.z < slab.hi.z; ++plane.lo.z) {
    plane.hi.z = plane.lo.z + 1;
    x_forward(in, plane);
    along(1, Direction::forward, at_y_, at_y_, plane);
  }
}

template <class T>
void FFT<T>::yx_backward(Cells<T> out, const Box& slab) {
  for (Box plane = slab; plane.lo.z < slab.hi.z; ++plane.lo.z) {
    plane.hi.z = plane.lo.z + 1;
    along(1, Direction::backward, at_y_, at_y_, plane);
    x_backward(out, plane);
  }
}

template class FFT<float>;
template class FFT<double>;

}  // namespace sc::spectral
