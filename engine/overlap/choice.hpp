// SPDX-License-Identifier: Apache-2.0
// Choice: what Strategy::automatic goes under, run by run: trials, the clock that times them, and the one
// small reduction by which all ranks agree on what was the fastest.
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

  /// Collective: a kind of what runs, under the strategies that `may` hold for and that this context has
  /// threads for; its number. See Trials::add().
  int add(std::string name, const std::function<bool(const Strategy&)>& may, bool feeds);
  struct Run {
    const Strategy* strategy = nullptr;
    int kind = -1;  ///< none: there is nothing to choose
    bool trial = false;
    double begin = 0;
  };
  /// The next run of a kind. Unless the program says where its steps begin, one does where the same kind runs
  /// again: the one that came first, or any where that has not run for long. Steps with runs that settle, as
  /// all ranks see it, are not counted: times of those say nothing.
  Run begin(int kind, bool settling = false);
  void restart_clock(Run& run) const { run.begin = context_.timeline().now(); }
  /// `usual`: it went under the strategy that was given.
  void end(const Run& run, bool usual);
  /// Collective: the program says it.
  void begin_step();

  bool trying() const { return trials_.trying(); }
  bool eager() const { return trials_.eager(); }
  /// What was chosen for a kind, and the seconds of a run then and under blocking, on the slowest rank.
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
  int threads_ = 0;  // of the rank that has fewest
  bool told_ = false;
  bool settling_ = false;   // something does, in this step
  int opens_ = 0;           // the kind with which a step begins, where that is not told
  int runs_since_ = 0;      // it ran
  bool under_way_ = false;  // the reduction
  int waited_ = 0;          // steps
  Sampled sampled_;
};

}  // namespace sc
