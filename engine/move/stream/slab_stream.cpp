// SPDX-License-Identifier: Apache-2.0
// SlabStream: the ring of slots. The layout of a slot is in slab_layout.cpp.
#include "engine/move/stream/slab_stream.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/error.hpp"

namespace sc {

SlabStream::SlabStream(FarMemory& memory, std::size_t slot_bytes, int ahead, bool held)
    : memory_(memory),
      slot_bytes_(slot_bytes),
      ahead_(ahead),
      holds_(held),
      near_(memory.allocate(near_bytes(slot_bytes, ahead, held))) {
  const std::size_t apart = near_bytes(slot_bytes, 0);
  for (std::size_t at = 0; at < near_bytes(); at += apart) slots_.push_back(near_.get() + at);
}

SlabStream::~SlabStream() {
  for (const Way way : {Way::in, Way::out}) {
    try {
      memory_.wait(way);  // slots are freed next
    } catch (const Error&) {
      continue;  // destructors do not report errors; finish() does
    }
  }
}

void SlabStream::begin_read(const StreamPhase& phase, int piece) {
  std::byte* memory = slots_[next_slot_];
  next_slot_ = (next_slot_ + 1) % slots_.size();
  const auto in_the_way = [&](const Write& g) {
    return g.memory == memory || depends(phase, piece, g.phase, g.piece, g.piece + 1);
  };
  while (std::ranges::any_of(writes_, in_the_way)) end_oldest_write();
  Read& read = reads_.emplace_back();
  read.phase = phase;
  read.memory = memory;
  read.slot = lay_out(phase, piece, memory);
  parts_to_read(read);
  read.batch = memory_.start(Way::in, parts_);
}

SlabStream::Read SlabStream::end_read() {
  Read piece = std::move(reads_.front());
  reads_.pop_front();
  memory_.wait(Way::in, piece.batch);
  for (const Bounce& b : piece.bounces) memory_.copy_near(b.to, b.from, b.bytes);
  return piece;
}

void SlabStream::begin_write(const Read& piece) {
  parts_to_write(piece);
  if (parts_.empty()) return;
  writes_.push_back({piece.phase, piece.slot.piece(), piece.memory, memory_.start(Way::out, parts_)});
}

void SlabStream::end_oldest_write() {
  const std::int64_t batch = writes_.front().batch;
  writes_.pop_front();
  memory_.wait(Way::out, batch);
}

void SlabStream::keep_prefetched() {
  const auto stored = [](const StreamUse& use, std::int64_t stores) { return use.array->stores() == stores; };
  // Only reads are compared; writes may differ.
  const auto read_alike = [](const StreamUse& a, const StreamUse& b) {
    return a.array == b.array && a.is_read() == b.is_read() && a.halo == b.halo && a.room == b.room;
  };
  int n = 0;
  const auto as_now = [&](const Read& c) {
    return std::equal(c.phase.begin(), c.phase.end(), pass_.phase.begin(), pass_.phase.end(), read_alike) &&
           c.slot.piece() == pass_.piece(n++) &&
           std::equal(c.phase.begin(), c.phase.end(), c.stores.begin(), stored);
  };
  if (std::ranges::all_of(reads_, as_now)) {
    for (Read& c : reads_) c.phase = pass_.phase;
    return;
  }
  memory_.wait(Way::in, reads_.back().batch);
  reads_.clear();
}

void SlabStream::read_ahead(int computed) {
  const int pieces = pass_.pieces();
  // Whether a piece of the next phase reads data that this phase has yet to write.
  const auto too_early = [&](int piece) {
    for (int n = std::max(0, computed - (pass_.held ? 2 : 1)); n < pieces; ++n)
      if (depends(next_.phase, piece, pass_.phase, pass_.piece(n), pass_.piece(n) + 1)) return true;
    return false;
  };
  while (!alone_ && static_cast<int>(reads_.size()) < ahead_) {
    const int n = computed + static_cast<int>(reads_.size());
    if (n < pieces)
      begin_read(pass_.phase, pass_.piece(n));
    else if (!next_.phase.empty() && n - pieces < next_.pieces() && !too_early(next_.piece(n - pieces)))
      begin_read(next_.phase, next_.piece(n - pieces));
    else
      return;
  }
}

void SlabStream::check_room(const StreamPass& pass) const {
  if (const std::size_t needed = slot_bytes(pass.phase); needed > slot_bytes_)
    throw Error(Exit::failure, "a phase needs " + std::to_string(needed) +
                                   " bytes a slot; the stream was made for " + std::to_string(slot_bytes_));
  if (pass.held && !holds_)
    throw Error(Exit::failure,
                "a pass holds the piece before the one that is computed; the stream has no slot for it");
}

void SlabStream::run(const StreamPhase& phase, const std::function<void(const Slot&)>& compute,
                     const StreamPhase* next) {
  const StreamPass after{next ? *next : StreamPhase{}};
  begin({phase}, next ? &after : nullptr);
  for (int n = 0; n < pass_.pieces(); ++n) {
    compute(take());
    give();
  }
}

void SlabStream::begin(StreamPass pass, const StreamPass* next, bool alone) {
  check_room(pass);
  if (next) check_room(*next);
  pass_ = std::move(pass);
  next_ = next ? *next : StreamPass{};
  alone_ = alone;
  taken_ = 0;
  keep_prefetched();
}

void SlabStream::begin_next_read() {
  if (reads_.empty()) begin_read(pass_.phase, pass_.piece(taken_));
}

bool SlabStream::arrived() {
  begin_next_read();
  return memory_.ended(Way::in, reads_.front().batch);
}

void SlabStream::await(const std::function<bool()>& drive) {
  begin_next_read();
  memory_.wait(Way::in, reads_.front().batch, drive);
}

const Slot& SlabStream::take() {
  begin_next_read();
  // For a sample, one more piece is read alone. It is not beyond the end of the phase, and the ring has room
  // for it.
  const int more = taken_ + static_cast<int>(reads_.size());
  const bool room = !alone_ && ahead_ > 0 && static_cast<int>(reads_.size()) <= ahead_;
  sampling_ = room && more < pass_.pieces() && memory_.sample_due();
  if (sampling_) {
    memory_.begin_sample();
    writes_.clear();  // begin_sample() has waited for all writes
  }
  now_ = end_read();
  ++taken_;
  if (sampling_) {
    begin_read(pass_.phase, pass_.piece(more));
    memory_.wait(Way::in, reads_.back().batch);
  } else {
    read_ahead(taken_);
  }
  return now_.slot;
}

void SlabStream::give() {
  if (pass_.held) {
    if (held_) begin_write(*held_);
    held_ = std::move(now_);
    if (taken_ == pass_.pieces()) {
      begin_write(*held_);
      held_.reset();
    }
  } else {
    begin_write(now_);
  }
  if (alone_) finish();
  if (!sampling_) return;
  memory_.wait(Way::out);
  writes_.clear();
  memory_.end_sample();
  sampling_ = false;
}

void SlabStream::prefetch(const StreamPass& pass) {
  if (!reads_.empty() && reads_.front().phase != pass.phase) return;
  // Up to `ahead_` more pieces, at most 2 * ahead_ in all. One slot stays free, into which run() continues to
  // read.
  const int begun = static_cast<int>(reads_.size());
  const int most = std::min({begun + ahead_, 2 * ahead_, pass.pieces()});
  for (int n = begun; n < most; ++n) begin_read(pass.phase, pass.piece(n));
}

void SlabStream::finish() {
  while (!writes_.empty()) end_oldest_write();
}

}  // namespace sc
