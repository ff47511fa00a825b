// SPDX-License-Identifier: Apache-2.0
// FarRunner: runs stages over fields of which some lie in far memory (files), piece by piece through the ring
// of a SlabStream: the same stages that a Runner runs on memory, with the same bits. Strategies hide
// messages; this hides files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/stage/far_field.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

class FarRunner {
 public:
  /// Near memory for stages that need up to `slot_bytes` a slot (see slot_bytes()).
  FarRunner(Context& context, FarMemory& memory, std::size_t slot_bytes, SlabStream::Mode mode)
      : context_(context), stream_(memory, slot_bytes, mode) {
    memory.book_on(context);
  }
  /// So many pieces ahead; see SlabStream.
  FarRunner(Context& context, FarMemory& memory, std::size_t slot_bytes, int ahead)
      : context_(context), stream_(memory, slot_bytes, ahead) {
    memory.book_on(context);
  }

  /// Collective. Computes every own cell of the stage, and leaves its reductions in stage.accumulators().
  /// Halos of far fields travel with the pieces; those of fields near must be fresh. Of `next`, the stage
  /// that runs next, the first piece is read meanwhile. Throws Error (failure) for a reach with diagonals,
  /// Error (storage) where files fail.
  void run(Stage& stage, Stage* next = nullptr);
  /// The same of a stage that is run later, while something else is computed.
  void prefetch(Stage& stage) { stream_.prefetch(phase_of(stage)); }
  SlabStream& stream() { return stream_; }

  /// What the far fields of a stage need in a slot, and the bytes that a run of it reads and writes.
  static StreamPhase phase_of(Stage& stage);

 private:
  void compute(Stage& stage, const Slot& slot);
  void exchange(const Stage& stage, FarField& field, int width);

  Context& context_;
  SlabStream stream_;
  Sampled exchanged_;
};

}  // namespace sc
