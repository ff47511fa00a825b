// SPDX-License-Identifier: Apache-2.0
// Carrier, the rounds: pieces go out as they are started, arrivals are absorbed in test() and wait().
#include "engine/move/carrier.hpp"

#include <algorithm>

#include "engine/base/error.hpp"
#include "engine/base/mpi_check.hpp"
#include "engine/move/flag.hpp"
#include "engine/move/waiting.hpp"

namespace sc {

namespace {

/// A fixed disorder (splitmix64) for the delayed transport.
std::uint64_t scramble(std::uint64_t v) {
  v += 0x9e3779b97f4a7c15U;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9U;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebU;
  return v ^ (v >> 31);
}

}  // namespace

void Carrier::begin_round() {
  // Also for a caller who rewrote nothing: the cells of staged phases lie in the halo, which this round
  // refreshes.
  if (being_read_) wait_for_peers([&] { return consumed(Transport::shared); });
  if (buffers_used_) wait_for_peers([&] { return consumed(Transport::staged); });
  ++round_;
  phase_ = started_ = sent_ = 0;
  missing_ = {};
  to_take_.clear();
  for (Job& job : departures_) job.done = false;
  for (Job& job : arrivals_) {
    job.done = false;
    ++missing_[static_cast<std::size_t>(job.phase)];
    if (job.transport == Transport::shared || job.transport == Transport::staged)
      to_take_.push_back(static_cast<int>(&job - arrivals_.data()));
  }
  if (device_) begin_on_device();
  messages_missing_ = static_cast<int>(receives_.size());
  if (messages_missing_ > 0) mpi::check(MPI_Startall(messages_missing_, receives_.data()));
  open_ = true;
  being_read_ = has_shared_;
  buffers_used_ = has_staged_;
  watch();
  advance_phases();
}

void Carrier::begin() {
  if (!open_) begin_round();
}

void Carrier::start(int piece) {
  begin();
  if (piece >= static_cast<int>(departures_.size())) return;
  Job& job = departures_[static_cast<std::size_t>(piece)];
  if (job.done)
    throw Error(Exit::failure, "piece " + std::to_string(piece) + " of a movement was started twice");
  job.done = true;
  ++started_;
  if (job.phase <= phase_) dispatch(piece);
  advance_phases();
}

void Carrier::dispatch(int job) {
  if (!delayed_) return send(job);
  const double seconds =
      context_.options().delay *
      (1.0 +
       0.25 * static_cast<double>(scramble(round_ * 4096 + static_cast<unsigned>(job)) >> 11) * 0x1p-53);
  held_.push_back({job, Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(seconds))});
}

void Carrier::send(int index) {
  Job& job = departures_[static_cast<std::size_t>(index)];
  ++sent_;
  count(job.transport, job.bytes);
  switch (job.transport) {
    case Transport::staged:
      run_copies(job);
      [[fallthrough]];
    case Transport::shared:
      store(job.flags.ready, round_);
      break;
    case Transport::self:
      run_copies(job);
      mark_arrived(arrivals_[static_cast<std::size_t>(job.partner)]);
      break;
    case Transport::mpi:
    case Transport::delayed:
    case Transport::device:
    case Transport::pinned:
      run_copies(job);
      if (device_) {
        packing_.push_back({job.request, device_->mark(Lane::edge)});
        break;
      }
      mpi::check(MPI_Start(&sends_[static_cast<std::size_t>(job.request)]));
      sends_active_ = true;
      break;
  }
}

void Carrier::count(Transport transport, std::size_t bytes) {
  Traffic& traffic = traffic_[static_cast<std::size_t>(transport)];
  ++traffic.messages;
  traffic.bytes += static_cast<std::int64_t>(bytes);
  if (transport == Transport::self) return;
  Account& account = context_.accounts()[Resource::messages];
  ++account.pieces;
  account.bytes += static_cast<std::int64_t>(bytes);
}

