// SPDX-License-Identifier: Apache-2.0
// GlobalValue: the keys and words of accumulators through one non-blocking all-reduce.
#include "engine/stage/global_value.hpp"

namespace sc {

void GlobalValue::start(std::span<const Accumulator> mine) {
  if (under_way_) value();
  results_ = like(mine);
  keys_.clear();
  words_.clear();
  for (const Accumulator& a : mine) {
    keys_.push_back(a.key());
    words_.resize(words_.size() + static_cast<std::size_t>(a.words()));
    a.pack(std::span(words_).last(static_cast<std::size_t>(a.words())));
  }
  reduction_.start(keys_, words_);
  under_way_ = true;
}

double GlobalValue::value(int k) {
  if (under_way_) {
    Timeline& timeline = context_.timeline();
    const Scope scope(timeline, timeline.name(words_.empty() ? "max reduction" : "sum reduction"),
                      Phase::reduce);
    reduction_.wait();
    auto words = reduction_.sums();
    for (std::size_t n = 0; n < results_.size(); ++n) {
      const auto count = static_cast<std::size_t>(results_[n].words());
      results_[n].unpack(reduction_.max_keys()[n], words.first(count));
      words = words.subspan(count);
    }
    under_way_ = false;
  }
  return results_[static_cast<std::size_t>(k)].value();
}

}  // namespace sc
