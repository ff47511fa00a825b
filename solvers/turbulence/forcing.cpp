// SPDX-License-Identifier: Apache-2.0
// Forcing: the boxes of forced modes, and the coefficient.
#include "solvers/turbulence/forcing.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/base/error.hpp"
#include "engine/grid/cells.hpp"

namespace sc::turbulence {

namespace {

/// The largest wavenumber along an axis of modes with |k| < largest.
int reach_along(std::size_t axis, const Wavenumbers& w, double largest) {
  return static_cast<int>(std::min(std::ceil(largest), static_cast<double>(w.low[axis]))) - 1;
}

/// Boxes of a rank's modes that contain |k| < largest: 0 … m along x, two ranges each along y and z.
std::vector<Box> boxes_of(const Grid& modes, const Wavenumbers& w, double largest) {
  const Int3 n = modes.cells();
  using Run = std::pair<int, int>;
  const auto runs = [&](std::size_t axis, int count) {
    const int m = reach_along(axis, w, largest);
    std::vector<Run> both = {{0, m + 1}};
    if (w.low[axis] < count) both.emplace_back(count - m, count);
    return both;
  };
  std::vector<Box> boxes;
  for (const Run& z : runs(2, n.z))
    for (const Run& y : runs(1, n.y))
      for (const Run& x : runs(0, n.x)) {
        const Box all{{x.first, y.first, z.first}, {x.second, y.second, z.second}};
        const Box mine = intersect(all, modes.global_box());
        if (!mine.empty()) boxes.push_back(mine.shifted(Int3{} - modes.origin()));
      }
  return boxes;
}

}  // namespace

Forcing::Forcing(Runner& runner, const Grid& modes, Wavenumbers wavenumbers, double scale, double viscosity,
                 const ForcingOptions& options)
    : runner_(runner),
      wavenumbers_(wavenumbers),
      scale_(scale),
      viscosity_(viscosity),
      options_(options),
      frame_{modes.layout(), modes.origin()},
      sums_(runner.context()) {
  if (none()) return;
  if (!(options.largest > 1))
    refuse("forcing.kmax is " + std::to_string(options.largest) + "; it must be > 1, or no mode is forced");
  if (options.kind == ForcingKind::constant_power && !(options.power > 0))
    refuse("forcing.power is " + std::to_string(options.power) + "; it must be > 0");
  band_ = boxes_of(modes, wavenumbers, options.largest);
  conjugates_.emplace(runner.context(), reach_along(1, wavenumbers, options.largest),
                      reach_along(2, wavenumbers, options.largest));
}

/// Calls the action for this rank's forced modes, always in the same order; there are few.
template <class Action>
void Forcing::each_forced(Action&& action) const {
  for (const Box& box : band_)
    each_cell(box, [&](Int3 c) {
      const Int3 o = frame_.origin + c;
      const Index g{o.x, o.y, o.z};
      const auto k = wavenumbers_.of(g);
      const double square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
      if (square > 0 && square < options_.largest * options_.largest)
        action(At{frame_.layout.offset(c), frame_.layout.sy, frame_.layout.sz}, g);
    });
}

/// held_ <- u, with its conjugates under way
void Forcing::take(AnyField& u) {
  held_.clear();
  conjugates_->clear();
  in_precision_of(u, [&](auto real) {
    const auto in = reads<3>(u).in<decltype(real)>().view();
    each_forced([&](At at, Index g) {
      held_.push_back({Mode<double>(in[0][at]), Mode<double>(in[1][at]), Mode<double>(in[2][at])});
      const auto k = wavenumbers_.of<int>(g);
      if (g.x == 0) conjugates_->set(k[1], k[2], held_.back());
    });
  });
  conjugates_->start();
}

/// held_ <- the part of u that the points have, whose sum of squares is added
void Forcing::pair(Accumulator& squares) {
  conjugates_->wait();
  auto u = held_.begin();
  each_forced([&](At, Index g) {  // modes with kx > 0 also represent their conjugates
    const auto k = wavenumbers_.of<int>(g);
    if (g.x == 0) *u = conjugates_->of(k[1], k[2]);
    double square = 0;
    for (const Mode<double>& component : *u) square += std::norm(component);
    square *= (g.x > 0 ? 2 : 1) * scale_;
    squares.add(&square, 1);
    ++u;
  });
}

void Forcing::hold(AnyField& u) {
  if (none()) return;
  take(u);
  std::vector<Accumulator> sums{Accumulator(Reduce::sum)};
  if (options_.kind == ForcingKind::negative_viscosity) {
    ModeSweep lost("dissipation", Dissipation{wavenumbers_, viscosity_ * scale_},
                   {.reduce = Reduce::sum, .flops = 19}, reads<3>(u));
    runner_.run(lost);
    sums.push_back(lost->accumulators()[0]);
  }
  pair(sums[0]);
  sums_.start(sums);
  const double band = sums_.value(0);
  if (!(band > 0))
    throw Error(Exit::diverged, "the forcing finds no energy in 0 < |k| < " +
                                    std::to_string(options_.largest) + " to act on");
  const double c =
      (options_.kind == ForcingKind::negative_viscosity ? sums_.value(1) : options_.power) / band;
  for (ConjugateModes::Vector& mode : held_)
    for (Mode<double>& component : mode) component *= c;
}

void Forcing::add(AnyField& n) {
  if (none()) return;
  n.storage(0).settle();
  auto next = held_.begin();
  in_precision_of(n, [&](auto real) {
    const auto out = updates<3>(n).in<decltype(real)>().view();
    each_forced([&](At at, Index) {
      for (std::size_t d = 0; d < 3; ++d) out[static_cast<int>(d)][at] += Mode<decltype(real)>((*next)[d]);
      ++next;
    });
  });
}

}  // namespace sc::turbulence
