// SPDX-License-Identifier: Apache-2.0
// StageRun: one run of a stage as an executor's ports. Chunks are boxes of cells and operations on halos,
// pieces are those of its movements. It also measures their times.
#pragma once

#include <vector>

#include "engine/base/index.hpp"
#include "engine/overlap/stage_plan.hpp"
#include "engine/plan/executor.hpp"
#include "engine/stage/refresh.hpp"
#include "engine/stage/slabs.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

struct RehearsedRun;
struct Work;

struct StageRunOptions {
  int threads = 1;
  double poke_seconds = 0.5e-3;  ///< seconds of computing the core between two progress calls
  const char* booked_as = "";    ///< suffix of the stage's name on the timeline
};

class StageRun final : public Ports {
 public:
  /// `own` is the stage's answer at the beginning of this run.
  StageRun(Stage& stage, Refresh& inputs, Refresh& outputs, const std::optional<Stage::Own>& own,
           Timeline& timeline, StageRunOptions options);

  /// For a stage that uses slots; `next` is read ahead.
  void through(const Slabs& slabs, const StreamPass* next, bool alone);
  /// The data for its plan.
  StageShape shape(const Strategy& strategy, const std::optional<Stage::Own>& own) const;
  /// Before and after an executor carries out its plan.
  void begin(const StagePlan& plan, const Strategy& strategy, const Cut& cut);
  void end();

  void start(const Piece& piece) override;
  bool arrived(const Arrival& arrival) override;
  void wait(const Arrival& arrival) override;
  void compute(const Chunk& chunk) override;
  void compute_beside(const Chunk& chunk, const std::function<void()>& drive, bool joins) override;

 private:
  Exchange& exchange(int number) const { return *moves_[at(number)].exchange; }
  bool rehearses() const { return stage_.grid().context().rehearses(); }
  Work work_of(const Task& task, const Cut& cut) const;
  void note_filled(RehearsedRun& run, const Task& task) const;
  RehearsedRun rehearsed(const Cut& cut) const;
  void add_slabs(StageShape& shape) const;
  void compute_slab(const Task& task);
  void await_device();
  bool all_there();
  void compute(const Box& box, bool divisible);
  void with_pokes(const Box& box);
  void on_device(const Box& box);
  void run(const Box& box);
  void compute_in_team(const Box& box, int thread);
  void in_parallel(const std::function<void(int thread)>& work);
  void close_outputs();
  Phase phase_of(const Box& box) const;

  Stage& stage_;
  Refresh& inputs_;
  Refresh& outputs_;
  std::vector<RunExchange> moves_;
  Exchange *gathers_, *sums_;  // of the stage itself, or nullptr
  const Slabs* slabs_ = nullptr;
  SlabStream* stream_ = nullptr;
  Timeline& timeline_;
  StageRunOptions options_;
  Device* device_;
  std::uint16_t name_;
  bool own_cut_;
  const StagePlan* plan_ = nullptr;
  bool overlaps_ = false;
  bool late_ = false;     // pieces to this rank itself still wait for the core
  bool in_team_ = false;  // thread 0 is one of a team
  Box all_, core_;
  std::vector<std::vector<Accumulator>> by_thread_;
};

}  // namespace sc
