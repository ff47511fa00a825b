// SPDX-License-Identifier: Apache-2.0
// Carrier, parcels that travel singly: each has rounds of its own, counted alike at both ends.
#include <algorithm>

#include "engine/base/error.hpp"
#include "engine/base/mpi_check.hpp"
#include "engine/move/carrier.hpp"
#include "engine/move/flag.hpp"

namespace sc {

void Carrier::prepare_singles() {
  singles_out_.resize(departures_.size());
  singles_in_.resize(arrivals_.size());
  constexpr std::size_t words = 3;  // ready, bytes, consumed
  own_flags_.assign(words * departures_.size(), 0);
  for (std::size_t i = 0; i < departures_.size(); ++i) {
    Job& job = departures_[i];
    singles_out_[i].bytes = job.bytes;
    if (job.transport != Transport::self) continue;
    job.flags = {&own_flags_[words * i], &own_flags_[words * i + 2]};
    arrivals_[static_cast<std::size_t>(job.partner)].flags = job.flags;
  }
  for (std::size_t i = 0; i < arrivals_.size(); ++i) singles_in_[i].bytes = arrivals_[i].bytes;
}

void Carrier::rebind(const std::vector<CellMemory>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Route& route = routes_[i];
    route.from_cells = route.to_cells = cells[i];
    if (!peer_cells_.empty()) now_[i] = cells[i].base == route.places[0].base ? 0 : 1;
  }
  copies_.clear();
  lay_out_copies();
}

std::vector<BoxCopy> Carrier::copies_of(const std::vector<Part>& parts, std::byte* packed, bool leaving,
                                        std::size_t& bytes) const {
  std::vector<BoxCopy> copies;
  bytes = 0;
  for (const Part& part : parts) {
    copies.push_back(packing(part, packed + bytes, leaving));
    bytes += bytes_of(part);
  }
  return copies;
}

void Carrier::run_single(const Single& single, const Job& job) const {
  if (!single.partial) return run_copies(job);
  for (const BoxCopy& copy : single.copies) copy.run();
}

void Carrier::offer(int departure, const std::vector<Part>* parts) {
  const auto i = static_cast<std::size_t>(departure);
  arm(singles_out_[i], departures_[i], parts, true);
  push(i);
}

void Carrier::offer(const std::vector<int>& departures) {
  for (const int departure : departures) {
    const auto i = static_cast<std::size_t>(departure);
    arm(singles_out_[i], departures_[i], nullptr, true);
  }
  for (std::size_t n = 0; n < departures.size(); ++n) {
    const auto i = static_cast<std::size_t>(departures[n]);
    const bool pair =
        departures_[i].pairs && n + 1 < departures.size() && departures[n + 1] == departures[n] + 1;
    if (pair && buffer_free(i) && buffer_free(i + 1)) {
      run_pair(departures_[i], departures_[i + 1]);
      send_packed(i);
      send_packed(i + 1);
      ++n;
    } else {
      push(i);
    }
  }
}

void Carrier::arm(Single& single, const Job& job, const std::vector<Part>* parts, bool leaving) {
  if (single.active) throw Error(Exit::failure, "a parcel is started that is still under way");
  ++single.round;
  single.active = true;
  single.packed = false;
  single.partial = parts != nullptr;
  single.bytes = job.bytes;
  if (parts) single.copies = copies_of(*parts, job.buffer, leaving, single.bytes);
  if (leaving) count(job.transport, single.bytes);
}

/// Whether the peer has taken the parcel before out of the buffer.
bool Carrier::buffer_free(std::size_t i) const {
  const std::uint64_t* consumed = departures_[i].flags.consumed;
  return !consumed || load(consumed) + 1 >= singles_out_[i].round;
}

void Carrier::push(std::size_t i) {
  if (singles_out_[i].packed || !buffer_free(i)) return;
  run_single(singles_out_[i], departures_[i]);
  send_packed(i);
}