/// Of those whose time has come, in reverse order in even rounds and in a scrambled one in odd rounds.
void Carrier::release_held() {
  const auto now = Clock::now();
  const auto rank = [&](const Held& held) {
    const auto job = static_cast<std::uint64_t>(held.job);
    return held.due > now ? 0 : round_ % 2 == 0 ? job + 1 : scramble(round_ + job * 977) | 1U;
  };
  while (!held_.empty()) {
    const auto next = std::max_element(held_.begin(), held_.end(),
                                       [&](const Held& a, const Held& b) { return rank(a) < rank(b); });
    if (next->due > now) return;
    const int job = next->job;
    held_.erase(next);
    send(job);
  }
}

void Carrier::take_shared() {
  const auto ready = [&](std::size_t i) {
    const Job& job = arrivals_[static_cast<std::size_t>(to_take_[i])];
    return !job.done && load(job.flags.ready) >= round_;
  };
  std::size_t left = 0;
  for (std::size_t i = 0; i < to_take_.size(); ++i) {
    const int index = to_take_[i];
    Job& job = arrivals_[static_cast<std::size_t>(index)];
    const bool pair = job.pairs && i + 1 < to_take_.size() && to_take_[i + 1] == index + 1;
    if (pair && ready(i) && ready(i + 1)) {
      Job& next = arrivals_[static_cast<std::size_t>(to_take_[++i])];
      run_pair(job, next);
      for (Job* taken : {&job, &next}) {
        store(taken->flags.consumed, round_);
        mark_arrived(*taken);
      }
    } else if (!job.done && !take_shared(job)) {
      to_take_[left++] = index;
    }
  }
  to_take_.resize(left);
}

bool Carrier::take_shared(Job& job) {
  if (load(job.flags.ready) < round_) return false;
  run_copies(job);
  store(job.flags.consumed, round_);
  mark_arrived(job);
  return true;
}

void Carrier::take(std::span<const int> arrivals) {
  if (!open_) return;
  if (!held_.empty()) release_held();
  for (const int index : arrivals)
    if (Job& job = arrivals_[static_cast<std::size_t>(index)]; by_flags(job.transport) && !job.done)
      take_shared(job);
  if (messages_missing_ > 0) take_messages();
  advance_phases();
}

void Carrier::take_messages() {
  int count = 0;
  mpi::check(MPI_Testsome(static_cast<int>(receives_.size()), receives_.data(), &count, completed_.data(),
                          MPI_STATUSES_IGNORE));
  for (int i = 0; count != MPI_UNDEFINED && i < count; ++i) {
    const int receive = completed_[static_cast<std::size_t>(i)];
    Job& job = arrivals_[static_cast<std::size_t>(received_by_[static_cast<std::size_t>(receive)])];
    run_copies(job);
    mark_arrived(job);  // on a device as good as: what is enqueued from now on comes after it
    --messages_missing_;
    if (device_) unpacked_ = device_->mark(Lane::edge);
  }
}

void Carrier::mark_arrived(Job& job) {
  job.done = true;
  --missing_[static_cast<std::size_t>(job.phase)];
}

/// Departures of a later phase carry what earlier phases brought.
void Carrier::advance_phases() {
  while (phase_ < 2 && missing_[static_cast<std::size_t>(phase_)] == 0) {
    ++phase_;
    for (std::size_t i = 0; i < departures_.size(); ++i)
      if (departures_[i].phase == phase_ && departures_[i].done) dispatch(static_cast<int>(i));
  }
}

void Carrier::progress() {
  if (!held_.empty()) release_held();
  if (!packing_.empty()) start_packed();
  if (!to_take_.empty()) take_shared();
  if (messages_missing_ > 0) take_messages();
  advance_phases();
}

bool Carrier::nothing_to_push() {
  if (missing_[0] + missing_[1] + missing_[2] > 0 || sent_ < started_ || !packing_.empty()) return false;
  return sends_done();
}

