// SPDX-License-Identifier: Apache-2.0
// Reduction: one MPI_Iallreduce for the keys, and one for the sums.
#include "engine/move/reduction.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include "engine/base/mpi_check.hpp"
#include "engine/move/waiting.hpp"
#include "engine/plan/rehearsal.hpp"

namespace sc {

Reduction::Reduction(Context& context) : context_(context), alive_(std::make_shared<Reduction*>(this)) {
  // A communicator must not be freed while a collective on it is in progress.
  context_.on_close([found = std::weak_ptr<Reduction*>(alive_)] {
    if (const auto reduction = found.lock()) {
      (*reduction)->wait();
      (*reduction)->alive_.reset();
    }
  });
}

Reduction::~Reduction() {
  // During an exception a rank does not wait for the others. The buffer is then leaked, because MPI may still
  // write to it.
  if (!alive_) return;
  if (std::uncaught_exceptions() == 0)
    wait();
  else if (!test())
    new std::vector<std::int64_t>(std::move(values_));
}

void Reduction::start(std::span<const std::int64_t> max_keys, std::span<const std::int64_t> sums,
                      const char* name) {
  wait();
  name_ = name;
  keys_ = max_keys.size();
  values_.resize(max_keys.size() + sums.size());
  std::copy(max_keys.begin(), max_keys.end(), values_.begin());
  std::copy(sums.begin(), sums.end(), values_.begin() + static_cast<std::ptrdiff_t>(keys_));
  Account& account = context_.accounts()[Resource::reductions];
  ++account.pieces;
  account.bytes += bytes();
  sample_ = sampled_.due(context_.accounts().sampling);
  if (sample_) begun_ = context_.timeline().now();
  note(true);
  begin(values_.data(), keys_, MPI_MAX, requests_[0]);
  begin(values_.data() + keys_, sums.size(), MPI_SUM, requests_[1]);
  under_way_ = true;
  if (sample_) wait();
}

void Reduction::begin(std::int64_t* values, std::size_t count, MPI_Op op, MPI_Request& request) {
  if (count == 0 || context_.rehearses()) return;
  const int n = static_cast<int>(count);
  mpi::check(MPI_Iallreduce(MPI_IN_PLACE, values, n, MPI_INT64_T, op, context_.comm(), &request));
}

bool Reduction::test() {
  int done = 0;
  mpi::check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE));
  return done != 0;
}

void Reduction::wait() {
  if (!under_way_) return;
  under_way_ = false;
  note(false);
  Timeline& timeline = context_.timeline();
  const double begin = sample_ ? begun_ : timeline.now();
  wait_until(context_, [&] { return test(); });
  const double end = timeline.now();
  const std::uint16_t name = sample_
                                 ? timeline.name(std::string(name_) + sampled_suffix, Resource::reductions)
                                 : timeline.name(name_, Resource::reductions);
  timeline.add(name, Phase::reduce, begin, end);
  sampled_.ran(sample_ ? Sampled::Kind::sample : Sampled::Kind::overlapped, {end - begin, 0},
               context_.accounts()[Resource::reductions]);
}

void Reduction::note(bool begins) const {
  if (Rehearsal* rehearsal = context_.rehearsal())
    rehearsal->events.emplace_back(RehearsedReduction{this, bytes(), begins});
}

}  // namespace sc
