// SPDX-License-Identifier: Apache-2.0
// Runner: runs stages under a strategy and keeps halos fresh. A solver's step is a list of run() calls.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "engine/move/redistribute.hpp"
#include "engine/overlap/strategy.hpp"
#include "engine/stage/sweep.hpp"

namespace sc {

struct RunnerOptions {
  Strategy strategy = Strategy::boundary_first;
  double poke_seconds = 0.5e-3;
  HaloOptions halo = {};
  /// So many runs of every stage, after its first, go `ordered`, to measure M where nothing overlaps; booked
  /// apart (as "STAGE ordered"), same bits.
  int samples = 0;
};

class Runner {
 public:
  /// Throws Error (bad_input) for a strategy that cannot be had.
  Runner(Context& context, RunnerOptions options);

  /// Collective: computes every own cell of the stage. Stale halos among its inputs are refreshed as the
  /// strategy orders.
  void run(Stage& stage);
  template <class Kernel, class... Declared>
  void run(Sweep<Kernel, Declared...>& sweep, const Kernel& kernel) {
    sweep.set(kernel);
    run(static_cast<Stage&>(sweep));
  }
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
  Strategy strategy() const { return options_.strategy; }
  /// Runs, cells and declared bytes of a stage so far.
  struct Counts {
    std::int64_t runs = 0;
    double cells = 0;
    double bytes = 0;
    double flops = 0;
    double moved = 0;  ///< bytes that left this rank
  };
  const std::map<std::string, Counts>& counts() const { return counts_; }
  /// Seconds that the runs so far would have taken without overlap, as far as that was measured: in the
  /// samples, or in every run of a strategy that overlaps nothing.
  static constexpr const char* sampled_suffix = " ordered";
  struct Apart {
    double movement = 0;  ///< M: posting and waiting
    double core = 0;      ///< C_core, undisturbed by movements
  };
  const Apart& apart() const { return apart_; }
  /// Which transport every halo uses, a line each.
  std::string describe() const;
  /// What this rank's halos really sent, over all stages.
  Traffic traffic(Transport transport) const;

 private:
  enum class Role { input, output };
  using Key = std::tuple<Role, PieceMovement*, std::vector<std::tuple<Storage*, int, int, int, int>>>;
  struct Writer {
    std::shared_ptr<Stage::Demand> demand;
    std::size_t output;
    std::int64_t host_writes;  ///< of the storage then
  };
  void run_colour(Stage& stage, bool sample);
  void begin_on(Device& device, Stage& stage);
  void end_on(Device& device, Stage& stage);
  bool wants_sample(const Stage::Sampled& so_far) const;
  /// What the timeline holds so far of movements and cores.
  Apart booked() const;
  void note_demand(Stage& stage);
  void end_inputs_under_way(Stage& stage);
  void settle_outputs(Stage& stage);
  Refresh& stale_inputs(Stage& stage);
  Refresh& wanted_outputs(Stage& stage);
  /// An updated field may be stale as an input and wanted as an output: two refreshes, so that each tells
  /// whether it ran.
  Refresh& refresh_of(Role role, std::vector<Wanted> wanted, PieceMovement* own = nullptr);
  void keep(Storage& storage) { kept_.insert(storage.shared_from_this()); }

  Context& context_;
  RunnerOptions options_;
  StrategyFunction strategy_;
  // What follows knows storages by their address: none may be reused for another field meanwhile.
  std::set<std::shared_ptr<Storage>> kept_;
  std::map<Key, std::unique_ptr<Refresh>> refreshes_;
  std::map<std::pair<Storage*, Storage*>, std::unique_ptr<Redistribute>> moves_;
  std::unordered_map<Storage*, Writer> writers_;
  std::map<std::string, Counts> counts_;
  Apart apart_;
  std::deque<Device::Mark> runs_ahead_;  // the ends of the last runs on a device
};

}  // namespace sc
