// SPDX-License-Identifier: Apache-2.0
// Reduction: one MPI_Iallreduce (or MPI_Ireduce to one rank) for the keys, and one for the sums.
#include "engine/move/reduction.hpp"

#include <algorithm>
#include <exception>

#include "engine/base/mpi_check.hpp"
#include "engine/move/waiting.hpp"

namespace sc {

Reduction::Reduction(Context& context, int root)
    : context_(context), root_(root), alive_(std::make_shared<Reduction*>(this)) {
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

void Reduction::start(std::span<const std::int64_t> max_keys, std::span<const std::int64_t> sums) {
  wait();
  keys_ = max_keys.size();
  values_.resize(max_keys.size() + sums.size());
  std::copy(max_keys.begin(), max_keys.end(), values_.begin());
  std::copy(sums.begin(), sums.end(), values_.begin() + static_cast<std::ptrdiff_t>(keys_));
  begin(values_.data(), keys_, MPI_MAX, requests_[0]);
  begin(values_.data() + keys_, sums.size(), MPI_SUM, requests_[1]);
}

void Reduction::begin(std::int64_t* values, std::size_t count, MPI_Op op, MPI_Request& request) {
  if (count == 0 || context_.rehearses()) return;
  const int n = static_cast<int>(count);
  if (root_ == everybody)
    mpi::check(MPI_Iallreduce(MPI_IN_PLACE, values, n, MPI_INT64_T, op, context_.comm(), &request));
  else if (root_ == context_.rank())
    mpi::check(MPI_Ireduce(MPI_IN_PLACE, values, n, MPI_INT64_T, op, root_, context_.comm(), &request));
  else
    mpi::check(MPI_Ireduce(values, nullptr, n, MPI_INT64_T, op, root_, context_.comm(), &request));
}

bool Reduction::test() {
  int done = 0;
  mpi::check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE));
  return done != 0;
}

void Reduction::wait() {
  wait_until(context_, [&] { return test(); });
}

}  // namespace sc
