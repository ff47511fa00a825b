// SPDX-License-Identifier: Apache-2.0
// WindowRun: a window as an executor's ports. Its chunks are the cells that need no neighbour's halo, the
// completion of the halos, and the cells that wait for them; or slabs read from files, the first of which is
// divided in the same way. Each chunk executes all runs, tile by tile.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "engine/base/index.hpp"
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

 private:
  enum Part : int { fill, close_inputs, inner, outer, first_slab };
  static constexpr int files = -1;  // number of the stream in a plan; exchanges are numbered from 0
  WindowBlock block(const Strategy& strategy) const;
  void choose_cells(const Strategy& strategy);
  Plan plan() const;
  void add_slabs(Plan& plan, std::span<const int> filled, std::span<const int> there) const;
  Exchange& exchange(int number) const { return *inputs_.exchanges()[at(number)]; }
  bool rehearses() const { return grid_.context().rehearses(); }
  Work work_of(const Chunk& chunk) const;
  void note_filled(RehearsedRun& run, const Chunk& chunk) const;
  double bytes_of_own_cell() const;
  RehearsedRun rehearsed(const Plan& plan) const;
  void find_layers();
  void fill_constant();
  void forget_filled() const;
  static unsigned bit_of(Face face) { return 1U << (2 * face.axis + face.side); }
  void begin_on_device();
  void await_device();
  void begin_stream(bool alone);
  void compute_inner();
  double begin_to_poke();
  void add_span(Phase phase, double begin, bool poked);
  void compute_slab(int slab);
  void compute_shells();
  void close_slab(const Slot& slot, const Slot* before);
  void compute_trapezoids(const WindowPlan& plan, const Trapezoid& slab);
  void sweep(const WindowPlan& plan, const Trapezoid& trapezoid, int threads, bool pokes = false);
  void sweep_by_rows(const WindowPlan& plan, const Trapezoid& trapezoid);
  void compute_tile(const WindowPlan& plan, const Trapezoid& trapezoid, const Trapezoid& tile, int threads,
                    bool pokes);
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
  Device* device_;  // that computes; nullptr: the host
  WindowRunOptions options_;
  std::uint16_t name_;
  bool apart_ = false, overlaps_ = false;
  bool looks_ = false;                               // messages are under way beside computation
  std::optional<WindowPlan> cells_, of_first_slab_;  // the latter if it begins before the halos are there
  std::optional<WindowSlabs> slabs_;
  SlabStream* stream_ = nullptr;
  const Slot* slot_ = nullptr;  // of the slab in progress
  std::vector<std::vector<int>>
      layers_;  // filled by conditions for later runs: for each run, for each access
  std::map<const Storage*, unsigned> constant_;  // faces whose halo stays as it was filled, as bits
  std::mutex merging_;                           // into the values of runs
  double looked_ = 0, poked_ = 0;
};

}  // namespace sc
