// SPDX-License-Identifier: Apache-2.0
// SlabStream: layout of a slot, and the copies that fill and empty it.
#include <algorithm>
#include <cstring>

#include "engine/base/align.hpp"
#include "engine/base/error.hpp"
#include "engine/move/stream/slab_stream.hpp"

namespace sc {

namespace {

constexpr std::size_t slot_alignment = memory_page;  // sufficient for all devices

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

std::size_t SlabStream::slot_bytes(const StreamPhase& phase) {
  check(phase);
  std::size_t sum = 0;
  for (const StreamUse& use : phase) sum += use.array->cut().slot_bytes(use.halo, use.room);
  return sum;
}

std::size_t SlabStream::near_bytes(std::size_t slot_bytes, int ahead, bool held) {
  return static_cast<std::size_t>(2 * ahead + (held ? 2 : 1)) * round_up(slot_bytes, slot_alignment);
}

std::int64_t SlabStream::bytes(const StreamPhase& phase, Way way) {
  check(phase);
  std::int64_t sum = 0;
  for (const StreamUse& use : phase) {
    if (way == Way::in && use.is_read()) sum += use.array->cut().moved(use.halo);
    if (way == Way::out && use.is_written()) sum += use.array->cut().moved();
  }
  return sum;
}

Slot SlabStream::lay_out(const StreamPhase& phase, int piece, std::byte* memory) const {
  Slot slot;
  slot.piece_ = piece;
  slot.lo_ = phase[0].array->first(piece);
  slot.hi_ = phase[0].array->first(piece + 1);
  std::size_t begin = 0;
  for (const StreamUse& use : phase) {
    const auto plane = static_cast<std::ptrdiff_t>(use.array->plane_bytes());
    std::byte* const data = memory + round_up(begin, memory_.near_alignment());
    slot.zero_.push_back(data + use.array->cut().lead_bytes(use.around()) - slot.lo_ * plane);
    slot.plane_bytes_.push_back(plane);
    begin += use.array->cut().slot_bytes(use.halo, use.room);
  }
  return slot;
}

/// Halo planes are read directly to their place if they are aligned in far memory, otherwise through a spare
/// buffer.
void SlabStream::add_halo(const StreamUse& use, std::size_t n, Read& piece, std::byte*& spare) {
  const FarArray& array = *use.array;
  const std::size_t plane = array.plane_bytes(), unit = memory_.alignment();
  const int lo = piece.slot.lo(), hi = piece.slot.hi();
  const auto add = [&](int first, int last) {
    for (const PlaneRun& run : array.cut().runs(first, last)) {
      std::byte* place = piece.slot.plane(n, run.lo);
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
    }
  };
  add(lo - use.halo, lo);
  add(hi, hi + use.halo);
}

void SlabStream::parts_to_read(Read& piece) {
  parts_.clear();
  for (std::size_t n = 0; n < piece.phase.size(); ++n) {
    const StreamUse& use = piece.phase[n];
    piece.stores.push_back(use.array->stores());
    if (!use.is_read()) continue;
    std::size_t lead = 0;
    FarPart part = use.array->part({piece.slot.piece(), piece.slot.lo(), piece.slot.hi()}, lead);
    part.near = piece.slot.plane(n, piece.slot.lo());
    parts_.push_back(part);
    const PlaneCut& cut = use.array->cut();
    std::byte* spare =
        part.near + cut.most_bytes() + cut.lead_bytes(use.around()) + cut.tail_bytes(use.around());
    if (use.halo > 0) add_halo(use, n, piece, spare);
  }
}

void SlabStream::parts_to_write(const Read& piece) {
  const Slot& slot = piece.slot;
  parts_.clear();
  for (std::size_t n = 0; n < piece.phase.size(); ++n) {
    const StreamUse& use = piece.phase[n];
    if (!use.is_written()) continue;
    std::size_t lead = 0;
    FarPart part = use.array->part({slot.piece(), slot.lo(), slot.hi()}, lead);
    part.near = slot.plane(n, slot.lo());
    // The padding up to the alignment is zeroed, so that contents of other fields do not get into the file.
    const std::size_t used = static_cast<std::size_t>(slot.hi() - slot.lo()) * use.array->plane_bytes();
    if (part.bytes > used) std::memset(part.near + used, 0, part.bytes - used);
    parts_.push_back(part);
  }
}

bool SlabStream::depends(const StreamPhase& reader, int piece, const StreamPhase& writer, int first,
                         int last) {
  for (const StreamUse& use : reader) {
    if (!use.is_read()) continue;
    const bool written = std::ranges::any_of(
        writer, [&](const StreamUse& w) { return w.array == use.array && w.is_written(); });
    if (!written) continue;
    const int lo = use.array->first(piece) - use.halo, hi = use.array->first(piece + 1) + use.halo;
    for (const PlaneRun& run : use.array->cut().runs(lo, hi))
      if (first <= run.piece && run.piece < last) return true;
  }
  return false;
}

}  // namespace sc
