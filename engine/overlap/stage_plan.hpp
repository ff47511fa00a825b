// SPDX-License-Identifier: Apache-2.0
// The plan of one run of a stage: its conditions, arrivals and computations, and their dependences.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "engine/move/exchange.hpp"
#include "engine/plan/plan.hpp"
#include "engine/stage/cut.hpp"

namespace sc {

/// What a movement brings to a run, or takes from it.
enum Role : int { inputs, gathers, outputs, sums };
inline constexpr int roles = 4;
struct RunExchange {
  Role role;
  Exchange* exchange;
};
/// Number of the stream that reads and writes slabs, in a plan. Movements are numbered from 0.
inline constexpr int slab_stream = -1;

/// What a chunk does.
struct Task {
  enum class What {
    fill,           ///< apply conditions of the inputs beside own cells
    take,           ///< process an arrival of one of the stage's own movements
    close_inputs,   ///< apply the other conditions; then the inputs are fresh
    compute,        ///< compute a box, or a slab that has been read
    close_outputs,  ///< apply conditions of the outputs; then they are fresh, and the result is complete
  } what;
  Box box = {};
  Role role = inputs;  ///< of the arrival to take,
  int number = 0;      ///< and which it is
  bool slab = false;   ///< whether it computes a slab
};

/// A slab that is read, computed and written.
struct Slab {
  Box box;
  bool reads = false;  ///< needs halo cells that must arrive
  bool gives = false;  ///< contains cells that other ranks need
};

/// The data from which the plan of a run is made.
struct StageShape {
  Cut cut;
  bool parts = true;             ///< shell and core separate; otherwise all cells in one chunk
  bool fills = false;            ///< conditions beside own cells are applied before any computation
  bool sums_at_once = false;     ///< each piece of sums is sent when it is computed
  bool copies_at_once = false;   ///< copies within the rank complete when they are started
  bool whole_lines = false;      ///< the rank may be its own neighbour across the core
  std::vector<Slab> slabs = {};  ///< in place of shell and core, in the order of computation
  /// In the order of roles. Only the geometry of their pieces is used.
  std::span<const RunExchange> moves = {};

  bool has(Role role) const {
    return std::ranges::any_of(moves, [role](const RunExchange& m) { return m.role == role; });
  }
};

class StagePlan {
 public:
  /// Arrivals of inputs and outputs: those from other ranks, or all.
  static constexpr int from_others = -2, from_all = -1;

  void make(const StageShape& shape);
  const Plan& plan() const { return plan_; }
  const Task& task(const Chunk& chunk) const { return tasks_[static_cast<std::size_t>(chunk.part)]; }
  /// Whether conditions beside own cells are a task of their own.
  bool fills() const { return filled_ >= 0; }
  /// Whether pieces to this rank itself depend on the core.
  bool late() const { return late_; }

 private:
  void add_movements(const StageShape& shape);
  void add_inputs(const StageShape& shape);
  void add_cells(const StageShape& shape);
  void add_slabs(const StageShape& shape);
  void add_outputs(const StageShape& shape);
  void add_takes(Role role, int step);
  void add_box(const StageShape& shape, const Task& task, Chunk chunk, bool last);
  int add(const Task& task, Chunk chunk);
  bool is_late(const StageShape& shape, const RunExchange& moved, int piece) const;

  Plan plan_;
  std::vector<Task> tasks_;
  bool late_ = false;
  int filled_ = -1, closed_ = -1;                 // chunks
  std::array<std::vector<int>, roles> arrivals_;  // of whole exchanges, or of each piece to be taken
  std::vector<char> given_;                       // pieces of outputs and sums with a contributing box so far
  std::vector<int> after_, needs_, gives_;        // scratch
};

}  // namespace sc
