// SPDX-License-Identifier: Apache-2.0
// FarMemory: statistics of copies, and the samples that M is computed from.
#include "engine/move/stream/far_memory.hpp"

#include <thread>

namespace sc {

template <class Action>
void FarMemory::timed(Way way, Phase phase, Action&& action) {
  if (!context_) return action();
  Timeline& timeline = context_->timeline();
  const double begin = timeline.now();
  action();
  const double end = timeline.now();
  std::string name = std::string(resource_name(resource_)) + (way == Way::in ? " in" : " out");
  if (in_sample_) {
    sampled_seconds_[way] += end - begin;
    name += sampled_suffix;
  } else if (!overlaps()) {
    Account& account = context_->accounts()[resource_];
    account.apart += end - begin;
    account.hideable += end - begin;
    ++account.measured;
  }
  timeline.add(timeline.name(name, resource_), phase, begin, end);
}

std::int64_t FarMemory::start(Way way, std::span<const FarPart> parts) {
  std::int64_t batch = 0;
  timed(way, Phase::start, [&] { batch = start_batch(way, parts); });
  if (!context_) return batch;
  std::int64_t bytes = 0;
  for (const FarPart& part : parts) bytes += static_cast<std::int64_t>(part.bytes);
  Account& account = context_->accounts()[resource_];
  account.pieces += static_cast<std::int64_t>(parts.size());
  account.bytes += bytes;
  if (began_ < 0) began_ = context_->timeline().now();
  if (in_sample_)
    sampled_bytes_[way] += bytes;
  else if (overlaps())
    estimate(way, bytes);
  return batch;
}

void FarMemory::wait(Way way, std::int64_t batch) {
  timed(way, Phase::wait, [&] { wait_batch(way, batch); });
}

void FarMemory::wait(Way way, std::int64_t batch, const std::function<bool()>& drive) {
  timed(way, Phase::wait, [&] {
    while (!ended(way, batch) && !drive()) std::this_thread::yield();
    wait_batch(way, batch);
  });
}

void FarMemory::copy(Way /*way*/, std::span<const BoxCopy> copies) {
  for (const BoxCopy& copy : copies) copy.run();
}

/// Before the first sample it only adds up the bytes.
void FarMemory::estimate(Way way, std::int64_t bytes) {
  SampleSum& m = samples_[way];
  m.unestimated += bytes;
  if (m.bytes == 0 || m.unestimated == 0) return;
  const double seconds = static_cast<double>(m.unestimated) * m.seconds / static_cast<double>(m.bytes);
  Account& account = context_->accounts()[resource_];
  account.apart += seconds;
  account.hideable += seconds;
  ++account.measured;
  m.unestimated = 0;
}

bool FarMemory::sample_due() const {
  if (!context_ || !overlaps() || began_ < 0) return false;
  const Sampling& sampling = context_->accounts().sampling;
  if (sampling.first > 0 && spent_ == 0) return true;
  const double elapsed = context_->timeline().now() - began_;
  return sampling.every > 0 && (spent_ + last_) * sampling.every <= elapsed;
}

void FarMemory::begin_sample() {
  if (!context_) return;
  sample_began_ = context_->timeline().now();
  in_sample_ = true;
  for (const Way way : {Way::in, Way::out}) wait(way);
  sampled_seconds_ = {};  // without the transfers that were in progress before
  sampled_bytes_ = {};
}

void FarMemory::end_sample() {
  if (!context_) return;
  in_sample_ = false;
  last_ = context_->timeline().now() - sample_began_;
  spent_ += last_;
  Account& account = context_->accounts()[resource_];
  for (const Way way : {Way::in, Way::out}) {
    if (sampled_bytes_[way] == 0) continue;
    SampleSum& m = samples_[way];
    m.bytes += sampled_bytes_[way];
    m.seconds += sampled_seconds_[way];
    ++account.measured;
    account.apart += sampled_seconds_[way];
    estimate(way, 0);
  }
}

}  // namespace sc
