// SPDX-License-Identifier: Apache-2.0
// Choice: the strategy of each run under Strategy::automatic: trials, the clock that times them, and one
// small reduction with which all ranks agree on the fastest.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/context.hpp"
#include "engine/move/reduction.hpp"
#include "engine/overlap/trials.hpp"

namespace sc {

class Choice {
 public:
  explicit Choice(Context& context) : context_(context), reduction_(context) {}

  /// Collective: adds a kind of run, with those strategies as candidates for which `may` is true and this
  /// context has enough threads; returns its number. See Trials::add().
  int add(std::string name, const std::function<bool(const Strategy&)>& may, bool exchanges);
  struct Run {
    const Strategy* strategy = nullptr;
    int kind = -1;  ///< -1: there is nothing to choose
    bool trial = false;
    double begin = 0;
  };
  /// The next run of a kind. If the program does not mark its steps, a step begins when the same kind runs
  /// again: the first one, or any one if that has not run for long. Steps with runs that still measure their
  /// order of rows (`measures_rows`, the same on all ranks) do not count.
  Run begin(int kind, bool measures_rows = false);
  void restart_clock(Run& run) const { run.begin = context_.timeline().now(); }
  /// `usual`: it ran under the given strategy.
  void end(const Run& run, bool usual);
  /// Collective: a step of the program begins.
  void begin_step();

  bool trying() const { return trials_.trying(); }
  bool eager() const { return trials_.eager(); }
  /// The choice for a kind, and the seconds of a run under it and under blocking, on the slowest rank.
  struct Chosen {
    std::string name;
    std::string_view strategy;
    Trials::Known seconds;
  };
  std::vector<Chosen> chosen() const;
  const Trials& trials() const { return trials_; }

 private:
  void step();
  void agree();

  Context& context_;
  Reduction reduction_;
  Trials trials_;
  std::vector<std::string> names_;
  int threads_ = 0;  // of the rank with the fewest
  bool told_ = false;
  bool measures_rows_ = false;  // a run in this step does
  int opens_ = 0;               // the kind with which a step begins, if the program does not mark steps
  int runs_since_ = 0;          // it ran
  bool under_way_ = false;      // the reduction is in progress
  int waited_ = 0;              // steps
};

}  // namespace sc
