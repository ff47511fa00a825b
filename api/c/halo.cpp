// SPDX-License-Identifier: Apache-2.0
// Halo: registered arrays from halo_init to halo_finalize, exchanges of all halos, and steps.
#include "api/c/halo.hpp"

#include <algorithm>

#include "api/c/step.hpp"
#include "engine/base/index.hpp"
#include "engine/base/start.hpp"
#include "engine/move/waiting.hpp"

namespace sc::halo {

Halo::Halo(MPI_Comm comm, const halo_array* arrays, int count, const halo_options* options) {
  start_mpi();
  const int ranks = size_of(comm);
  // An error on one rank must not leave the others in a collective: it is communicated below.
  std::string wrong;
  halo_status status = HALO_OK;
  ContextOptions context_options;
  double timeout = halo_options_of(1).timeout;
  try {
    const halo_options read = read_options(options);
    timeout = read.timeout;
    r_ = registration_of(read_arrays(arrays, count), read, ranks);
    context_options.threads = read.threads;
    if (read.transport == HALO_MESSAGES) context_options.transport = TransportPolicy::mpi;
  } catch (const Failure& failure) {
    wrong = failure.what();
    status = failure.status();
  } catch (const Error& error) {
    wrong = error.what();
    status = HALO_ERR_ARGUMENT;
  }
  r_.options.timeout = meet(comm, timeout, "halo_init");
  context_options.timeout_seconds = timeout_seconds(r_.options.timeout);
  context_ = std::make_unique<Context>(comm, context_options);
  try {
    const int everyone = static_cast<int>(context_->sum(wrong.empty() ? 0 : 1));
    if (!wrong.empty()) throw Failure(status, wrong);
    if (everyone > 0)
      throw Failure(HALO_ERR_MISMATCH, std::to_string(everyone) + " other ranks could not be initialised");
    agree_on(*context_, r_);
    memory_ = memory_of(*context_, r_);
    make_arrays();
    name_ = context_->timeline().name("halo functions");
  } catch (...) {
    context_->close();
    throw;
  }
}

Halo::~Halo() = default;

void Halo::make_arrays() {
  std::vector<UserArray> arrays;
  for (std::size_t n = 0; n < r_.arrays.size(); ++n) {
    const halo_array& array = r_.arrays[n];
    UserArray& user = arrays.emplace_back(user_array_of(array, array.data));
    if (memory_.common) {
      const Places& places = memory_.places[n];
      user.places[0] = places[0]->place_of(user.own);
      if (array.next) user.places[1] = places[1]->place_of(user_array_of(array, array.next).own);
    }
    bound_.push_back(array.data);
  }
  arrays_ =
      std::make_unique<ArrayHalo>(*context_, r_.processes, std::move(arrays), r_.blocks,
                                  r_.options.outstanding, static_cast<std::size_t>(r_.options.piece_bytes));
  std::size_t directions = 1;
  for (int a = 0; a < r_.processes.dims; ++a) directions *= 3;
  started_.assign(2, std::vector<std::int64_t>(directions, 0));
}

bool Halo::busy() const {
  return exchanging_ || std::ranges::any_of(flights_, [](const Flight& f) { return f.active; });
}

void Halo::follow_step() {
  if (!step_) return;
  std::vector<void*> now;
  for (int n = 0; n < static_cast<int>(r_.arrays.size()); ++n) now.push_back(step_->data(n));
  if (now == bound_) return;
  if (busy())
    throw Failure(HALO_ERR_BUSY,
                  "halo_step has swapped the arrays while something is under way: wait for it first");
  std::vector<std::byte*> own;
  for (std::size_t n = 0; n < now.size(); ++n) own.push_back(user_array_of(r_.arrays[n], now[n]).own);
  arrays_->rebind(own);
  bound_ = now;
}

bool Halo::wait_for(const std::function<bool()>& done) {
  return wait_until(
      *context_,
      [&] {
        arrays_->progress();
        return done();
      },
      timeout_seconds(r_.options.timeout));
}

void Halo::exchange() {
  const double begin = context_->timeline().now();
  if (!exchanging_) {
    follow_step();
    arrays_->irecv(ArrayHalo::all);
    arrays_->isend(ArrayHalo::all);
    exchanging_ = true;
  }
  const bool came =
      wait_for([&] { return arrays_->received(ArrayHalo::all) && arrays_->sent(ArrayHalo::all); });
  exchanged_.ran(Sampled::Kind::plain, {record(Phase::wait, begin), 0},
                 context_->accounts()[Resource::messages]);
  if (!came)
    throw Failure(HALO_ERR_TIMEOUT, "rank " + std::to_string(context_->rank()) + " has waited " +
                                        std::to_string(r_.options.timeout) +
                                        " s for its neighbours' halos: the exchange is still under way");
  exchanging_ = false;
}

void Halo::give_up(const std::string& why) {
  if (step_) step_.release();  // its exchanges would wait for the other ranks again
  arrays_->abandon();
  new MemoryOfArrays(memory_);  // leaked: other ranks may still read there; halo_free refuses it
  arrays_.release();
  context_.release();
  throw Failure(HALO_ERR_TIMEOUT, why + "; this handle is given up");
}

void Halo::close() {
  if (broken_) give_up("an earlier halo_step has not ended");
  const bool here = busy();
  const std::optional<bool> any_busy = context_->any_within(here, timeout_seconds(r_.options.timeout));
  if (!any_busy)
    give_up("other ranks have not come to halo_finalize within " + std::to_string(r_.options.timeout) + " s");
  if (*any_busy)
    throw Failure(HALO_ERR_BUSY,
                  here ? "something is still under way: wait for it before halo_finalize"
                       : "on another rank something is still under way: it has to wait for that "
                         "before halo_finalize");
  step_.reset();
  arrays_.reset();
  context_->close();
}

void Halo::step(int strategy, halo_callback callback, void* user) {
  if (!callback) throw Failure(HALO_ERR_ARGUMENT, "callback is null");
  run_step([&](Step& step) { step.run(strategy, callback, user); });
}

void Halo::steps(int strategy, const StepsCallback& callback, int steps, int per_pass) {
  run_step([&](Step& step) { step.run(strategy, callback, steps, per_pass); });
}

std::string Halo::describe_passes() const {
  return step_ ? step_->describe_passes() : "halo_steps has made no step";
}

void Halo::run_step(const std::function<void(Step&)>& action) {
  if (broken_)
    throw Failure(HALO_ERR_BUSY, "an earlier halo_step has not ended: only halo_finalize is possible now");
  if (!step_) step_ = std::make_unique<Step>(*context_, r_);
  try {
    action(*step_);
  } catch (const Failure&) {  // an argument, before anything has begun
    throw;
  } catch (...) {
    broken_ = true;
    throw;
  }
}

void Halo::modified() {
  if (step_) step_->modified();
}

void* Halo::data(int array) const {
  if (array < 0 || array >= static_cast<int>(r_.arrays.size()))
    throw Failure(HALO_ERR_ARGUMENT, "array is " + std::to_string(array) + "; 0 to " +
                                         std::to_string(r_.arrays.size() - 1) + " are registered");
  return step_ ? step_->data(array) : r_.arrays[at(array)].data;
}

}  // namespace sc::halo
