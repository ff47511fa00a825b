// SPDX-License-Identifier: Apache-2.0
// GlobalValue: reduces keys and words of accumulators with non-blocking all-reduces.
#include "engine/stage/global_value.hpp"

namespace sc {

void GlobalValue::start(std::span<const Accumulator> mine) {
  results_ = like(mine);
  keys_.clear();
  words_.clear();
  for (const Accumulator& a : mine) {
    keys_.push_back(a.key());
    words_.resize(words_.size() + static_cast<std::size_t>(a.words()));
    a.pack(std::span(words_).last(static_cast<std::size_t>(a.words())));
  }
  reduction_.start(keys_, words_, words_.empty() ? "max reduction" : "sum reduction");
  unread_ = true;
}

/// Waits for the result.
void GlobalValue::read() {
  reduction_.wait();
  auto words = reduction_.sums();
  for (std::size_t n = 0; n < results_.size(); ++n) {
    const auto count = static_cast<std::size_t>(results_[n].words());
    results_[n].unpack(reduction_.max_keys()[n], words.first(count));
    words = words.subspan(count);
  }
  unread_ = false;
}

double GlobalValue::value(int k) {
  if (unread_) read();
  // In a rehearsal nothing was computed: 0 (for a sum 1) neither asks for more work nor causes a division by
  // zero.
  if (context_.rehearses()) return results_[static_cast<std::size_t>(k)].kind() == Reduce::sum ? 1 : 0;
  return results_[static_cast<std::size_t>(k)].value();
}

}  // namespace sc
