// SPDX-License-Identifier: Apache-2.0
// SlabStream: arrays in far memory pass through a ring of three slots while they are computed with: piece n +
// 1 is read, n computed, n - 1 written. At any time at most one batch is read, one written.
//
// A slot holds one piece of every array that a phase touches, the halo planes around it included. plane(use,
// z) is where plane z lies (or would lie), so that the offsets of a grid's layout hold inside a slot.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "engine/base/timeline.hpp"
#include "engine/move/stream/far_array.hpp"

namespace sc {

/// What a phase does with an array.
struct StreamUse {
  enum class Mode { reads, writes, updates };
  FarArray* array = nullptr;
  Mode mode = Mode::reads;
  int halo = 0;  ///< planes below and above the piece that are read too
  /// Planes beyond the two ends of the array: `halo` below, then `halo` above, kept by the caller (a
  /// neighbour's). None: the array is periodic.
  const std::byte* beyond = nullptr;

  bool is_read() const { return mode != Mode::writes; }
  bool is_written() const { return mode != Mode::reads; }
  friend bool operator==(const StreamUse&, const StreamUse&) = default;
};
using StreamPhase = std::vector<StreamUse>;

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
    ring,       ///< three slots
    one_by_one  ///< one slot: read, compute, write
  };
  /// Near memory for phases that need up to `slot_bytes` a slot.
  SlabStream(FarMemory& memory, std::size_t slot_bytes, Mode mode, Timeline* timeline = nullptr);
  SlabStream(const SlabStream&) = delete;
  SlabStream& operator=(const SlabStream&) = delete;
  ~SlabStream();

  /// What a phase needs a slot, and what it copies. Throws Error (bad_input) for a phase that cannot be run.
  static std::size_t slot_bytes(const FarMemory& memory, const StreamPhase& phase);
  static std::int64_t bytes(const StreamPhase& phase, Way way);

  /// Computes every piece. Of `next`, the phase that follows, the first piece is read meanwhile, unless it
  /// depends on the last of this one. What was written may still be on its way when run() returns.
  void run(const StreamPhase& phase, const std::function<void(const Slot&)>& compute,
           const StreamPhase* next = nullptr);
  /// Begins to read the first piece of the phase that is run next, while something else is computed. Does
  /// nothing without a ring. Nothing else may read from this far memory until then.
  void prefetch(const StreamPhase& phase);
  /// Until all that was written lies in far memory.
  void finish();

  struct Times {
    double compute = 0, read_wait = 0, write_wait = 0;  // seconds
    std::int64_t pieces = 0;
  };
  const Times& times() const { return times_; }
  std::size_t near_bytes() const { return slot_bytes_ * slots_.size(); }

 private:
  /// A run of halo planes that lies elsewhere until its copy is done.
  struct Bounce {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::size_t bytes = 0;
  };
  struct Ready {
    StreamPhase phase;
    std::vector<std::int64_t> stores;
    std::byte* memory = nullptr;
    Slot slot;
    std::vector<Bounce> bounces;
  };

  Slot lay_out(const StreamPhase& phase, int piece, std::byte* memory) const;
  Ready begin_read(const StreamPhase& phase, int piece);
  void end_read(Ready& ready);
  void begin_write(const StreamPhase& phase, const Ready& ready);
  void end_write();
  void add_halo(const StreamUse& use, std::size_t n, Ready& ready, std::byte*& spare);
  /// Whether piece `piece` of `reader` takes in anything of pieces [first, last) that `writer` writes.
  static bool depends(const StreamPhase& reader, int piece, const StreamPhase& writer, int first, int last);
  std::optional<Ready> take_prefetched(const StreamPhase& phase);
  void timed(double Times::*sum, Phase phase, const char* name, const std::function<void()>& action);

  FarMemory& memory_;
  std::size_t slot_bytes_;
  Timeline* timeline_;
  std::vector<FarMemory::Buffer> slots_;
  std::size_t next_slot_ = 0;
  std::vector<FarPart> parts_;
  std::optional<Ready> prefetched_;
  StreamPhase writing_;  ///< what the batch under way writes, and of which piece
  int writing_piece_ = -1;
  const std::byte* writing_slot_ = nullptr;
  Times times_;
};

}  // namespace sc
