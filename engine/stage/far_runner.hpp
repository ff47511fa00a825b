// SPDX-License-Identifier: Apache-2.0
// FarRunner: runs stages over fields of which some lie in far memory (files), piece by piece through the ring
// of a SlabStream: the same stages that a Runner runs on memory, with the same bits. Strategies hide messages;
// this hides files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/move/stream/slab_stream.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

/// A field whose cells lie in far memory, cut into pieces along z, each component an array of its own. It has
/// no memory near: stages that declare it run by a FarRunner only.
class FarField final : public AnyField {
 public:
  /// Throws Error (bad_input) for more pieces than this rank has planes.
  FarField(const Grid& grid, const std::string& name, ElementType type, int components, FarMemory& memory,
           int pieces);
  std::vector<FarArray>& arrays() { return arrays_; }
  /// Bytes of one plane of one component, halo and padding of the rows included.
  static std::size_t plane_bytes(const Grid& grid, ElementType type) {
    return static_cast<std::size_t>(grid.layout().sz) * size_of(type);
  }
  template <class T, int N>
  Level<T, N> now() {
    return {this, 0};
  }

 private:
  std::vector<FarArray> arrays_;
};

class FarRunner {
 public:
  /// Near memory for stages that need up to `slot_bytes` a slot (see slot_bytes()).
  FarRunner(Context& context, FarMemory& memory, std::size_t slot_bytes, SlabStream::Mode mode)
      : context_(context), stream_(memory, slot_bytes, mode, &context.timeline()) {}

  /// Computes every own cell of the stage, and leaves its reductions in stage.accumulators(). Fields in far
  /// memory are read at their own cell only; halos of fields near must be fresh. Of `next`, the stage that runs
  /// next, the first piece is read meanwhile. Throws Error (failure) for a stage that reads a far field further
  /// than its own cell, Error (storage) where files fail.
  void run(Stage& stage, Stage* next = nullptr);
  /// The same of a stage that is run later, while something else is computed.
  void prefetch(Stage& stage) { stream_.prefetch(phase_of(stage)); }
  SlabStream& stream() { return stream_; }

  /// What the far fields of a stage need in a slot, and the bytes that a run of it reads and writes.
  static StreamPhase phase_of(Stage& stage);

 private:
  Context& context_;
  SlabStream stream_;
};

}  // namespace sc