void Carrier::send_packed(std::size_t i) {
  Single& single = singles_out_[i];
  const Job& job = departures_[i];
  single.packed = true;
  if (job.flags.ready) {
    job.flags.ready[1] = single.bytes;
    store(job.flags.ready, single.round);
  } else {
    mpi::check(MPI_Isend(job.buffer, static_cast<int>(single.bytes), MPI_BYTE, job.peer, job.tag,
                         context_.comm(), &single.request));
  }
}

bool Carrier::left(int departure) {
  const auto i = static_cast<std::size_t>(departure);
  Single& single = singles_out_[i];
  if (!single.active) return true;
  push(i);
  if (!single.packed) return false;
  if (in_place(departures_[i]) && load(departures_[i].flags.consumed) < single.round) return false;
  if (single.request != MPI_REQUEST_NULL) {
    int done = 0;
    mpi::check(MPI_Test(&single.request, &done, MPI_STATUS_IGNORE));
    if (!done) return false;
  }
  single.active = false;
  return true;
}

void Carrier::expect(int arrival, const std::vector<Part>* parts) {
  const auto i = static_cast<std::size_t>(arrival);
  Single& single = singles_in_[i];
  const Job& job = arrivals_[i];
  arm(single, job, parts, false);
  // The whole buffer, so that a longer message than expected is seen for what it is.
  if (!job.flags.ready)
    mpi::check(MPI_Irecv(job.buffer, static_cast<int>(job.bytes), MPI_BYTE, job.peer, job.tag,
                         context_.comm(), &single.request));
}

/// Whether the whole of a parcel lies ready in its buffer.
bool Carrier::whole_is_ready(std::size_t i) const {
  const Single& single = singles_in_[i];
  const Job& job = arrivals_[i];
  return single.active && !single.partial && job.flags.ready && load(job.flags.ready) >= single.round &&
         job.flags.ready[1] == single.bytes;
}

bool Carrier::come(const std::vector<int>& arrivals) {
  bool all = true;
  for (std::size_t n = 0; n < arrivals.size(); ++n) {
    const auto i = static_cast<std::size_t>(arrivals[n]);
    const bool pair = arrivals_[i].pairs && n + 1 < arrivals.size() && arrivals[n + 1] == arrivals[n] + 1;
    if (pair && whole_is_ready(i) && whole_is_ready(i + 1)) {
      run_pair(arrivals_[i], arrivals_[i + 1]);
      for (const std::size_t k : {i, i + 1}) {
        singles_in_[k].active = false;
        store(arrivals_[k].flags.consumed, singles_in_[k].round);
      }
      ++n;
    } else {
      all = come(arrivals[n]) && all;
    }
  }
  return all;
}

bool Carrier::come(int arrival) {
  const auto i = static_cast<std::size_t>(arrival);
  Single& single = singles_in_[i];
  const Job& job = arrivals_[i];
  if (!single.active) return true;
  std::size_t bytes = 0;
  if (job.flags.ready) {
    if (load(job.flags.ready) < single.round) return false;
    bytes = job.flags.ready[1];
  } else {
    int done = 0, count = 0;
    MPI_Status status;
    mpi::check(MPI_Test(&single.request, &done, &status));
    if (!done) return false;
    mpi::check(MPI_Get_count(&status, MPI_BYTE, &count));
    bytes = static_cast<std::size_t>(count);
  }
  single.active = false;
  const bool fits = bytes == single.bytes;
  if (fits) run_single(single, job);
  if (job.flags.consumed) store(job.flags.consumed, single.round);
  if (!fits)
    refuse("rank " + std::to_string(job.peer) + " has sent " + std::to_string(bytes) + " bytes where rank " +
           std::to_string(context_.rank()) + " expects " + std::to_string(single.bytes) +
           ": both ends must name the same sub-range");
  return true;
}

}  // namespace sc
