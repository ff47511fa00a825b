// SPDX-License-Identifier: Apache-2.0
// SlabStream: arrays in far memory pass through slots while they are used: piece n + 1 is read, n computed, n
// - 1 written. Three slots are sufficient, unless only several pieces keep the far memory busy; then as many
// are read ahead and written behind. A slot contains one piece of every array of a phase, halo planes
// included. plane(use, z) is the address at which plane z is (or would be), so the offsets of a grid's layout
// are valid inside a slot.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/field/mode.hpp"
#include "engine/move/stream/far_array.hpp"

namespace sc {

/// The use of an array in a phase.
struct StreamUse {
  FarArray* array = nullptr;
  Mode mode = Mode::read;
  /// Planes below and above the piece that are read too. Planes that do not exist beyond the ends of an array
  /// are set by the user of the slot.
  int halo = 0;
  /// Planes below and above the piece with space in the slot, which the user of the slot sets.
  int room = 0;

  int around() const { return halo > room ? halo : room; }
  bool is_read() const { return mode == Mode::read || mode == Mode::update; }
  bool is_written() const { return mode == Mode::write || mode == Mode::update; }
  friend bool operator==(const StreamUse&, const StreamUse&) = default;
};
using StreamPhase = std::vector<StreamUse>;

/// A phase and the order of its pieces; by number if empty. `held`: a piece stays in near memory, and may be
/// changed, until the next one has been computed.
struct StreamPass {
  StreamPass(StreamPhase what = {}, std::vector<int> in_order = {}, bool stays = false)
      : phase(std::move(what)), order(std::move(in_order)), held(stays) {}
  StreamPhase phase;
  std::vector<int> order;
  bool held;

  int pieces() const { return phase[0].array->pieces(); }
  int piece(int n) const { return order.empty() ? n : order[static_cast<std::size_t>(n)]; }
};

/// A piece in near memory.
class Slot {
 public:
  int piece() const { return piece_; }
  /// The piece's own planes are [lo, hi).
  int lo() const { return lo_; }
  int hi() const { return hi_; }
  std::byte* plane(std::size_t use, int z) const {
    return zero_[use] + static_cast<std::ptrdiff_t>(z) * plane_bytes_[use];
  }

 private:
  friend class SlabStream;
  int piece_ = 0, lo_ = 0, hi_ = 0;
  std::vector<std::byte*> zero_;
  std::vector<std::ptrdiff_t> plane_bytes_;
};

class SlabStream {
 public:
  /// Near memory for phases that need up to `slot_bytes` for each slot. This many pieces are read beyond the
  /// computed one, and as many written behind it; 0 is one by one. `held`: one slot more, for passes that
  /// hold pieces.
  SlabStream(FarMemory& memory, std::size_t slot_bytes, int ahead, bool held = false);
  SlabStream(const SlabStream&) = delete;
  SlabStream& operator=(const SlabStream&) = delete;
  ~SlabStream();

  /// Bytes of a slot for a phase, and bytes copied. Throws Error (bad_input) for an invalid phase.
  static std::size_t slot_bytes(const StreamPhase& phase);
  static std::int64_t bytes(const StreamPhase& phase, Way way);
  /// Near memory of a stream with slots of this size and this read-ahead, in bytes.
  static std::size_t near_bytes(std::size_t slot_bytes, int ahead, bool held = false);

  /// Computes every piece. The first pieces of the following phase `next` are read meanwhile, unless they
  /// depend on the last pieces of this one. Writes may still be in progress when run() returns.
  void run(const StreamPhase& phase, const std::function<void(const Slot&)>& compute,
           const StreamPhase* next = nullptr);
  /// The same step by step, for callers with other work meanwhile: begin(), then take() and give() for each
  /// piece. `alone`: nothing is read or written during computation.
  void begin(StreamPass pass, const StreamPass* next = nullptr, bool alone = false);
  /// Whether the next piece has been read.
  bool arrived();
  /// Waits until it is, or drive() returns that nothing else is in progress.
  void await(const std::function<bool()>& drive);
  const Slot& take();
  /// The piece before the current one, in a pass that holds it; nullptr for the first.
  const Slot* held() const { return held_ ? &held_->slot : nullptr; }
  /// The current piece has been computed. In a pass that holds pieces the previous one is written then, and
  /// the last one at once.
  void give();
  /// Starts to read the first pieces of the next phase, during other work, and more of them when it is called
  /// again. Does nothing if pieces are processed one by one.
  void prefetch(const StreamPass& pass);
  /// Waits until all writes are complete.
  void finish();

  std::size_t near_bytes() const { return near_bytes(slot_bytes_, ahead_, holds_); }
  int ahead() const { return ahead_; }
  bool holds() const { return holds_; }

 private:
  /// A run of halo planes that is in another buffer until its copy is done.
  struct Bounce {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::size_t bytes = 0;
  };
  /// A piece that is read.
  struct Read {
    StreamPhase phase;
    std::vector<std::int64_t> stores;
    std::byte* memory = nullptr;
    Slot slot;
    std::vector<Bounce> bounces;
    std::int64_t batch = 0;
  };
  /// A piece that is written.
  struct Write {
    StreamPhase phase;
    int piece = 0;
    const std::byte* memory = nullptr;
    std::int64_t batch = 0;
  };

  /// Starts reads up to the read-ahead depth behind `computed` pieces of a phase: its own pieces, then those
  /// of the next phase.
  void read_ahead(int computed);
  void begin_next_read();
  void begin_read(const StreamPhase& phase, int piece);
  Read end_read();
  void begin_write(const Read& piece);
  void end_oldest_write();
  /// Keeps reads in progress if they are the beginning of this phase.
  void keep_prefetched();

  // The layout of slots (slab_layout.cpp).
  Slot lay_out(const StreamPhase& phase, int piece, std::byte* memory) const;
  void parts_to_read(Read& piece);
  void parts_to_write(const Read& piece);
  void add_halo(const StreamUse& use, std::size_t n, Read& piece, std::byte*& spare);
  /// Whether piece `piece` of `reader` needs anything of pieces [first, last) that `writer` writes.
  static bool depends(const StreamPhase& reader, int piece, const StreamPhase& writer, int first, int last);
  void check_room(const StreamPass& pass) const;

  FarMemory& memory_;
  std::size_t slot_bytes_;
  int ahead_;
  bool holds_;
  FarMemory::Buffer near_;
  std::vector<std::byte*> slots_;
  std::size_t next_slot_ = 0;
  std::vector<FarPart> parts_;
  std::deque<Read> reads_;
  std::deque<Write> writes_;
  // The pass in progress: pieces taken so far, and the one that has not been given yet.
  StreamPass pass_, next_;
  bool alone_ = false;
  bool sampling_ =
      false;  // this piece is computed and written, the next one read, with nothing else under way
  int taken_ = 0;
  Read now_;
  std::optional<Read> held_;
};

}  // namespace sc
