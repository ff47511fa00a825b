// SPDX-License-Identifier: Apache-2.0
// Runner: runs stages under a strategy and keeps halos fresh. A solver's step is a list of run() calls.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

#include "engine/overlap/choice.hpp"
#include "engine/overlap/pass_trial.hpp"
#include "engine/overlap/stage_run.hpp"
#include "engine/overlap/window.hpp"
#include "engine/stage/sweep.hpp"

namespace sc {

class Redistribute;
struct PassCost;

struct RunnerOptions {
  Strategy strategy = Strategy::automatic;
  double poke_seconds = 0.5e-3;
  HaloOptions halo = {};
  /// Steps of Runner::steps() that are computed on a tile of cells while it is in the cache. In a pass all
  /// strategies that overlap are one order, that of boundary_first; runs outside of passes follow `strategy`.
  int steps_per_pass = 1;
  /// Finds the fastest number of steps a pass, up to steps_per_pass (PassTrial::most_tried if that is 1),
  /// while the program runs.
  bool finds_length = false;
  /// Tile of a pass: rows along y and planes along z; 0: chosen for the caches.
  Int3 pass_tile = {};
};

class Runner {
 public:
  /// Throws Error (bad_input) for a strategy that is not available.
  Runner(Context& context, RunnerOptions options);
  Runner(Runner&&) noexcept;
  ~Runner();

  /// Collective: computes every own cell of the stage. Stale halos of its inputs are refreshed in the order
  /// of the strategy. Some runs are executed as `ordered`, to measure M without overlap (see Sampling); they
  /// are recorded as "STAGE ordered" and give the same bits. Under `automatic` runs of a trial may differ,
  /// too (see Trials). The first slabs of `next`, the stage that runs next, are read during this one if it
  /// uses slots.
  void run(Stage& stage, Stage* next = nullptr);
  /// Collective: the same for a stage that reduces. `take` gets this rank's values when the stage has run: at
  /// once, or, if the run is recorded in a pass (see steps()), when the pass was executed.
  void run(Stage& stage, const TakeValues& take);
  /// The same for a stage that runs later, during other work.
  void prefetch(Stage& stage);
  /// Collective: a step of the program begins. Strategies are compared over whole steps. Without this call a
  /// step begins when its first stage with halos runs again.
  void begin_step() {
    if (choice_ && !window_) choice_->begin_step();
  }
  template <class Kernel, class... Declared>
  void run(Sweep<Kernel, Declared...>& sweep, const Kernel& kernel) {
    sweep.set(kernel);
    run(static_cast<Stage&>(sweep));
  }
  /// Collective: calls body(0) … body(n - 1), each a step of run()s. Up to RunnerOptions::steps_per_pass
  /// steps make a pass: their runs are recorded, with their levels and kernels, and executed together, with
  /// the same bits. Fields must outlive the scope. A pass ends early at a stage that cannot be part of one,
  /// for example one that reduces without `take`, at conditions that change before the halo that they fill is
  /// read, and at refresh(), move(), close_pass() and Field::modify(). Before that the host cannot read its
  /// fields (Error, failure). After an error the recorded steps are dropped.
  void steps(int n, const std::function<void(int step)>& body);
  /// Collective: the same for a loop that is not a function: begin_steps(), end_step() after every step and
  /// end_steps() after the last. If the loop is left before, recorded runs remain until something closes the
  /// pass.
  void begin_steps();
  void end_step();
  void end_steps();
  /// Collective: executes what steps() has recorded so far.
  void close_pass() { close_pass("the program asked for it"); }
  /// Whether runs are recorded now.
  bool records() const { return window_ != nullptr; }
  /// Collective: stages read the halos of these levels, declared by reads(), as the present conditions fill
  /// them, even if the conditions change before.
  template <class... Declared>
  void hold(const Declared&... declared) {
    const std::array<Access, sizeof...(Declared)> levels{declared.access()...};
    hold_levels(levels);
  }
  /// Collective: the values of a level will not be read before it is written again. A pass over fields in
  /// files then does not write them; otherwise nothing happens.
  void discard(const AnyField& field, int level) {
    if (window_) window_->discard(field.storage(level));
  }
  struct Passes {
    std::int64_t passes = 0, steps = 0;
    std::map<std::string, std::int64_t> ended;  ///< passes that ended before their full length, by reason
    std::string found;                          ///< the length that was found, and why; empty: none yet
    std::shared_ptr<const PassCost> cost;       ///< of the latest length; known before its first pass
    std::string describe() const;
    /// The bytes and messages of a step on this rank beside those of single steps; empty before a pass.
    std::string plan() const;
  };
  const Passes& passes() const { return passes_; }
  /// At most.
  int steps_per_pass() const { return options_.steps_per_pass; }
  /// Steps of the next pass.
  int pass_length() const { return length_; }
  /// Collective: refreshes a halo outside of a stage, for output or host access.
  template <class T, int N>
  void refresh(Level<T, N> level, Reach reach) {
    refresh(Access{level.field, level.level, Mode::read, reach, reach.width});
  }
  void refresh(const Access& access);
  /// Collective: copies a field to another decomposition of the same cells.
  template <class T, int N>
  void move(Level<T, N> from, Level<T, N> to) {
    move(reads(from).access(), writes(to).access());
  }
  void move(const Access& from, const Access& to);

