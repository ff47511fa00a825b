// SPDX-License-Identifier: Apache-2.0
// ThroughDevice: a stage whose fields lie in the host's pinned memory, computed by a device: pieces of whole
// planes pass through slots there, piece n + 1 copied in while n is computed and n - 1 copied out. What is
// larger than a device is so limited by the host's memory alone.
//
// To a Runner it is the stage itself: halos travel and boundary conditions run on the host, with any split.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "engine/move/stream/host_memory.hpp"
#include "engine/move/stream/slab_stream.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

class ThroughDevice final : public Stage {
 public:
  /// `inner` must outlive it, and so must its fields, all of Space::pinned. Throws Error (bad_input) for
  /// fewer than 1 piece or more than this rank has planes, and for a stage that reduces, runs in colours or
  /// updates a field; Error (storage) where the device has no room for the slots.
  ThroughDevice(Stage& inner, std::shared_ptr<Device> device, int pieces);

  const Grid& grid() const override { return inner_.grid(); }
  const std::vector<Access>& accesses() const override { return inner_.accesses(); }
  /// One box only, which strategies without overlap take: every piece is computed in its turn.
  void compute(const Box& box, int threads, std::span<Accumulator> into) override;
  std::optional<Own> own() override { return Own{.cut = {.all = grid().own(), .core = {}, .shell = {}}}; }
  std::string refusal(const Strategy& strategy) const override;

  /// What it keeps on the device, and what its runs have copied so far.
  std::size_t device_bytes() const { return stream_->near_bytes(); }
  std::int64_t bytes(Way way) const { return memory_.bytes(way); }

 private:
  void compute_slot(const Slot& slot);
  const std::vector<std::unique_ptr<FarArray>>& arrays_of(const Access& access);
  StreamPhase phase();

  Stage& inner_;
  std::shared_ptr<Device> device_;
  int pieces_;
  HostMemory memory_;
  // Levels turn over: each storage keeps its arrays, a component one.
  std::map<Storage*, std::vector<std::unique_ptr<FarArray>>> arrays_;
  std::unique_ptr<SlabStream> stream_;
};

}  // namespace sc
