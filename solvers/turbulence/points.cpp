// SPDX-License-Identifier: Apache-2.0
// Turbulence at the points: a thread brings a plane of all components there, multiplies, and goes back to
// planes of modes, while all of it is in its cache. No array of points is ever made.
#include <array>
#include <numbers>

#include "engine/exec/team.hpp"
#include "solvers/turbulence/solver.hpp"

namespace sc::turbulence {

void Turbulence::each_plane(int lo, int hi, const std::function<void(int z, int thread)>& action) {
  Timeline& timeline = runner_.context().timeline();
  const Scope scope(timeline, timeline.name("points"), Phase::all);
  team(runner_.context().threads(), [&](int thread) {
    const auto [first, last] = team_share(hi - lo);
    for (auto z = lo + first; z < lo + last; ++z) action(static_cast<int>(z), thread);
  });
}

void Turbulence::to_points(int z, const Arrays& planes, int first, int thread) {
  for (int k = first; k < plane_arrays; ++k) {
    const spectral::Cells<Mode>& from = planes[static_cast<std::size_t>(k)];
    double* to = points_[static_cast<std::size_t>(thread)].data() + k * component_stride_;
    fft_.backward_within(from.at + z * from.z, from.y, to, points_layout_.sy, thread);
  }
}

void Turbulence::from_points(int z, const Arrays& planes, int first, int thread) {
  for (int k = first; k < plane_arrays; ++k) {
    const spectral::Cells<Mode>& to = planes[static_cast<std::size_t>(k)];
    const double* from = points_[static_cast<std::size_t>(thread)].data() + k * component_stride_;
    fft_.forward_within(from, points_layout_.sy, to.at + z * to.z, to.y, thread);
  }
}

template <class Kernel>
void Turbulence::multiply(const Kernel& kernel, std::span<Accumulator> into, int thread) {
  const Int3 own = grid().own().extent();
  const InOut<double, 6> points{points_[static_cast<std::size_t>(thread)].data(), component_stride_};
  for_each({{}, {own.x, own.y, 1}}, {}, {points_layout_, {}}, 1, into, kernel, points);
}
template void Turbulence::multiply(const Moments&, std::span<Accumulator>, int);

/// r = (u, w) becomes (u, u x w); or (.., u) the six products of u with itself.
void Turbulence::products(int lo, int hi, const Arrays& planes, bool speed) {
  const auto per_spacing = [](int count) { return count / (2 * std::numbers::pi); };
  const Int3 n = options_.points;
  const std::array<double, 3> h{per_spacing(n.x), per_spacing(n.y), per_spacing(n.z)};
  const bool rotational = options_.form == Form::rotational;
  each_plane(lo, hi, [&](int z, int thread) {
    std::vector<Accumulator>& fastest = fastest_[static_cast<std::size_t>(thread)];
    to_points(z, planes, rotational ? 0 : 3, thread);
    if (rotational && speed)
      multiply(Fastest<Cross, 0>{h}, fastest, thread);
    else if (rotational)
      multiply(Cross{}, {}, thread);
    else if (speed)
      multiply(Fastest<Products, 3>{h}, fastest, thread);
    else
      multiply(Products{}, {}, thread);
    from_points(z, planes, rotational ? 3 : 0, thread);
  });
}

}  // namespace sc::turbulence
