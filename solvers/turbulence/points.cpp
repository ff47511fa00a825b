// SPDX-License-Identifier: Apache-2.0
// Turbulence at the points: of a plane of all components a thread brings some rows there, multiplies, and
// goes back to modes, while all of it is in its cache. No array of points, and no plane of them, is ever
// made.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numbers>

#include "engine/exec/team.hpp"
#include "solvers/turbulence/flow.hpp"

namespace sc::turbulence {

namespace {

constexpr std::size_t line = 64;

/// Numbers that fill whole cache lines.
template <class Real>
std::ptrdiff_t round_up(std::ptrdiff_t count) {
  constexpr std::ptrdiff_t of_line = line / sizeof(Real);
  return (count + of_line - 1) / of_line * of_line;
}

}  // namespace

template <class Real>
void Flow<Real>::for_each_plane(int lo, int hi, const std::function<void(int z, int thread)>& action) {
  Timeline& timeline = runner_.context().timeline();
  const Scope scope(timeline, timeline.name("points"), Phase::all);
  team(runner_.context().threads(), [&](int thread) {
    const auto [first, last] = team_share(hi - lo);
    for (auto z = lo + first; z < lo + last; ++z) action(static_cast<int>(z), thread);
  });
}

template <class Real>
Workplace<Real>::Workplace(const spectral::FFT<Real>& fft)
    : row_stride_(static_cast<std::ptrdiff_t>(fft.rows_elements()) + line / sizeof(Mode)),
      room_(fft.bundle().room),
      count_(static_cast<int>(fft.bundle().points)),
      point_stride_(round_up<Real>(count_ + 2 * room_)),
      rows_(static_cast<std::size_t>(plane_arrays * row_stride_)),
      points_(static_cast<std::size_t>(plane_arrays * point_stride_ + round_up<Real>(room_)) + line) {
  const auto address = reinterpret_cast<std::uintptr_t>(points_.data());
  first_ = points_.data() + (line - address % line) % line / sizeof(Real) + round_up<Real>(room_);
}

/// Plane z of the arrays from `first` on goes to the points, bundle by bundle, that of those from `back` on
/// comes from there.
template <class Real>
void Flow<Real>::through_points(int z, const Arrays& planes, int first, int back, int thread,
                                const std::function<void(Workplace<Real>&)>& action) {
  Workplace<Real>& here = workplaces_[static_cast<std::size_t>(thread)];
  const auto plane = [&](int k) -> spectral::Rows<Mode> {
    const spectral::Cells<Mode>& cells = planes[static_cast<std::size_t>(k)];
    return {cells.at + z * cells.z, cells.y};
  };
  const auto rows = [&](int k) { return fft_.rows_of(plane(k), here.rows(k)); };
  for (int k = first; k < plane_arrays; ++k) fft_.backward_columns(plane(k), rows(k), thread);
  const int own = grid().own().extent().y, most = fft_.bundle().rows;
  for (int y = 0; y < own; y += most) {
    const int some = std::min(most, own - y);
    for (int k = first; k < plane_arrays; ++k) fft_.backward_bundle(rows(k), y, some, here.points(k), thread);
    action(here);
    for (int k = back; k < plane_arrays; ++k) fft_.forward_bundle(here.points(k), rows(k), y, some, thread);
  }
  for (int k = back; k < plane_arrays; ++k) fft_.forward_columns(rows(k), plane(k), thread);
}

template <class Real>
template <class Kernel>
void Flow<Real>::multiply(const Kernel& kernel, std::span<Accumulator> into, Workplace<Real>& here) {
  for_each({{}, {here.count(), 1, 1}}, {}, {}, 1, into, kernel, here.view());
}

/// r = (u, w) becomes (u, u x w); or (.., u) the six products of u with itself.
template <class Real>
void Flow<Real>::products(int lo, int hi, const Arrays& planes, bool speed) {
  const auto per_spacing = [](int count) { return count / (2 * std::numbers::pi); };
  const Int3 n = options_.points;
  const std::array<double, 3> h{per_spacing(n.x), per_spacing(n.y), per_spacing(n.z)};
  const bool rotational = options_.form == Form::rotational;
  for_each_plane(lo, hi, [&](int z, int thread) {
    std::vector<Accumulator>& fastest = fastest_[static_cast<std::size_t>(thread)];
    through_points(z, planes, rotational ? 0 : 3, rotational ? 3 : 0, thread, [&](Workplace<Real>& here) {
      if (rotational && speed)
        multiply(Fastest<Cross, 0>{h}, fastest, here);
      else if (rotational)
        multiply(Cross{}, {}, here);
      else if (speed)
        multiply(Fastest<Products, 3>{h}, fastest, here);
      else
        multiply(Products{}, {}, here);
    });
  });
}

template void Flow<float>::multiply(const Moments&, std::span<Accumulator>, Workplace<float>&);
template void Flow<double>::multiply(const Moments&, std::span<Accumulator>, Workplace<double>&);
template class Workplace<float>;
template class Workplace<double>;
template class Flow<float>;
template class Flow<double>;

}  // namespace sc::turbulence
