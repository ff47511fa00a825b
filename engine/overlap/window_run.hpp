// SPDX-License-Identifier: Apache-2.0
// WindowRun: a window as an executor's ports. Its chunks are the cells that need no neighbour's halo, the
// completion of the halos, and the cells that wait for them, or slabs read from files. Each chunk executes
// all runs, tile by tile.
#pragma once

#include <mutex>
#include <vector>

#include "engine/overlap/window_slabs.hpp"
#include "engine/plan/executor.hpp"
#include "engine/stage/refresh.hpp"

namespace sc {

struct RehearsedRun;
struct Work;

struct WindowRunOptions {
  int threads = 1;
  double poke_seconds = 0.5e-3;
  Int3 tile = {};              ///< rows along y and planes along z; 0: chosen for the caches
  const char* booked_as = "";  ///< suffix of the window's name on the timeline
};

class WindowRun final : public Ports {
 public:
  /// `runs` of one grid; `inputs` refreshes their halos; `following`: the next runs, as far as known.
  WindowRun(const std::vector<Recorded>& runs, std::span<const Recorded> following, Refresh& inputs,
            Timeline& timeline, WindowRunOptions options);

  /// Collective.
  void carry_out(Executor& executor, const Strategy& strategy);

  std::int64_t own_cells() const { return grid_.own().cells(); }

  void start(const Piece& piece) override;
  bool arrived(const Arrival& arrival) override;
  void wait(const Arrival& arrival) override;
  void compute(const Chunk& chunk) override;
  void compute_beside(const Chunk& chunk, const std::function<void()>& drive, bool joins) override;

 private:
  enum Part : int { fill, close_inputs, inner, outer, first_slab };
  enum From : int { neighbours, files };
  WindowBlock block(const Strategy& strategy) const;
  Plan plan() const;
  void add_slabs(Plan& plan, int closed) const;
  bool rehearses() const { return grid_.context().rehearses(); }
  Work work_of(const Chunk& chunk) const;
  void note_filled(RehearsedRun& run, const Chunk& chunk) const;
  double bytes_of_own_cell() const;
  RehearsedRun rehearsed(const Plan& plan) const;
  void find_layers();
  void begin_stream(bool alone);
  void compute_inner();
  void compute_slab(int slab);
  void compute_towers(const Tower* slab);
  void sweep(const Tower& tower, int threads, bool pokes);
  void compute(int run, const Box& box, int threads);
  void compute_cells(int run, const Box& box, int threads, std::span<Accumulator> into) const;
  void apply_conditions(const Recorded::Use& use, int layers, const Box& box) const;
  void poke();

  const std::vector<Recorded>& runs_;
  RecordedArrays arrays_;
  std::vector<std::vector<Place>> places_;  // of the accesses of the runs
  Grid grid_;
  Refresh& inputs_;
  Timeline& timeline_;
  WindowRunOptions options_;
  std::uint16_t name_;
  bool apart_ = false, overlaps_ = false;
  std::optional<WindowPlan> cells_;
  std::optional<WindowSlabs> slabs_;
  SlabStream* stream_ = nullptr;
  std::vector<std::vector<int>>
      layers_;          // filled by conditions for later runs: for each run, for each access
  std::mutex merging_;  // into the values of runs
  double looked_ = 0, poked_ = 0;
};

}  // namespace sc
