// SPDX-License-Identifier: Apache-2.0
// Runner: runs stages under a strategy and keeps halos fresh. A solver's step is a list of run() calls.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "engine/overlap/choice.hpp"
#include "engine/overlap/stage_run.hpp"
#include "engine/overlap/window.hpp"
#include "engine/stage/sweep.hpp"

namespace sc {

class Redistribute;

struct RunnerOptions {
  Strategy strategy = Strategy::automatic;
  double poke_seconds = 0.5e-3;
  HaloOptions halo = {};
  /// Steps of Runner::steps() that are done on cells while they are near. With more than one `automatic` is
  /// the order of boundary_first.
  int steps_per_pass = 1;
  /// Rows along y and planes along z that all steps of a pass take at a time; 0: as the caches have room for.
  Int3 pass_tile = {};
};

class Runner {
 public:
  /// Throws Error (bad_input) for a strategy that cannot be had.
  Runner(Context& context, RunnerOptions options);
  Runner(Runner&&) noexcept;
  ~Runner();

  /// Collective: computes every own cell of the stage. Stale halos among its inputs are refreshed as the
  /// strategy orders. Now and then a run goes `ordered`, to measure M where nothing overlaps (see Sampling);
  /// booked apart, as "STAGE ordered"; same bits. Under `automatic` runs on trial differ, too (see Trials).
  /// Of `next`, the stage that runs next, the first slabs are read meanwhile where it passes through slots.
  void run(Stage& stage, Stage* next = nullptr);
  /// The same of a stage that runs later, while something else is computed.
  void prefetch(Stage& stage);
  /// Collective: a step of the program begins. Strategies are tried over whole steps; whoever does not say so
  /// is taken to begin one where its first stage with halos runs again.
  void begin_step() {
    if (choice_) choice_->begin_step();
  }
  template <class Kernel, class... Declared>
  void run(Sweep<Kernel, Declared...>& sweep, const Kernel& kernel) {
    sweep.set(kernel);
    run(static_cast<Stage&>(sweep));
  }
  /// Collective: body(0) … body(n - 1), each a step of run()s. Up to RunnerOptions::steps_per_pass steps make
  /// a pass: their runs are recorded, with the levels and kernels that they have, and carried out together,
  /// to the same bits. Fields must outlive the scope. A pass ends early where a stage cannot be one of
  /// several, and with refresh(), move(), close_pass() and Field::modify(); the host reads no field of it
  /// before (Error, failure). An error within abandons the steps recorded.
  void steps(int n, const std::function<void(int step)>& body);
  /// Collective: the same for a loop that is no function here: begin_steps(), end_step() after every step and
  /// end_steps() after the last. Of a loop that is left before that, what has been recorded stays so until
  /// something closes the pass.
  void begin_steps();
  void end_step();
  void end_steps();
  /// Collective: carries out what steps() has recorded so far.
  void close_pass() { close_pass("the program asked for it"); }
  /// Collective: nobody will read what a level holds before it is written anew. A pass over fields in files
  /// then does not write it there; otherwise nothing happens.
  void discard(const AnyField& field, int level) {
    if (window_) window_->discard(field.storage(level));
  }
  struct Passes {
    std::int64_t passes = 0, steps = 0;
    std::map<std::string, std::int64_t> ended;  ///< before their full length, and why
    std::string describe() const;
  };
  const Passes& passes() const { return passes_; }
  int steps_per_pass() const { return options_.steps_per_pass; }
  /// Collective: brings a halo up to date outside a stage, for output or a host access.
  template <class T, int N>
  void refresh(Level<T, N> level, Reach reach) {
    refresh(Access{level.field, level.level, Mode::read, reach, reach.width});
  }
  void refresh(const Access& access);
  /// Collective: carries a field to another decomposition of the same cells.
  template <class T, int N>
  void move(Level<T, N> from, Level<T, N> to) {
    move(reads(from).access(), writes(to).access());
  }
  void move(const Access& from, const Access& to);

  Context& context() const { return context_; }
  const Strategy& strategy() const { return options_.strategy; }
  /// What `automatic` has chosen so far; null under another strategy.
  const Choice* choice() const { return choice_.get(); }
  /// Runs, cells and declared bytes of a stage so far.
  struct Counts {
    std::int64_t runs = 0;
    std::int64_t samples = 0;  ///< of these, trials of `blocking` among them
    double cells = 0;
    double bytes = 0;
    double flops = 0;
    double moved = 0;  ///< bytes that left this rank
  };
  const std::map<std::string, Counts>& counts() const { return counts_; }
  /// What this rank's halos really sent, over all stages.
  Traffic traffic(Transport transport) const;

 private:
  enum class Use { input, output };
  using Key = std::pair<Use, std::vector<std::tuple<Storage*, int, int, int, int>>>;
  struct Writer {
    std::shared_ptr<Stage::Demand> demand;
    std::size_t output;
    std::int64_t host_writes;  ///< of the storage then
  };
  bool record(Stage& stage);
  void run_now(Stage& stage, Stage* next);
  void close_pass(const std::string& why);
  void carry_out_sealed();
  void carry_out(std::vector<Recorded> runs, const std::string& why);
  Refresh& halos_of(const std::vector<Recorded>& runs);
  /// How a run goes.
  struct Order {
    const Strategy& strategy;
    bool eager;  // its outputs leave with it
    bool apart;  // booked as a sample
  };
  double run_colour(Stage& stage, const Order& order, const Slabs* slabs, const StreamPass* next);
  Choice::Run turn_of(Stage& stage, bool slabs);
  int kind_of(Stage& stage, bool slabs);
  bool alone() const { return !options_.strategy.overlaps; }
  bool eager() const { return choice_ ? choice_->eager() : options_.strategy.eager; }
  void drain(Device& device, Stage& stage);
  void book_plain(const Sampled::Seconds& before);
  void begin_on(Device& device, Stage& stage, const Strategy& strategy);
  void end_on(Device& device, Stage& stage);
  /// What the timeline holds so far of messages and cores.
  Sampled::Seconds booked() const;
  void note_demand(Stage& stage);
  void end_inputs_under_way(Stage& stage);
  void settle_outputs(Stage& stage);
  Refresh& stale_inputs(Stage& stage);
  Refresh& wanted_outputs(Stage& stage);
  /// An updated field may be stale as an input and wanted as an output: two refreshes, so that each tells
  /// whether it ran.
  Refresh& refresh_of(Use use, std::vector<Wanted> wanted);
  void keep(Storage& storage) { kept_.insert(storage.shared_from_this()); }

  Context& context_;
  RunnerOptions options_;
  StagePlan plan_;  // of the run under way
  Executor executor_;
  std::unique_ptr<Choice> choice_;                                   // under `automatic`
  std::map<std::pair<std::string, std::array<int, 3>>, int> kinds_;  // by name and cells
  // What follows knows storages by their address: none may be reused for another field meanwhile.
  std::set<std::shared_ptr<Storage>> kept_;
  std::map<Key, std::unique_ptr<Refresh>> refreshes_;
  std::set<std::shared_ptr<Movement>> own_movements_;  // of stages
  std::map<std::pair<Storage*, Storage*>, std::unique_ptr<Redistribute>> moves_;
  std::unordered_map<Storage*, Writer> writers_;
  std::map<std::string, Counts> counts_;
  std::shared_ptr<Window> window_;  // within steps()
  int step_ = 0;
  Passes passes_;
  Sampled sampled_passes_;
  std::deque<Device::Event> runs_ahead_;  // the ends of the last runs on a device
};

}  // namespace sc
