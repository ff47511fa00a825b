// SPDX-License-Identifier: Apache-2.0
// The heat equation (7 points, double) between walls in passes of several steps, its field in memory or
// passing through it slab by slab: what programs time.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "bench/measure.hpp"
#include "bench/problems.hpp"
#include "engine/base/index.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "engine/overlap/window_slabs.hpp"
#include "engine/subcurrent.hpp"

namespace sc::bench {

/// A field with a place of its own, and its turns.
class SlabTurns {
 public:
  SlabTurns(Context& context, const Grid& grid, Space space, std::shared_ptr<SlabPlace> place, int length)
      : length_(length),
        place_(std::move(place)),
        heat_(grid, {.levels = 2, .space = space, .place = place_}),
        runner_(context, {.strategy = Strategy::boundary_first, .steps_per_pass = length}) {}

  /// At least four passes: the first reads and the last writes of a turn have nothing to hide under.
  int steps() const { return std::max(8, 4 * length_); }
  int length() const { return length_; }
  void turn() {
    const double computed = computing(), copied = copying();
    const std::array<std::int64_t, 2> began = moved();
    runner_.steps(steps(), [&](int) {
      heat_.step(runner_);
      runner_.discard(heat_.field(), 1);
    });
    if (place_) place_->finish();
    if (const auto& device = runner_.context().device()) device->finish();
    computed_.push_back((computing() - computed) / steps());
    copied_.push_back((copying() - copied) / steps());
    for (int way = 0; way < 2; ++way) bytes_[at(way)] = double(moved()[at(way)] - began[at(way)]) / steps();
  }
  /// Seconds of a step's computation in slabs that are read from files.
  double compute() const { return median(computed_); }
  /// Of these, of copying the planes that two slabs share, and of boundary conditions at the ends of slabs.
  double copy() const { return median(copied_); }
  /// Bytes of a step that the last turn has moved in and out.
  double in() const { return bytes_[0]; }
  double out() const { return bytes_[1]; }

 private:
  Timeline& timeline() const { return runner_.context().timeline(); }
  /// Seconds so far without those of files.
  double computing() const {
    return timeline().now() - timeline().total(Resource::files, Phase::start).seconds -
           timeline().total(Resource::files, Phase::wait).seconds;
  }
  double copying() const { return timeline().total(Phase::boundary).seconds; }
  std::array<std::int64_t, 2> moved() const {
    if (!place_) return {};
    return {place_->memory().bytes(sc::Way::in), place_->memory().bytes(sc::Way::out)};
  }

  int length_;
  std::shared_ptr<SlabPlace> place_;
  Heat heat_;
  Runner runner_;
  std::vector<double> computed_, copied_;
  std::array<double, 2> bytes_{};
};

/// Up to 32 pieces, as many as the least number of planes that a pass needs allows, or so many times as
/// thick.
inline int pieces_of(int cells, int length, int thicker = 1) {
  const WindowSlabs::Planes planes{.most_behind = length - 1, .reach = 1};
  const int least = thicker * planes.least(Boundary::usual_inward);
  return std::clamp(cells / least, 1, 32);
}

}  // namespace sc::bench
