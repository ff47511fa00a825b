// SPDX-License-Identifier: Apache-2.0
// The wait curve: exchanges of a plane in each direction, during computation that only takes time.
#include "model/probe/wait_curve.hpp"

#include <algorithm>

#include "engine/field/field.hpp"
#include "engine/move/exchange.hpp"
#include "engine/move/parcels/halo_parcels.hpp"

namespace sc::model {

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void check(const Context& context, const WaitOptions& options) {
  if (context.size() < 2)
    refuse("the wait curve needs at least 2 ranks: a single one has no messages to wait for");
  if (options.cover < 1) refuse("cover is " + std::to_string(options.cover) + "; it must be at least 1");
  if (options.repeats < 1)
    refuse("repeats is " + std::to_string(options.repeats) + "; it must be at least 1");
  for (const std::int64_t bytes : options.bytes)
    if (bytes < 8 || bytes % 8 != 0)
      refuse("a message of " + std::to_string(bytes) + " bytes is not a positive multiple of 8");
}

/// One exchange of planes of a given size around the ring of ranks, with the times of its parts.
class Ring {
 public:
  Ring(Context& context, std::int64_t bytes)
      : context_(context),
        grid_(context, {.cells = {static_cast<int>(bytes / 8), 1, 2 * context.size()},
                        .periodic = {false, false, true},
                        .halo = 1,
                        .split = {1, 1, context.size()}}),
        plane_(grid_, "plane"),
        exchange_(grid_.context(), halo_parcels(grid_, {{&plane_.now().storage(), star(1)}})) {}

  struct Parts {
    double wait = 0;
    double progress = 0;
  };

  /// Computes for `seconds`, in intervals of `stretch` with a progress call after each; 0: without progress
  /// calls.
  Parts go(double seconds, double stretch) {
    context_.barrier();
    const double begin = now();
    exchange_.start();
    Parts parts{.progress = now() - begin};
    for (double worked = 0; worked < seconds;) {
      const double length = stretch > 0 ? std::min(stretch, seconds - worked) : seconds;
      pass(length);
      worked += length;
      if (stretch > 0) {
        const double before = now();
        exchange_.test();
        parts.progress += now() - before;
      }
    }
    const double before = now();
    exchange_.wait();
    parts.wait = now() - before;
    return parts;
  }

 private:
  double now() const { return context_.timeline().now(); }
  void pass(double seconds) const {
    for (const double end = now() + seconds; now() < end;) {
    }
  }

  Context& context_;
  Grid grid_;
  Field<double> plane_;
  Exchange exchange_;
};

WaitPoint measure(Context& context, const WaitOptions& options, std::int64_t bytes) {
  Ring ring(context, bytes);
  for (int warm = 0; warm < 3; ++warm) ring.go(0, 0);
  const auto medians = [&](double work, double stretch) {
    std::vector<double> wait, progress;
    for (int n = 0; n < options.repeats; ++n) {
      const Ring::Parts parts = ring.go(work, stretch);
      wait.push_back(context.max(parts.wait));
      progress.push_back(context.max(parts.progress));
    }
    return Ring::Parts{median(wait), median(progress)};
  };
  const Ring::Parts alone = medians(0, 0);
  WaitPoint point{.bytes = bytes, .alone = alone.wait + alone.progress};
  const double work = options.cover * point.alone;
  // At least four progress calls, also for short messages.
  const Ring::Parts poked = medians(work, std::min(options.poke_seconds, work / 4));
  point.poked = poked.wait;
  point.progress = poked.progress;
  point.silent = medians(work, 0).wait;
  return point;
}

}  // namespace

std::vector<WaitPoint> wait_curve(Context& context, const WaitOptions& options) {
  check(context, options);
  std::vector<WaitPoint> points;
  for (const std::int64_t bytes : options.bytes) points.push_back(measure(context, options, bytes));
  return points;
}

}  // namespace sc::model
