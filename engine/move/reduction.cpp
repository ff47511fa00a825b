// SPDX-License-Identifier: Apache-2.0
// Reduction: one MPI_Iallreduce for the keys, one for the sums.
#include "engine/move/reduction.hpp"

#include <algorithm>
#include <exception>

#include "engine/base/mpi_check.hpp"
#include "engine/move/waiting.hpp"

namespace sc {

Reduction::Reduction(Context& context) : context_(context), alive_(std::make_shared<Reduction*>(this)) {
  // A communicator must not be freed under a collective.
  context_.on_close([found = std::weak_ptr<Reduction*>(alive_)] {
    if (const auto reduction = found.lock()) {
      (*reduction)->wait();
      (*reduction)->alive_.reset();
    }
  });
}

Reduction::~Reduction() {
  // A rank that unwinds does not wait for others; nobody may still write into freed memory, though.
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
  if (!max_keys.empty())
    mpi::check(MPI_Iallreduce(MPI_IN_PLACE, values_.data(), static_cast<int>(keys_), MPI_INT64_T, MPI_MAX,
                              context_.comm(), &requests_[0]));
  if (!sums.empty())
    mpi::check(MPI_Iallreduce(MPI_IN_PLACE, values_.data() + keys_, static_cast<int>(sums.size()),
                              MPI_INT64_T, MPI_SUM, context_.comm(), &requests_[1]));
}

bool Reduction::test() {
  int done = 0;
  mpi::check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE));
  return done != 0;
}

void Reduction::wait() {
  wait_until(context_.comm(), [&] { return test(); });
}

}  // namespace sc
