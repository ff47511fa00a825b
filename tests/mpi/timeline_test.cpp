// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// threads: 2
// label: sanitize
// Spans of a run are nested and add up; a full timeline drops spans and keeps the totals.
#include "engine/base/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/subcurrent.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

struct Diffuse {
  SC_FN double operator()(At c, Out<double> next, In<double> u) const {
    next[c] =
        u[c] + 0.1 * (u[c.x(1)] + u[c.x(-1)] + u[c.y(1)] + u[c.y(-1)] + u[c.z(1)] + u[c.z(-1)] - 6 * u[c]);
    return next[c];
  }
};

/// Checks that any two spans of a thread are disjoint or nested; returns the seconds of the outermost ones.
double nested(std::vector<Span> spans) {
  std::ranges::sort(spans, [](const Span& a, const Span& b) {
    return a.begin < b.begin || (a.begin == b.begin && a.end > b.end);
  });
  std::vector<Span> open;
  double outermost = 0;
  for (const Span& span : spans) {
    EXPECT_LE(span.begin, span.end);
    while (!open.empty() && open.back().end <= span.begin) open.pop_back();
    if (open.empty()) outermost += span.end - span.begin;
    for (const Span& outer : open)
      EXPECT_LE(span.end, outer.end) << phase_name(span.phase) << " in " << phase_name(outer.phase);
    open.push_back(span);
  }
  return outermost;
}

TEST(Timelines, SpansNestAndAddUp) {
  for (const Strategy& strategy : all_strategies(2)) {
    TestContext context({.threads = 2, .transport = TransportPolicy::mpi});
    const Grid grid(context, {.cells = {32, 20, 24}, .periodic = {true, true, false}, .halo = 1});
    Field<double> u(grid, "u", {.levels = 2});
    for (Face face : {z_low, z_high}) boundary(u, face, Fixed{0.0});
    u.fill([](int x, int y, int z) { return x + y * z; });
    Runner runner(context, {.strategy = strategy, .poke_seconds = 1e-6});
    Sweep diffuse("diffuse", Diffuse{}, SweepOptions{.reduce = Reduce::sum}, writes(u.next()),
                  reads(u.now(), star(1)));
    GlobalValue total(context);
    Timeline& timeline = context.timeline();
    timeline.clear();
    const double begin = timeline.now();
    for (int step = 0; step < 10; ++step) {
      runner.run(diffuse);
      u.advance();
      total.reduce(diffuse.accumulators());
    }
    const double elapsed = timeline.now() - begin;

    std::map<int, std::vector<Span>> by_thread;
    std::map<std::pair<int, Phase>, Timeline::Total> sums;
    for (const Span& span : timeline.spans()) {
      EXPECT_GE(span.begin, begin);
      EXPECT_LE(span.end, begin + elapsed);
      by_thread[span.thread].push_back(span);
      auto& sum = sums[{span.name, span.phase}];
      sum.seconds += span.end - span.begin;
      ++sum.count;
    }
    for (const auto& [thread, spans] : by_thread) {
      EXPECT_LT(thread, context.threads());
      EXPECT_LE(nested(spans), elapsed) << strategy.name << " thread " << thread;
    }
    EXPECT_EQ(timeline.dropped(), 0);
    const bool teams = strategy.divides_threads;
    for (const auto& [key, sum] : sums) {
      const Timeline::Total kept = timeline.total(static_cast<std::uint16_t>(key.first), key.second);
      EXPECT_EQ(kept.count, sum.count) << phase_name(key.second);
      EXPECT_LE(kept.seconds, sum.seconds + 1e-12);
      // A second of one thread of a team counts as its fraction of the team's time.
      EXPECT_GE(kept.seconds, sum.seconds / (teams ? context.threads() : 1) - 1e-12);
    }
    double together = 0;
    for (int phase = 0; phase < phase_count; ++phase)
      together += timeline.total(static_cast<Phase>(phase)).seconds;
    EXPECT_LE(together, elapsed) << strategy.name;
    const auto computed = timeline.total(Phase::shell).count + timeline.total(Phase::core).count +
                          timeline.total(Phase::all).count;
    EXPECT_GE(computed, 10) << strategy.name;
    EXPECT_EQ(timeline.total(Phase::reduce).count, 10);
    EXPECT_GE(timeline.total(Phase::wait).count, 10);
    u.storage(0).settle();
  }
}

TEST(Timelines, KeepTotalsOfWhatTheyDrop) {
  Timeline timeline(4);
  const auto a = timeline.name("a"), b = timeline.name("b");
  EXPECT_EQ(timeline.name("a"), a);
  for (int n = 0; n < 10; ++n) {
    timeline.add(a, Phase::core, n, n + 0.5);
    timeline.add(b, Phase::wait, n + 0.5, n + 0.75, 1);
  }
  timeline.add_total(a, Phase::poke, 2.0);
  EXPECT_EQ(timeline.spans().size(), 4U);
  EXPECT_EQ(timeline.dropped(), 16);
  EXPECT_DOUBLE_EQ(timeline.total(a, Phase::core).seconds, 5.0);
  EXPECT_EQ(timeline.total(a, Phase::core).count, 10);
  EXPECT_DOUBLE_EQ(timeline.total(Phase::wait).seconds, 2.5);
  EXPECT_EQ(timeline.total(b, Phase::core).count, 0);
  EXPECT_DOUBLE_EQ(timeline.total(Phase::poke).seconds, 2.0);
  timeline.clear();
  EXPECT_EQ(timeline.spans().size(), 0U);
  EXPECT_EQ(timeline.dropped(), 0);
  EXPECT_EQ(timeline.total(Phase::core).count, 0);
}

}  // namespace
}  // namespace sc::test
