// SPDX-License-Identifier: Apache-2.0
// GlobalValue: an accumulator's key and words through one non-blocking all-reduce.
#include "engine/stage/global_value.hpp"

#include <array>

namespace sc {

void GlobalValue::start(const Accumulator& mine) {
  if (under_way_) value();
  result_ = Accumulator(mine.kind());
  words_.resize(static_cast<std::size_t>(mine.words()));
  mine.pack(words_);
  const std::array<std::int64_t, 1> key{mine.key()};
  reduction_.start(key, words_);
  under_way_ = true;
}

double GlobalValue::value() {
  if (under_way_) {
    Timeline& timeline = context_.timeline();
    const Scope scope(timeline, timeline.name("reduction"), Phase::reduce);
    reduction_.wait();
    result_.unpack(reduction_.max_keys()[0], reduction_.sums());
    under_way_ = false;
  }
  return result_.value();
}

}  // namespace sc
