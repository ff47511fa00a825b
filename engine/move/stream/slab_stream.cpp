// SPDX-License-Identifier: Apache-2.0
// SlabStream: the ring, and what lies where in a slot.
#include "engine/move/stream/slab_stream.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "engine/base/error.hpp"

namespace sc {

namespace {

constexpr std::size_t slot_alignment = 4096;  // a page of a host, and more than any device asks for

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

std::size_t halo_bytes(const StreamUse& use) {
  return static_cast<std::size_t>(use.halo) * use.array->plane_bytes();
}

/// Room of one use: halo planes around a piece that begins on a boundary, and as much again for halo planes
/// on their way (each plane may come by itself, with what surrounds it up to the next boundaries).
std::size_t lead_bytes(const StreamUse& use, std::size_t unit) { return round_up(halo_bytes(use), unit); }
std::size_t bounce_bytes(const StreamUse& use, std::size_t unit) {
  return use.halo == 0 || unit == 1  // where nothing begins on boundaries, all comes where it belongs
             ? 0
             : 2 * static_cast<std::size_t>(use.halo) * (round_up(use.array->plane_bytes(), unit) + 2 * unit);
}
std::size_t use_bytes(const StreamUse& use, std::size_t unit) {
  return 2 * lead_bytes(use, unit) + use.array->most_bytes() + bounce_bytes(use, unit);
}

void check(const StreamPhase& phase) {
  if (phase.empty()) refuse("a phase of a stream uses no array");
  for (std::size_t n = 0; n < phase.size(); ++n) {
    const StreamUse& use = phase[n];
    const FarArray& array = *use.array;
    if (array.planes() != phase[0].array->planes() || array.pieces() != phase[0].array->pieces())
      refuse("\"" + array.name() + "\" and \"" + phase[0].array->name() +
             "\" of one phase are not cut alike: their planes and pieces differ");
    if (use.halo < 0 || use.halo > array.planes())
      refuse("\"" + array.name() + "\" is read with a halo of " + std::to_string(use.halo) +
             " planes and has " + std::to_string(array.planes()));
    if (use.halo > 0 && use.is_written())
      refuse("\"" + array.name() +
             "\" is written while planes around a piece of it are read: take two arrays");
    for (std::size_t m = 0; m < n; ++m)
      if (phase[m].array == use.array) refuse("\"" + array.name() + "\" is named twice in one phase");
  }
}

}  // namespace

SlabStream::SlabStream(FarMemory& memory, std::size_t slot_bytes, Mode mode, Timeline* timeline)
    : memory_(memory),
      slot_bytes_(slot_bytes),
      timeline_(timeline),
      ahead_(mode == Mode::one_by_one ? 0 : memory.batches_ahead(slot_bytes)),
      near_(memory.allocate(near_bytes(slot_bytes, ahead_))) {
  for (int n = 0; n < 2 * ahead_ + 1; ++n)
    slots_.push_back(near_.get() + static_cast<std::size_t>(n) * round_up(slot_bytes, slot_alignment));
}

std::size_t SlabStream::near_bytes(std::size_t slot_bytes, int ahead) {
  return static_cast<std::size_t>(2 * ahead + 1) * round_up(slot_bytes, slot_alignment);
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

std::size_t SlabStream::slot_bytes(const FarMemory& memory, const StreamPhase& phase) {
  check(phase);
  std::size_t sum = 0;
  for (const StreamUse& use : phase) sum += use_bytes(use, memory.alignment());
  return sum;
}

std::int64_t SlabStream::bytes(const StreamPhase& phase, Way way) {
  check(phase);
  std::int64_t sum = 0;
  const auto add_runs = [&](const FarArray& array, int lo, int hi) {
    for (const PlaneRun& run : array.runs(lo, hi)) {
      std::size_t lead = 0;
      sum += static_cast<std::int64_t>(array.part(run, lead).bytes);
    }
  };
  for (const StreamUse& use : phase) {
    const FarArray& a = *use.array;
    if (way == Way::in ? !use.is_read() : !use.is_written()) continue;
    for (int piece = 0; piece < a.pieces(); ++piece) {
      sum += static_cast<std::int64_t>(a.padded_bytes(piece));
      if (way == Way::out || use.halo == 0) continue;
      const int lo = a.first(piece), hi = a.first(piece + 1);
      add_runs(a, use.beyond ? std::max(0, lo - use.halo) : lo - use.halo, lo);
      add_runs(a, hi, use.beyond ? std::min(a.planes(), hi + use.halo) : hi + use.halo);
    }
  }
  return sum;
}

Slot SlabStream::lay_out(const StreamPhase& phase, int piece, std::byte* memory) const {
  Slot slot;
  slot.piece_ = piece;
  slot.lo_ = phase[0].array->first(piece);
  slot.hi_ = phase[0].array->first(piece + 1);
  for (const StreamUse& use : phase) {
    const auto plane = static_cast<std::ptrdiff_t>(use.array->plane_bytes());
    slot.zero_.push_back(memory + lead_bytes(use, memory_.alignment()) - slot.lo_ * plane);
    slot.plane_bytes_.push_back(plane);
    memory += use_bytes(use, memory_.alignment());
  }
  return slot;
}

/// Halo planes are read where they belong if they begin and end on boundaries there, else beside it.
void SlabStream::add_halo(const StreamUse& use, std::size_t n, Coming& piece, std::byte*& spare) {
  const FarArray& array = *use.array;
  const std::size_t plane = array.plane_bytes(), unit = memory_.alignment();
  const int lo = piece.slot.lo(), hi = piece.slot.hi();
  const auto kept = [&](int first, int last,
                        const std::byte* from) {  // beyond an end, in the caller's memory
    if (first < last)
      piece.bounces.push_back(
          {from, piece.slot.plane(n, first), static_cast<std::size_t>(last - first) * plane});
  };
  const auto far = [&](int first, int last) {
    int at = first;
    for (const PlaneRun& run : array.runs(first, last)) {
      std::byte* place = piece.slot.plane(n, at);
      std::size_t lead = 0;
      FarPart part = array.part(run, lead);
      const std::size_t bytes = static_cast<std::size_t>(run.hi - run.lo) * plane;
      const bool in_place = lead == 0 && part.bytes == bytes && plane % unit == 0;
      part.near = in_place ? place : spare;
      if (!in_place) {
        piece.bounces.push_back({spare + lead, place, bytes});
        spare += part.bytes;
      }
      parts_.push_back(part);
      at += run.hi - run.lo;
    }
  };
  const int below = use.beyond ? std::max(lo - use.halo, 0) : lo - use.halo;
  const int above = use.beyond ? std::min(hi + use.halo, array.planes()) : hi + use.halo;
  if (use.beyond) {
    kept(lo - use.halo, below, use.beyond + static_cast<std::size_t>(lo) * plane);
    kept(above, hi + use.halo,
         use.beyond + halo_bytes(use) + static_cast<std::size_t>(above - array.planes()) * plane);
  }
  far(below, lo);
  far(hi, above);
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
  parts_.clear();
  for (std::size_t n = 0; n < phase.size(); ++n) {
    const StreamUse& use = phase[n];
    coming.stores.push_back(use.array->stores());
    if (!use.is_read()) continue;
    std::size_t lead = 0;
    FarPart part = use.array->part({piece, coming.slot.lo(), coming.slot.hi()}, lead);
    part.near = coming.slot.plane(n, coming.slot.lo());
    parts_.push_back(part);
    std::byte* spare = part.near + use.array->most_bytes() + lead_bytes(use, memory_.alignment());
    if (use.halo > 0) add_halo(use, n, coming, spare);
  }
  coming.batch = memory_.start(Way::in, parts_);
}

SlabStream::Coming SlabStream::end_read() {
  Coming piece = std::move(coming_.front());
  coming_.pop_front();
  timed(&Times::read_wait, Phase::wait, "stream read", [&] { memory_.wait(Way::in, piece.batch); });
  for (const Bounce& b : piece.bounces) memory_.copy_near(b.to, b.from, b.bytes);
  return piece;
}

void SlabStream::begin_write(const StreamPhase& phase, const Coming& piece) {
  const Slot& slot = piece.slot;
  parts_.clear();
  for (std::size_t n = 0; n < phase.size(); ++n) {
    const StreamUse& use = phase[n];
    if (!use.is_written()) continue;
    std::size_t lead = 0;
    FarPart part = use.array->part({slot.piece(), slot.lo(), slot.hi()}, lead);
    part.near = slot.plane(n, slot.lo());
    // What fills the piece up to the boundary is nobody's: zero rather than whatever was in the slot.
    const std::size_t used = static_cast<std::size_t>(slot.hi() - slot.lo()) * use.array->plane_bytes();
    if (part.bytes > used) std::memset(part.near + used, 0, part.bytes - used);
    parts_.push_back(part);
  }
  if (parts_.empty()) return;
  going_.push_back({phase, slot.piece(), piece.memory, memory_.start(Way::out, parts_)});
}

void SlabStream::end_oldest_write() {
  const std::int64_t batch = going_.front().batch;
  going_.pop_front();
  timed(&Times::write_wait, Phase::wait, "stream write", [&] { memory_.wait(Way::out, batch); });
}

bool SlabStream::depends(const StreamPhase& reader, int piece, const StreamPhase& writer, int first,
                         int last) {
  for (const StreamUse& use : reader) {
    if (!use.is_read()) continue;
    const bool written = std::any_of(writer.begin(), writer.end(), [&](const StreamUse& w) {
      return w.array == use.array && w.is_written();
    });
    if (!written) continue;
    int lo = use.array->first(piece) - use.halo, hi = use.array->first(piece + 1) + use.halo;
    if (use.beyond) {
      lo = std::max(lo, 0);
      hi = std::min(hi, use.array->planes());
    }
    for (const PlaneRun& run : use.array->runs(lo, hi))
      if (first <= run.piece && run.piece < last) return true;
  }
  return false;
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
    const Coming now = end_read();
    read_ahead(phase, n + 1, next);
    timed(&Times::compute, Phase::all, "stream compute", [&] { compute(now.slot); });
    ++times_.pieces;
    begin_write(phase, now);
  }
}

void SlabStream::prefetch(const StreamPhase& phase) {
  if (coming_.empty()) read_ahead(phase, 0, nullptr);
}

void SlabStream::finish() {
  while (!going_.empty()) end_oldest_write();
}

void SlabStream::timed(double Times::*sum, Phase phase, const char* name,
                       const std::function<void()>& action) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const double from = timeline_ ? timeline_->now() : 0;
  action();
  times_.*sum += std::chrono::duration<double>(Clock::now() - begin).count();
  if (timeline_) timeline_->add(timeline_->name(name), phase, from, timeline_->now());
}

}  // namespace sc