bool Carrier::sends_done() {
  if (sends_active_) {
    int done = 0;
    mpi::check(MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &done, MPI_STATUSES_IGNORE));
    sends_active_ = done == 0;
  }
  return !sends_active_;
}

bool Carrier::test() {
  if (!open_) return true;
  progress();
  return nothing_to_push();
}

bool Carrier::test_others() {
  if (!open_) return true;
  progress();
  const auto missing = [](const Job& job) { return !job.done && job.transport != Transport::self; };
  if (std::any_of(arrivals_.begin(), arrivals_.end(), missing)) return false;
  return sent_ == started_ && packing_.empty() && sends_done();
}

void Carrier::wait_others() {
  wait_for_peers([&] { return test_others(); });
}

bool Carrier::copies_at_once() const {
  const auto phased = [](const Job& job) { return job.phase > 0; };
  return !delayed_ && !device_ && std::none_of(departures_.begin(), departures_.end(), phased);
}

bool Carrier::to_self(int piece) const {
  const auto i = static_cast<std::size_t>(piece);
  return i < departures_.size() && departures_[i].transport == Transport::self;
}

void Carrier::start_rest() {
  begin();
  for (std::size_t i = 0; !all_started(); ++i)
    if (!departures_[i].done) start(static_cast<int>(i));
}

void Carrier::wait(int piece) {
  start_rest();
  wait_for_peers([&] {
    if (!arrived(piece)) progress();
    return arrived(piece);
  });
}

void Carrier::wait() {
  start_rest();
  wait_for_peers([&] { return test(); });
  open_ = false;
  if (!being_read_) unwatch();
}

void Carrier::finish() {
  if (open_) wait();
  if (!being_read_) return;
  wait_for_peers([&] { return consumed(Transport::shared); });
  being_read_ = false;
  unwatch();
}

bool Carrier::consumed(Transport transport) const {
  return std::all_of(departures_.begin(), departures_.end(), [&](const Job& job) {
    return job.transport != transport || load(job.flags.consumed) >= round_;
  });
}

template <class Done>
void Carrier::wait_for_peers(Done done) {
  const double patience = context_.options().patience;
  if (wait_until(context_.comm(), done, patience)) return;
  throw Error(Exit::failure, "rank " + std::to_string(context_.rank()) + " has waited " +
                                 std::to_string(patience) + " s for its neighbours' halos");
}

void Carrier::run_copies(const Job& job) const {
  if (device_) {
    std::vector<CellCopy> copies;
    for (int i = job.first; i < job.last; ++i)
      copies.push_back(copies_[static_cast<std::size_t>(i)].for_device());
    return copy_cells(*device_, Lane::edge, copies);
  }
  for (int i = job.first; i < job.last; ++i) copies_[static_cast<std::size_t>(i)].run();
}

void Carrier::run_pair(const Job& job, const Job& next) const {
  for (int k = 0; k < job.last - job.first; ++k)
    copies_[static_cast<std::size_t>(job.first + k)].run_with(
        copies_[static_cast<std::size_t>(next.first + k)]);
}

void Carrier::watch() {
  for (const Route& route : routes_)
    if (route.from) route.from->add_reader(&owner_);
}

void Carrier::unwatch() {
  for (const Route& route : routes_)
    if (route.from) route.from->remove_reader(&owner_);
}

Box Carrier::source(int piece) const {
  const auto i = static_cast<std::size_t>(piece);
  return i < departures_.size() ? departures_[i].box : Box{};
}

Box Carrier::sink(int piece) const {
  const auto i = static_cast<std::size_t>(piece);
  return i < arrivals_.size() ? arrivals_[i].box : Box{};
}

bool Carrier::arrived(int piece) const {
  const auto i = static_cast<std::size_t>(piece);
  return i >= arrivals_.size() || arrivals_[i].done;
}

std::int64_t Carrier::bytes() const {
  std::int64_t sum = 0;
  for (const Job& job : departures_)
    if (job.transport != Transport::self) sum += static_cast<std::int64_t>(job.bytes);
  return sum;
}

}  // namespace sc
