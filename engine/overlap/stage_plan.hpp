// SPDX-License-Identifier: Apache-2.0
// The plan of one run of a stage: what is filled, taken, computed and closed, and what each waits for.
#pragma once

#include <array>
#include <vector>

#include "engine/move/movement.hpp"
#include "engine/plan/plan.hpp"
#include "engine/stage/cut.hpp"

namespace sc {

/// The movements of a run, by their number in its plan.
enum Role : int { inputs, gathers, outputs, sums };
inline constexpr int roles = 4;
/// Likewise the stream by which slabs come and go.
inline constexpr int slab_stream = roles;

/// What a chunk does.
struct Task {
  enum class What {
    fill,           ///< conditions of the inputs beside own cells
    take,           ///< an arrival of a movement of the stage's own
    close_inputs,   ///< the other conditions; then the inputs are fresh
    compute,        ///< a box, or a slab that has come
    close_outputs,  ///< conditions of the outputs; then they are fresh, and the result is whole
  } what;
  Box box = {};
  Role role = inputs;  ///< of the arrival to take,
  int number = 0;      ///< and which it is
  bool slab = false;   ///< to compute
};

/// What comes near, is computed and leaves.
struct Slab {
  Box box;
  bool reads = false;  ///< halo that has to arrive
  bool gives = false;  ///< cells that other ranks wait for
};

/// What the plan of a run is made from.
struct StageShape {
  Cut cut;
  bool parts = true;             ///< shell and core apart; otherwise all cells in one chunk
  bool fills = false;            ///< conditions beside own cells are filled before anything is computed
  bool sums_at_once = false;     ///< each piece of them leaves when it is computed
  bool copies_at_once = false;   ///< what the rank sends itself is there as soon as it is started
  bool whole_lines = false;      ///< the rank may be its own neighbour across the core
  std::vector<Slab> slabs = {};  ///< in place of shell and core, in the order in which they come
  /// Null for what does not move in this run. Of their pieces only the geometry is asked.
  std::array<const Movement*, roles> moves{};
};

class StagePlan {
 public:
  /// Arrivals of inputs and outputs: those from other ranks, or all.
  static constexpr int from_others = -2, from_all = -1;

  void make(const StageShape& shape);
  const Plan& plan() const { return plan_; }
  const Task& task(const Chunk& chunk) const { return tasks_[static_cast<std::size_t>(chunk.part)]; }
  /// Whether pieces to this rank itself come out of the core.
  bool late() const { return late_; }

 private:
  void add_movements(const StageShape& shape);
  void add_inputs(const StageShape& shape);
  void add_cells(const StageShape& shape);
  void add_slabs(const StageShape& shape);
  void add_outputs(const StageShape& shape);
  void add_takes(const StageShape& shape, Role role, int step);
  void add_box(const StageShape& shape, const Task& task, Chunk chunk, bool last);
  int add(const Task& task, Chunk chunk);
  bool is_late(const StageShape& shape, int piece) const;

  Plan plan_;
  std::vector<Task> tasks_;
  bool late_ = false;
  int filled_ = -1, closed_ = -1;  // chunks
  std::array<int, roles> first_piece_{}, first_arrival_{};
  std::vector<char> given_;                 // pieces of outputs and sums, by a box so far
  std::vector<int> after_, needs_, gives_;  // scratch
};

}  // namespace sc
