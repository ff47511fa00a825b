// SPDX-License-Identifier: Apache-2.0
// GlobalValue: reduces keys and words of accumulators with non-blocking all-reduces.
#include "engine/stage/global_value.hpp"

#include <string>

#include "engine/plan/rehearsal.hpp"

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
  Account& account = context_.accounts()[Resource::reductions];
  ++account.pieces;
  account.bytes += static_cast<std::int64_t>(sizeof(std::int64_t) * (keys_.size() + words_.size()));
  sample_ = sampled_.due(context_.accounts().sampling);
  if (sample_) begun_ = context_.timeline().now();
  note(true);
  reduction_.start(keys_, words_);
  under_way_ = true;
  if (sample_) arrive();
}

/// Waits for the result.
void GlobalValue::arrive() {
  note(false);
  Timeline& timeline = context_.timeline();
  std::string name = words_.empty() ? "max reduction" : "sum reduction";
  if (sample_) name += sampled_suffix;
  const double begin = sample_ ? begun_ : timeline.now();
  reduction_.wait();
  const double end = timeline.now();
  timeline.add(timeline.name(name, Resource::reductions), Phase::reduce, begin, end);
  sampled_.ran(sample_ ? Sampled::Kind::sample : Sampled::Kind::overlapped, {end - begin, 0},
               context_.accounts()[Resource::reductions]);
  auto words = reduction_.sums();
  for (std::size_t n = 0; n < results_.size(); ++n) {
    const auto count = static_cast<std::size_t>(results_[n].words());
    results_[n].unpack(reduction_.max_keys()[n], words.first(count));
    words = words.subspan(count);
  }
  under_way_ = false;
}

void GlobalValue::note(bool begins) const {
  if (Rehearsal* rehearsal = context_.rehearsal())
    rehearsal->events.emplace_back(RehearsedReduction{
        this, static_cast<std::int64_t>(sizeof(std::int64_t) * (keys_.size() + words_.size())), begins});
}

double GlobalValue::value(int k) {
  if (under_way_) arrive();
  // In a rehearsal nothing was computed: 0 (for a sum 1) neither asks for more work nor causes a division by
  // zero.
  if (context_.rehearses()) return results_[static_cast<std::size_t>(k)].kind() == Reduce::sum ? 1 : 0;
  return results_[static_cast<std::size_t>(k)].value();
}

}  // namespace sc
