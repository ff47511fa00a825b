// SPDX-License-Identifier: Apache-2.0
// SlabStream: the ring. What lies where in a slot: slab_layout.cpp.
#include "engine/move/stream/slab_stream.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/base/error.hpp"

namespace sc {

SlabStream::SlabStream(FarMemory& memory, std::size_t slot_bytes, int ahead)
    : memory_(memory),
      slot_bytes_(slot_bytes),
      ahead_(ahead),
      near_(memory.allocate(near_bytes(slot_bytes, ahead))) {
  const std::size_t apart = near_bytes(slot_bytes, 0);
  for (std::size_t at = 0; at < near_bytes(); at += apart) slots_.push_back(near_.get() + at);
}

SlabStream::~SlabStream() {
  for (const Way way : {Way::in, Way::out}) {
    try {
      memory_.wait(way);  // slots are about to go
    } catch (const Error&) {
      continue;  // finish() is for those who want to know
    }
  }
}

void SlabStream::begin_read(const StreamPhase& phase, int piece) {
  std::byte* memory = slots_[next_slot_];
  next_slot_ = (next_slot_ + 1) % slots_.size();
  const auto in_the_way = [&](const Going& g) {
    return g.memory == memory || depends(phase, piece, g.phase, g.piece, g.piece + 1);
  };
  while (std::any_of(going_.begin(), going_.end(), in_the_way)) end_oldest_write();
  Coming& coming = coming_.emplace_back();
  coming.phase = phase;
  coming.memory = memory;
  coming.slot = lay_out(phase, piece, memory);
  parts_to_read(coming);
  coming.batch = memory_.start(Way::in, parts_);
}

SlabStream::Coming SlabStream::end_read() {
  Coming piece = std::move(coming_.front());
  coming_.pop_front();
  timed(&Times::read_wait, [&] { memory_.wait(Way::in, piece.batch); });
  for (const Bounce& b : piece.bounces) memory_.copy_near(b.to, b.from, b.bytes);
  return piece;
}

void SlabStream::begin_write(const Coming& piece) {
  parts_to_write(piece);
  if (parts_.empty()) return;
  going_.push_back({piece.phase, piece.slot.piece(), piece.memory, memory_.start(Way::out, parts_)});
}

void SlabStream::end_oldest_write() {
  const std::int64_t batch = going_.front().batch;
  going_.pop_front();
  timed(&Times::write_wait, [&] { memory_.wait(Way::out, batch); });
}

void SlabStream::keep_prefetched(const StreamPhase& phase) {
  // Planes beyond the ends may have changed; they are copied when the read is over.
  const auto stored = [](const StreamUse& use, std::int64_t stores) { return use.array->stores() == stores; };
  const auto as_now = [&](const Coming& c) {
    return c.phase == phase && std::equal(phase.begin(), phase.end(), c.stores.begin(), stored);
  };
  if (std::all_of(coming_.begin(), coming_.end(), as_now)) return;
  memory_.wait(Way::in, coming_.back().batch);
  coming_.clear();
}

void SlabStream::read_ahead(const StreamPhase& phase, int computed, const StreamPhase* next) {
  const int pieces = phase[0].array->pieces();
  while (static_cast<int>(coming_.size()) < ahead_) {
    const int piece = computed + static_cast<int>(coming_.size());
    if (piece < pieces)
      begin_read(phase, piece);
    else if (next && piece - pieces < (*next)[0].array->pieces() &&
             !depends(*next, piece - pieces, phase, computed - 1, pieces))
      begin_read(*next, piece - pieces);
    else
      return;
  }
}

void SlabStream::run(const StreamPhase& phase, const std::function<void(const Slot&)>& compute,
                     const StreamPhase* next) {
  for (const StreamPhase* p : {&phase, next})
    if (p && slot_bytes(memory_, *p) > slot_bytes_)
      throw Error(Exit::failure, "a phase needs " + std::to_string(slot_bytes(memory_, *p)) +
                                     " bytes a slot; the stream was made for " + std::to_string(slot_bytes_));
  const int pieces = phase[0].array->pieces();
  keep_prefetched(phase);
  for (int n = 0; n < pieces; ++n) {
    if (coming_.empty()) begin_read(phase, n);
    // One piece more is read alone: neither the last of a phase nor one that fills the ring already.
    const bool room = ahead_ > 0 && static_cast<int>(coming_.size()) <= ahead_;
    if (room && n + static_cast<int>(coming_.size()) < pieces && memory_.sample_due()) {
      sample(phase, n, compute);
      continue;
    }
    const Coming now = end_read();
    read_ahead(phase, n + 1, next);
    compute_piece(now, compute);
    begin_write(now);
  }
}

void SlabStream::compute_piece(const Coming& piece, const std::function<void(const Slot&)>& compute) {
  timed(&Times::compute, [&] { compute(piece.slot); });
  ++times_.pieces;
}

void SlabStream::sample(const StreamPhase& phase, int piece,
                        const std::function<void(const Slot&)>& compute) {
  memory_.begin_sample();
  going_.clear();  // all of it has been written
  const Coming now = end_read();
  begin_read(phase, piece + 1 + static_cast<int>(coming_.size()));
  memory_.wait(Way::in, coming_.back().batch);
  compute_piece(now, compute);
  begin_write(now);
  memory_.wait(Way::out);
  going_.clear();
  memory_.end_sample();
}

void SlabStream::prefetch(const StreamPhase& phase) {
  if (!coming_.empty() && coming_.front().phase != phase) return;
  // Nothing is computed and little written: of the slots one stays free, to which run() reads on.
  const int come = static_cast<int>(coming_.size());
  const int most = std::min({come + ahead_, 2 * ahead_, phase[0].array->pieces()});
  for (int piece = come; piece < most; ++piece) begin_read(phase, piece);
}

void SlabStream::finish() {
  while (!going_.empty()) end_oldest_write();
}

void SlabStream::timed(double Times::*sum, const std::function<void()>& action) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  action();
  times_.*sum += std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace sc
