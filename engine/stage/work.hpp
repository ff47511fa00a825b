// SPDX-License-Identifier: Apache-2.0
// Work: one run of a stage as a strategy sees it: what to compute, what moves, and the clock that books both.
#pragma once

#include <vector>

#include "engine/stage/refresh.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

struct WorkOptions {
  int threads = 1;
  double poke_seconds = 0.5e-3;  ///< how long the core is computed between two progress calls
  const char* booked_as = "";    ///< follows the stage's name on the timeline
  /// On a device: compute() waits for what it has enqueued, as a strategy without overlap means it to.
  bool wait_for_device = false;
};

class Work {
 public:
  Work(Stage& stage, Refresh& inputs, Refresh& outputs, Timeline& timeline, WorkOptions options);

  /// Own cells within reach of a halo that a neighbour fills, as boxes; the rest; both together.
  const std::vector<Box>& shell() const { return shell_; }
  const Box& core() const { return core_; }
  const Box& all() const { return all_; }
  /// The inputs' halos that are not fresh yet; nothing to do when they are.
  Refresh& inputs() { return inputs_; }
  /// The outputs' halos that a later stage will read, as far as known.
  Refresh& outputs() { return outputs_; }
  int threads() const { return options_.threads; }
  /// Boxes must not be cut across this axis; -1 for none.
  int whole_axis() const { return stage_.whole_axis(); }

  void start(Refresh& movement);
  /// A piece of the outputs that the core has yet to compute is left until it is: this rank itself takes it.
  void start(Refresh& movement, int piece);
  /// Until the movement's messages are there. Where a piece was left for want of the core and does not arrive
  /// at once when it is started, after the core, which is then computed here; what the movement takes by
  /// itself cannot be told in such a stage.
  void arrive(Refresh& movement);
  void compute(const Box& box);
  /// Computes `box` in slabs and calls movement.test() between them until everything has arrived.
  void compute(const Box& box, Refresh& movement);
  /// For a team whose threads compute different boxes: no threads of its own, and booked by book().
  void compute_alone(const Box& box, int thread);
  /// Joins what the threads of a team have accumulated.
  void join();
  /// What a second of one thread counts from now on (Timeline::weigh).
  void weigh(double weight) { timeline_.weigh(weight); }
  /// Lets the stage make its result whole, once all has arrived.
  void finish();
  void book(Phase phase, double begin, double end, int thread);
  double now() const { return timeline_.now(); }

 private:
  void split_shell();
  /// Whether this rank is its own neighbour along an axis, by copies that its core need not wait for.
  bool closes_at_once(int axis) const;
  bool conditions_cross() const;
  void align_core();
  void start_left();
  bool arrived(Refresh& movement);
  void run(const Box& box);
  void run_on_device(const Box& box);

  Stage& stage_;
  Refresh& inputs_;
  Refresh& outputs_;
  Timeline& timeline_;
  WorkOptions options_;
  Device* device_;
  std::uint16_t name_;
  Box all_, core_;
  bool follows_halos_ = true;  // shell and core do; some stages have parts of their own
  bool core_computed_ = false;
  bool at_once_ = false;   // what the rank sends itself arrives when it is started
  std::vector<int> left_;  // pieces that wait for the core
  std::vector<Box> shell_;
  std::vector<std::vector<Accumulator>> by_thread_;
};

}  // namespace sc
