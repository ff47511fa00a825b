// SPDX-License-Identifier: Apache-2.0
// Choice: a reduction starts at the beginning of a step, and all ranks use its result the same number of
// steps later.
#include "engine/overlap/choice.hpp"

#include <utility>

namespace sc {

namespace {

constexpr int late = 2;  // steps from the start of the reduction to its use; computation overlaps with it
constexpr int long_ago = 1000;  // runs without the kind of stage that marks a step; then another one marks it

}  // namespace

int Choice::add(std::string name, const std::function<bool(const Strategy&)>& may, bool exchanges) {
  if (threads_ == 0) threads_ = -context_.largest(-context_.threads());
  std::vector<const Strategy*> candidates;
  for (const Strategy* s : Strategy::all())
    if (!s->chooses && (!s->divides_threads || threads_ > 1) && may(*s)) candidates.push_back(s);
  names_.push_back(std::move(name));
  return trials_.add(std::move(candidates), exchanges);
}

Choice::Run Choice::begin(int kind, bool measures_rows) {
  if (measures_rows) {
    measures_rows_ = true;
    return {.strategy = &trials_.chosen(kind)};
  }
  if (!told_ && (kind == opens_ || ++runs_since_ > long_ago)) {
    opens_ = kind;
    runs_since_ = 0;
    step();
  }
  Run run{&trials_.begin(kind), kind, trials_.tried(kind), 0};
  restart_clock(run);
  return run;
}

void Choice::end(const Run& run, bool usual) {
  trials_.end(run.kind, context_.timeline().now() - run.begin, usual);
}

void Choice::begin_step() {
  told_ = true;
  step();
}

void Choice::step() {
  if (std::exchange(measures_rows_, false)) return;
  if (under_way_ && ++waited_ >= late) return agree();
  const std::vector<std::int64_t> mine = trials_.step();
  if (mine.empty()) return;
  reduction_.start(mine, {}, "choice of strategies");
  under_way_ = true;
  waited_ = 0;
}

void Choice::agree() {
  reduction_.wait();
  under_way_ = false;
  trials_.agreed(reduction_.max_keys());
}

std::vector<Choice::Chosen> Choice::chosen() const {
  std::vector<Chosen> all;
  for (int kind = 0; kind < trials_.kinds(); ++kind)
    all.push_back({names_[static_cast<std::size_t>(kind)], trials_.chosen(kind).name, trials_.known(kind)});
  return all;
}

}  // namespace sc
