// SPDX-License-Identifier: Apache-2.0
// Forcing: where its modes lie, and its coefficient.
#include "solvers/turbulence/forcing.hpp"

#include <cmath>
#include <string>

#include "engine/base/error.hpp"

namespace sc::turbulence {

namespace {

/// The part of a rank's modes that holds |k| < largest: 0 … m along x, two runs along y and z.
std::vector<Box> boxes_of(const Grid& modes, const Wavenumbers& w, double largest) {
  const int m = static_cast<int>(std::ceil(largest)) - 1;
  const Int3 n = modes.cells();
  using Run = std::pair<int, int>;
  const auto runs = [&](std::size_t axis, int count) {
    const int low = static_cast<int>(w.low[axis]);
    std::vector<Run> both = {{0, std::min(m + 1, low)}};
    if (low < count) both.emplace_back(std::max(low, count - m), count);
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
}

double Forcing::coefficient(Level<Mode, 3> u) {
  const int threads = runner_.context().threads();
  std::vector<Accumulator> sums{Accumulator(Reduce::sum)};
  for (const Box& box : band_)
    for_each(box, {}, frame_, threads, sums, BandSquare{wavenumbers_, options_.largest, scale_},
             reads(u).view());
  if (options_.kind == ForcingKind::negative_viscosity) {
    Sweep lost("dissipation", Dissipation{wavenumbers_, viscosity_ * scale_},
               SweepOptions{.reduce = Reduce::sum, .flops = 19}, reads(u));
    runner_.run(lost);
    sums.push_back(lost.accumulators()[0]);
  }
  sums_.start(sums);
  const double band = sums_.value(0);
  if (!(band > 0))
    throw Error(Exit::diverged, "the forcing finds no energy in 0 < |k| < " +
                                    std::to_string(options_.largest) + " to act on");
  return (options_.kind == ForcingKind::negative_viscosity ? sums_.value(1) : options_.power) / band;
}

void Forcing::add(Level<Mode, 3> n, Level<Mode, 3> u) {
  if (none()) return;
  const double c = coefficient(u);
  n.storage().settle();
  for (const Box& box : band_)
    for_each(box, {}, frame_, runner_.context().threads(), {}, Force{wavenumbers_, options_.largest, c},
             updates(n).view(), reads(u).view());
}

}  // namespace sc::turbulence
