// SPDX-License-Identifier: Apache-2.0
// The plan of a transform: the order of slabs, and the dependences and pieces of each.
#include "spectral/transform_plan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "engine/plan/executor.hpp"

namespace sc::spectral {
namespace {

/// Chunks in program order: stage and slab, the step, arrivals (< movement number) and pieces (> …).
std::string written(const TransformPlan& stages) {
  const Plan& plan = stages.plan();
  std::string text;
  for (const Chunk& chunk : plan.chunks()) {
    const TransformPlan::Slab slab = stages.slab(chunk);
    if (!text.empty()) text += ", ";
    text += "xyz"[slab.stage];
    text += std::to_string(slab.number) + " in " + std::to_string(chunk.step);
    for (const int id : plan.ids(chunk.needs)) {
      const Arrival& arrival = plan.arrivals()[static_cast<std::size_t>(id)];
      EXPECT_LT(arrival.step, chunk.step) << "it could be there before";
      text += " <" + std::to_string(arrival.movement) + std::to_string(arrival.number);
    }
    for (const int id : plan.ids(chunk.gives)) {
      const Piece& piece = plan.pieces()[static_cast<std::size_t>(id)];
      EXPECT_EQ(piece.step, chunk.step) << "it waits for no other chunk";
      text += " >" + std::to_string(piece.movement) + std::to_string(piece.number);
    }
    for (const int before : plan.ids(chunk.after)) text += " after " + std::to_string(before);
    EXPECT_FALSE(chunk.divisible);
  }
  return text;
}

TEST(TransformPlan, SequentiallyAStepIsAStage) {
  TransformPlan plan;
  plan.make(std::array{TransformStageShape{2, Next::from_the_same}, TransformStageShape{2, Next::from_all},
                       TransformStageShape{1}},
            true);
  EXPECT_EQ(written(plan), "x0 in 0 >00, x1 in 0 >01, y0 in 1 <00 >10, y1 in 1 <01 >11, z0 in 2 <10");
}

TEST(TransformPlan, WhereCutsAgreeASlabFollowsTheOneAfterItsOwn) {
  TransformPlan plan;
  plan.make(std::array{TransformStageShape{3, Next::from_the_same}, TransformStageShape{3}}, false);
  EXPECT_EQ(written(plan), "x0 in 0 >00, x1 in 1 >01, y0 in 2 <00, x2 in 3 >02, y1 in 4 <01, y2 in 5 <02");
}

TEST(TransformPlan, WhereTheyDoNotAStageFollowsAStage) {
  TransformPlan plan;
  plan.make(std::array{TransformStageShape{2, Next::from_all}, TransformStageShape{3}}, false);
  EXPECT_EQ(written(plan), "x0 in 0 >00, x1 in 1 >01, y0 in 2 <00, y1 in 3 <01, y2 in 4 <02");
}

TEST(TransformPlan, ThreeStagesOfWhichTwoAgree) {
  TransformPlan plan;
  plan.make(std::array{TransformStageShape{3, Next::from_the_same}, TransformStageShape{3, Next::from_all},
                       TransformStageShape{2}},
            false);
  EXPECT_EQ(written(plan),
            "x0 in 0 >00, x1 in 1 >01, y0 in 2 <00 >10, x2 in 3 >02, y1 in 4 <01 >11, y2 in 5 <02 >12, "
            "z0 in 6 <10, z1 in 7 <11");
  plan.make(std::array{TransformStageShape{1, Next::from_the_same},
                       TransformStageShape{1, Next::from_the_same}, TransformStageShape{1}},
            false);  // planned again
  EXPECT_EQ(written(plan), "x0 in 0 >00, y0 in 1 <00 >10, z0 in 2 <10");
}

TEST(TransformPlan, WhereNothingTravelsAStageComesAfterAStage) {
  TransformPlan plan;
  for (const bool sequential : {true, false}) {
    plan.make(std::array{TransformStageShape{2}, TransformStageShape{1}}, sequential);
    EXPECT_EQ(written(plan), sequential ? "x0 in 0, x1 in 0, y0 in 1 after 0 after 1"
                                        : "x0 in 0, x1 in 1, y0 in 2 after 0 after 1");
  }
}

/// Chunks whose arrivals are missing are skipped, and computed as soon as these are available.
class Recorded final : public Ports {
 public:
  /// `late`: no arrival is available before this rank has waited.
  Recorded(const TransformPlan& plan, bool late) : plan_(plan), there_(!late) {}
  void start(const Piece& piece) override {
    text += " >" + std::to_string(piece.movement) + std::to_string(piece.number);
  }
  bool arrived(const Arrival&) override { return there_; }
  void wait(const Arrival& arrival) override {
    text += " wait" + std::to_string(arrival.movement) + std::to_string(arrival.number);
    there_ = true;
  }
  void compute(const Chunk& chunk) override {
    const TransformPlan::Slab slab = plan_.slab(chunk);
    text += ' ';
    text += "xyz"[slab.stage];
    text += std::to_string(slab.number);
  }
  void compute_beside(const Chunk&, const std::function<void()>&, bool) override { FAIL(); }

  std::string text;

 private:
  const TransformPlan& plan_;
  bool there_;
};

std::string carried_out(const Strategy& strategy, bool late) {
  TransformPlan plan;
  plan.make(std::array{TransformStageShape{3, Next::from_the_same}, TransformStageShape{3}},
            !strategy.overlaps);
  Recorded ports(plan, late);
  Executor executor;
  executor.carry_out(plan.plan(), strategy, ports);
  return ports.text;
}

TEST(TransformPlan, IsCarriedOutInTheOrderOfAStrategy) {
  for (const Strategy& sequential : {Strategy::blocking, Strategy::ordered})
    EXPECT_EQ(carried_out(sequential, true), " x0 x1 x2 >00 >01 >02 wait00 y0 y1 y2");
  for (const Strategy& overlapping : {Strategy::boundary_first, Strategy::pipelined}) {
    EXPECT_EQ(carried_out(overlapping, false), " x0 >00 x1 >01 y0 x2 >02 y1 y2");
    EXPECT_EQ(carried_out(overlapping, true), " x0 >00 x1 >01 x2 >02 wait00 y0 y1 y2");
  }
  EXPECT_EQ(carried_out(Strategy::interior_first, false), " x0 >00 x1 >01 x2 >02 y0 y1 y2");
}

}  // namespace
}  // namespace sc::spectral
