// SPDX-License-Identifier: Apache-2.0
// TransformRun: executes the stages of a transform and records their times. Every transform, forward and
// backward, whole or across planes, is a list of stages with transposes between them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/context.hpp"
#include "engine/move/transpose.hpp"
#include "engine/overlap/choice.hpp"
#include "engine/plan/executor.hpp"
#include "spectral/transform_plan.hpp"

namespace sc {
struct RehearsedRun;
}

namespace sc::spectral {

/// The 1-D transforms along one axis, or the use of planes in a Pipeline: all own cells, in slabs that are
/// computed one after another.
struct TransformStage {
  int slabs = 1;
  std::function<void(int slab)> compute;
  /// Transfer the slabs of each array to the next stage, which otherwise uses them in place.
  std::vector<Transpose*> gives = {};
  /// Slab k is the whole of array k, of `gives`. The slabs of the next stage that are used last travel with
  /// each array; the others follow the last array, slab by slab.
  bool by_array = false;
};

/// Transforms with the same stages.
struct TransformKind {
  const char* name;
  Sampled sampled = {};
  int number = -1;  ///< among the kinds on trial
};

class TransformRun final : private Ports {
 public:
  /// Throws Error (bad_input) for a strategy that divides threads.
  TransformRun(Context& context, const Strategy& strategy);
  /// Collective. The result does not depend on the order, and the arrays of a stage are transferred alike.
  /// Occasionally a run of the kind is executed without overlap, to measure M.
  void run(std::span<const TransformStage> stages, TransformKind& kind);
  /// Collective. The same in parts: begin(), advance() for each slab of the first stage, which computes it
  /// and starts its messages, and finish(). The stages and the kind remain in place until then.
  void begin(std::span<const TransformStage> stages, TransformKind& kind);
  void advance();
  void finish();
  /// Collective: see Runner::begin_step().
  void begin_step() {
    if (choice_) choice_->begin_step();
  }
  /// The choice of `automatic` so far; null under another strategy.
  const Choice* choice() const { return choice_.get(); }

 private:
  Choice::Run choose_strategy(std::span<const TransformStage> stages, TransformKind& kind);
  void shape(std::span<const TransformStage> stages);
  void rehearse(const char* name);
  void rehearse_chunk();
  void start(const Piece& piece) override;
  bool arrived(const Arrival& arrival) override;
  void wait(const Arrival& arrival) override;
  void compute(const Chunk& chunk) override;
  /// What a piece of the plan consists of, in the order of sending.
  using Given = std::function<void(Transpose&, int leaving, int arriving)>;
  void each_given(const Piece& piece, const Given& action) const;
  const TransformStage& stage(int number) const { return stages_[static_cast<std::size_t>(number)]; }
  template <class Action>
  void timed(Phase phase, Action&& action);

  Context& context_;
  Strategy strategy_;
  std::unique_ptr<Choice> choice_;  // for `automatic`
  std::uint16_t name_, sample_name_;
  TransformPlan plan_;
  Executor executor_;
  std::vector<TransformStageShape> shapes_;
  // Of the current run.
  std::span<const TransformStage> stages_;
  TransformKind* kind_ = nullptr;
  Choice::Run chosen_ = {};
  Sampled::Kind counts_as_ = {};
  double spent_ = 0;  // seconds
  std::shared_ptr<RehearsedRun> rehearsed_;
  int rehearsed_pieces_ = 0;
  std::uint16_t recorded_as_ = 0;
  bool overlaps_ = false;
  double moving_ = 0;  // seconds in starting and waiting for transposes
};

}  // namespace sc::spectral
