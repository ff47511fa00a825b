// SPDX-License-Identifier: Apache-2.0
// SlabStream: arrays in far memory pass through a ring of slots while they are computed with: piece n + 1 is
// read, n computed, n - 1 written. Three slots do, unless the far memory is kept busy by several pieces only:
// then as many are read ahead, and written behind.
//
// A slot holds one piece of every array that a phase touches, the halo planes around it included. plane(use,
// z) is where plane z lies (or would lie), so that the offsets of a grid's layout hold inside a slot.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/move/stream/far_array.hpp"

namespace sc {

/// What a phase does with an array.
struct StreamUse {
  enum class Mode {
    reads,
    writes,
    updates,
    scratch  ///< neither comes nor leaves: there is only room for it in the slot
  };
  FarArray* array = nullptr;
  Mode mode = Mode::reads;
  /// Planes below and above the piece that are read too. Beyond the ends of an array, unless more of it lies
  /// there, whoever takes the slot sets them.
  int halo = 0;
  /// Planes below and above the piece for which there is room: whoever takes the slot sets them.
  int room = 0;

  int around() const { return halo > room ? halo : room; }
  bool is_read() const { return mode == Mode::reads || mode == Mode::updates; }
  bool is_written() const { return mode == Mode::writes || mode == Mode::updates; }
  friend bool operator==(const StreamUse&, const StreamUse&) = default;
};
using StreamPhase = std::vector<StreamUse>;

/// A phase and the order of its pieces; as they lie where that is empty. `held`: a piece stays near, and may
/// still be changed, until the one after it has been computed.
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
  /// Planes [lo, hi) are the piece's own.
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
  enum class Mode {
    ring,       ///< three slots, or more
    one_by_one  ///< one slot: read, compute, write
  };
  /// Near memory for phases that need up to `slot_bytes` a slot. So many pieces are read beyond the one that
  /// is computed, and as many written behind it; 0 is one by one. `held`: with a slot more, for passes that
  /// hold pieces.
  SlabStream(FarMemory& memory, std::size_t slot_bytes, int ahead, bool held = false);
  /// With as many ahead as keep the memory busy.
  SlabStream(FarMemory& memory, std::size_t slot_bytes, Mode mode)
      : SlabStream(memory, slot_bytes, mode == Mode::ring ? memory.batches_ahead(slot_bytes) : 0) {}
  SlabStream(const SlabStream&) = delete;
  SlabStream& operator=(const SlabStream&) = delete;
  ~SlabStream();

  /// What a phase needs a slot, and what it copies. Throws Error (bad_input) for a phase that cannot be run.
  static std::size_t slot_bytes(const StreamPhase& phase);
  static std::int64_t bytes(const StreamPhase& phase, Way way);
  /// Near memory of a stream whose slots have so many bytes, of which so many are read ahead.
  static std::size_t near_bytes(std::size_t slot_bytes, int ahead, bool held = false);

  /// Computes every piece. Of `next`, the phase that follows, the first pieces are read meanwhile, unless
  /// they depend on the last of this one. What was written may still be on its way when run() returns.
  void run(const StreamPhase& phase, const std::function<void(const Slot&)>& compute,
           const StreamPhase* next = nullptr);
  /// The same step by step, for whoever has something else to do meanwhile: begin(), then take() and give()
  /// for each piece. `alone`: nothing is read or written while something is computed.
  void begin(StreamPass pass, const StreamPass* next = nullptr, bool alone = false);
  /// Whether the piece that is taken next is there.
  bool arrived();
  /// Until it is, or drive() says that nothing else is on its way.
  void await(const std::function<bool()>& drive);
  const Slot& take();
  /// The piece before the one that was taken, in a pass that holds it; nullptr for the first.
  const Slot* held() const { return held_ ? &held_->slot : nullptr; }
  /// What was taken has been computed; in a pass that holds pieces the one before it is written then, and the
  /// last one at once.
  void give();
  /// Begins to read the first pieces of the phase that is run next, while something else is computed, and
  /// some more when it is called again. Does nothing without a ring.
  void prefetch(const StreamPass& pass);
  /// Until all that was written lies in far memory.
  void finish();

  struct Times {
    double compute = 0, read_wait = 0, write_wait = 0;  // seconds
    std::int64_t pieces = 0;
  };
  const Times& times() const { return times_; }
  std::size_t near_bytes() const { return near_bytes(slot_bytes_, ahead_, holds_); }
  int ahead() const { return ahead_; }
  bool holds() const { return holds_; }

 private:
  /// A run of halo planes that lies elsewhere until its copy is done.
  struct Bounce {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::size_t bytes = 0;
  };
  /// A piece that is read.
  struct Coming {
    StreamPhase phase;
    std::vector<std::int64_t> stores;
    std::byte* memory = nullptr;
    Slot slot;
    std::vector<Bounce> bounces;
    std::int64_t batch = 0;
  };
  /// A piece that is written.
  struct Going {
    StreamPhase phase;
    int piece = 0;
    const std::byte* memory = nullptr;
    std::int64_t batch = 0;
  };

  /// Fills the ring behind `computed` pieces of a phase: with more of it, then with the next phase's.
  void read_ahead(int computed);
  void begin_next_read();
  void begin_read(const StreamPhase& phase, int piece);
  Coming end_read();
  void begin_write(const Coming& piece);
  void end_oldest_write();
  /// Keeps what is coming if it is the beginning of this phase, as it is now.
  void keep_prefetched();

  // What lies where (slab_layout.cpp).
  Slot lay_out(const StreamPhase& phase, int piece, std::byte* memory) const;
  void parts_to_read(Coming& piece);
  void parts_to_write(const Coming& piece);
  void add_halo(const StreamUse& use, std::size_t n, Coming& piece, std::byte*& spare);
  /// Whether piece `piece` of `reader` takes in anything of pieces [first, last) that `writer` writes.
  static bool depends(const StreamPhase& reader, int piece, const StreamPhase& writer, int first, int last);
  void check_room(const StreamPass& pass) const;
  void timed(double Times::*sum, const std::function<void()>& action);

  FarMemory& memory_;
  std::size_t slot_bytes_;
  int ahead_;
  bool holds_;
  FarMemory::Buffer near_;
  std::vector<std::byte*> slots_;
  std::size_t next_slot_ = 0;
  std::vector<FarPart> parts_;
  std::deque<Coming> coming_;
  std::deque<Going> going_;
  // The pass under way: pieces taken so far, and the one that has not been given yet.
  StreamPass pass_, next_;
  bool alone_ = false;
  bool sampling_ =
      false;  // this piece is computed and written, the next one read, with nothing else under way
  int taken_ = 0;
  double taken_at_ = 0;
  Coming now_;
  std::optional<Coming> held_;
  Times times_;
};

}  // namespace sc
