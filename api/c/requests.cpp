// SPDX-License-Identifier: Apache-2.0
// Halo: sends and receives in one direction, from their start to the end of their requests.
#include <algorithm>

#include "api/c/halo.hpp"
#include "engine/base/index.hpp"

namespace sc::halo {

namespace {

std::string text_of(const Ints4& direction, int dims) {
  std::string text = "(";
  for (int a = 0; a < dims; ++a) text += (a ? ", " : "") + std::to_string(direction[at(a)]);
  return text + ")";
}

Ints4 opposite(Ints4 direction) {
  for (int& d : direction) d = -d;
  return direction;
}

}  // namespace

Ints4 Halo::checked(const int* direction) const {
  if (!direction) throw Failure(HALO_ERR_ARGUMENT, "direction is null");
  Ints4 d{};
  bool any = false;
  for (int a = 0; a < r_.processes.dims; ++a) {
    d[at(a)] = direction[a];
    any = any || direction[a] != 0;
    if (direction[a] < -1 || direction[a] > 1)
      throw Failure(HALO_ERR_DIRECTION, "direction[" + std::to_string(a) + "] is " +
                                            std::to_string(direction[a]) + "; -1, 0 and 1 are allowed");
  }
  if (!any) throw Failure(HALO_ERR_DIRECTION, "direction is all 0, which leads nowhere");
  return d;
}

CellRange Halo::checked(const Ints4& direction, const std::int64_t* lo, const std::int64_t* hi) const {
  CellRange range;
  for (int a = 0; a < r_.processes.dims; ++a) {
    const int own = r_.own[at(a)];
    range.lo[at(a)] = 0;
    range.hi[at(a)] = own;
    if (direction[at(a)] != 0) continue;
    if (lo[a] < 0 || hi[a] > own || lo[a] > hi[a])
      throw Failure(HALO_ERR_RANGE, "the sub-range along process dimension " + std::to_string(a + 1) +
                                        " is " + std::to_string(lo[a]) + " to " + std::to_string(hi[a]) +
                                        "; the own cells are 0 to " + std::to_string(own));
    range.lo[at(a)] = static_cast<int>(lo[a]);
    range.hi[at(a)] = static_cast<int>(hi[a]);
  }
  return range;
}

halo_request Halo::isend(const int* direction, const std::int64_t* lo, const std::int64_t* hi) {
  return start(true, direction, lo, hi);
}

halo_request Halo::irecv(const int* direction, const std::int64_t* lo, const std::int64_t* hi) {
  return start(false, direction, lo, hi);
}

halo_request Halo::start(bool sends, const int* direction, const std::int64_t* lo, const std::int64_t* hi) {
  // A message is identified by the direction in which it travels.
  const Ints4 towards = checked(direction);
  const Ints4 travels = sends ? towards : opposite(towards);
  if ((lo == nullptr) != (hi == nullptr))
    throw Failure(HALO_ERR_ARGUMENT, "a sub-range needs both lo and hi, or neither");
  CellRange range;
  if (lo) range = checked(travels, lo, hi);
  const int most = r_.options.outstanding;
  auto& so_far = started_[sends][at((arrays_->group(travels, 0) - 1) / most)];
  const int group = arrays_->group(travels, static_cast<int>(so_far % most));
  for (const Flight& f : flights_)
    if (f.active && f.sends == sends && f.group == group)
      throw Failure(HALO_ERR_BUSY,
                    std::string(sends ? "the send" : "the receive") + " in direction " +
                        text_of(towards, r_.processes.dims) + " that was started " + std::to_string(most) +
                        " before this one is under way: wait for it, or raise options.outstanding");
  follow_step();
  const double begin = context_->timeline().now();
  overlapped_ = true;
  auto free = std::ranges::find_if(flights_, [](const Flight& f) { return !f.active; });
  if (free == flights_.end()) free = flights_.emplace(flights_.end());
  if (sends)
    arrays_->isend(group, lo ? &range : nullptr);
  else
    arrays_->irecv(group, lo ? &range : nullptr);
  ++so_far;
  free->sends = sends;
  free->active = true;
  free->group = group;
  free->direction = towards;
  free->wrong.clear();
  ++free->generation;
  record(Phase::start, begin);
  return (free->generation << 16) | (free - flights_.begin() + 1);
}

Halo::Flight& Halo::flight_of(const halo_request* request) {
  if (!request) throw Failure(HALO_ERR_ARGUMENT, "request is null");
  if (*request == HALO_REQUEST_NULL)
    throw Failure(HALO_ERR_REQUEST, "the request is HALO_REQUEST_NULL: nothing was started under it");
  const auto index = static_cast<std::size_t>(*request & 0xffff) - 1;
  if (index >= flights_.size() || !flights_[index].active || flights_[index].generation != *request >> 16)
    throw Failure(HALO_ERR_REQUEST,
                  "nothing is under way under this request: it was never started with this "
                  "handle, or has been waited for");
  return flights_[index];
}

bool Halo::ended(Flight& flight) {
  if (flight.sends) return arrays_->sent(flight.group);
  try {
    return arrays_->received(flight.group);
  } catch (const Error& error) {
    flight.wrong = error.what();
    return false;
  }
}

void Halo::end(Flight& flight, halo_request* request) {
  flight.active = false;
  *request = HALO_REQUEST_NULL;
  if (!flight.wrong.empty()) throw Failure(HALO_ERR_MISMATCH, flight.wrong);
}

void Halo::wait(halo_request* request) {
  Flight& flight = flight_of(request);
  const double begin = context_->timeline().now();
  const bool came = wait_for([&] { return ended(flight); });
  record(Phase::wait, begin);
  if (!came)
    throw Failure(HALO_ERR_TIMEOUT, "rank " + std::to_string(context_->rank()) + " has waited " +
                                        std::to_string(r_.options.timeout) + " s for its " +
                                        (flight.sends ? "send" : "receive") + " in direction " +
                                        text_of(flight.direction, r_.processes.dims) +
                                        (flight.wrong.empty() ? "" : "; " + flight.wrong) +
                                        ": it is still under way");
  end(flight, request);
}

bool Halo::test(halo_request* request) {
  Flight& flight = flight_of(request);
  const double begin = context_->timeline().now();
  arrays_->progress();
  const bool done = ended(flight);
  record(Phase::poke, begin);
  if (done) end(flight, request);
  return done;
}

}  // namespace sc::halo