  Context& context() const { return context_; }
  const Strategy& strategy() const { return options_.strategy; }
  /// The choice of `automatic` so far; nullptr under another strategy.
  const Choice* choice() const { return choice_.get(); }
  /// Runs, cells and declared bytes of a stage so far.
  struct Counts {
    std::int64_t runs = 0;
    std::int64_t samples = 0;  ///< of these, including trials of `blocking`
    double cells = 0;
    double bytes = 0;
    double flops = 0;
    double moved = 0;  ///< bytes that this rank sent
  };
  const std::map<std::string, Counts>& counts() const { return counts_; }
  /// What this rank's halos have sent, over all stages.
  Traffic traffic(Transport transport) const;

 private:
  enum class Use { input, output };
  using Key = std::pair<Use, std::vector<std::tuple<Storage*, int, int, int, int, int, int>>>;
  struct Writer {
    std::shared_ptr<Stage::Demand> demand;
    std::size_t output;
    std::int64_t host_writes;  ///< of the storage at that time
  };
  bool record(Stage& stage, const TakeValues& take);
  bool enlist(std::vector<Recorded> runs);
  void hold_levels(std::span<const Access> levels);
  void run_single(Stage& stage, Stage* next);
  void run_now(Stage& stage, Stage* next);
  void close_pass(const std::string& why);
  void carry_out_sealed();
  void carry_out(std::vector<Recorded> runs, const std::string& why);
  void carry_out(std::vector<Recorded> runs);
  void begin_window();
  void leave_steps();
  void adopt_length();
  void took(int steps);
  bool tries_lengths() const { return lengths_ && lengths_->trying(); }
  Refresh& halos_of(const std::vector<Recorded>& runs);
  /// How a run is executed.
  struct Order {
    const Strategy& strategy;
    bool eager;  // its outputs are sent with it
    bool apart;  // recorded as a sample
  };
  double run_colour(Stage& stage, const Order& order, const Slabs* slabs, const StreamPass* next);
  /// Runs that share their trials.
  struct Kind {
    std::vector<std::pair<std::string, int>> levels;  // the name of the field and the level of each access
    Int3 cells;
    bool slabs;
    int number;  // of the choice
    bool of(const Stage& stage, bool in_slabs) const;
  };
  Choice::Run choose_strategy(Stage& stage, bool slabs);
  int kind_of(Stage& stage, bool slabs);
  bool alone() const { return !options_.strategy.overlaps; }
  bool eager() const { return choice_ ? choice_->eager() : options_.strategy.eager; }
  void drain(Device& device, Stage& stage);
  void add_plain(const Sampled::Seconds& before);
  void check_strategy(const Device& device, const Stage& stage, const Strategy& strategy) const;
  void begin_on(Device& device, Stage& stage, const Strategy& strategy);
  void end_on(Device& device, const std::string& what);
  /// Times of messages and cores on the timeline so far.
  Sampled::Seconds seconds_so_far() const;
  void note_demand(Stage& stage);
  void end_inputs_under_way(Stage& stage);
  void settle_outputs(Stage& stage);
  bool is_fresh(Storage& storage, const Boundaries& conditions, Reach reach);
  Refresh& stale_inputs(Stage& stage);
  Refresh& wanted_outputs(Stage& stage);
  /// An updated field may be stale as an input and needed as an output: two refreshes, so that each shows
  /// whether it ran.
  Refresh& refresh_of(Use use, std::vector<Wanted> wanted);
  void keep(Storage& storage) { kept_.insert(storage.shared_from_this()); }

  Context& context_;
  RunnerOptions options_;
  StagePlan plan_;  // of the run in progress
  Executor executor_;
  std::unique_ptr<Choice> choice_;                  // under `automatic`
  std::map<std::string, std::vector<Kind>> kinds_;  // of runs, by the name of the stage
  // The following members identify storages by address: addresses must not be reused for other fields.
  std::set<std::shared_ptr<Storage>> kept_;
  std::map<Key, std::unique_ptr<Refresh>> refreshes_;
  std::unique_ptr<Refresh> of_one_pass_;               // whose conditions have changed while it was recorded
  std::set<std::shared_ptr<Exchange>> own_exchanges_;  // of stages
  std::map<std::pair<Storage*, Storage*>, std::unique_ptr<Redistribute>> moves_;
  std::unordered_map<Storage*, Writer> writers_;
  std::map<std::string, Counts> counts_;
  std::shared_ptr<Window> window_;  // within steps()
  int step_ = 0;
  int length_ = 1;                    // of a pass
  std::optional<PassTrial> lengths_;  // where it is to be found
  bool looping_ = false;              // within steps(), also where each step goes by itself
  double seconds_ = 0;                // that runs and passes took since a pass began
  Passes passes_;
  Sampled sampled_passes_;
  std::deque<Device::Event> runs_ahead_;  // the ends of the last runs on a device
};

}  // namespace sc
