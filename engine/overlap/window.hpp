// SPDX-License-Identifier: Apache-2.0
// Window: recorded runs of stages that have not been executed. Levels are swapped and parameters change
// meanwhile, so each run keeps its storages, its kernel, and the values that it reduces to.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/overlap/window_plan.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

/// Gets this rank's part of a stage's reductions, as Stage::accumulators(), when the stage has run.
using TakeValues = std::function<void(std::span<const Accumulator> values)>;

/// A run of a stage in its present colour, to be executed later, even if the stage has changed or no longer
/// exists. Fields must outlive it.
struct Recorded {
  struct Use {
    std::shared_ptr<Storage> storage;
    const Boundaries* boundaries;  ///< of its field
    Boundaries conditions;         ///< a copy of them at the time of the run
    Mode mode;
    Reach reach;
  };
  Recorded(const Stage& from, int in_step);
  /// Computes nothing: the halos of `levels` are those that the present conditions fill.
  Recorded(std::span<const Access> levels, int in_step);

  const Grid& grid() const { return uses.front().storage->grid(); }
  /// The device that computes it; nullptr: the host.
  Device* device() const { return uses.front().storage->device(); }

  int step;  ///< of the program's loop
  Stage::Captured stage;
  std::vector<Use> uses;
  std::vector<Place> places;                              ///< of each use
  double share;                                           ///< share of the cells that have its colour
  double bytes, flops;                                    ///< for each of these cells
  bool watched;                                           ///< as of the stage
  std::shared_ptr<std::vector<Accumulator>> values = {};  ///< of all colours of the stage; empty: none
  TakeValues take = {};                                   ///< of the last colour, if there are values
  std::vector<const Storage*> discarded = {};             ///< not read after it, until they are written again

 private:
  void add(std::span<const Access> accesses);
};

/// The storages of some runs as numbered arrays. The runs must not be moved.
class RecordedArrays {
 public:
  explicit RecordedArrays(std::span<const Recorded> runs);
  void add(const Recorded& run);

  const WindowRuns& runs() const { return runs_; }
  /// The first use of each array.
  const std::vector<const Recorded::Use*>& first() const { return first_; }
  Dependence dependence() const { return dependence_of(runs_, static_cast<int>(first_.size())); }
  /// The reach of the runs beyond the block, for the values of each array before them.
  std::vector<Reach> inputs() const;
  /// Number of cells from a wall, of any rank, that conditions or runs read; see WindowBlock.
  int margin() const { return margin_; }
  /// The widest reach of any run.
  int reach() const;
  /// Whether an array is read from memory in a pass, because its values before it are used, and written.
  struct MemoryUse {
    bool read = false, written = false;
  };
  MemoryUse memory_use(int array) const;

 private:
  int number_of(const Storage* storage) const;

  std::vector<const Recorded::Use*> first_;
  std::vector<Reach> reach_;  // of each array, in all runs
  WindowRuns runs_;
  int margin_ = 0;
};

class Window final : public Pending {
 public:
  /// Whoever is about to overwrite a storage in the window calls `carry_out`.
  explicit Window(std::function<void()> carry_out) : carry_out_(std::move(carry_out)) {}
  /// Runs that are left will never be executed: what they write can no longer be read.
  ~Window() override;

  /// The reason why a run of the stage cannot be part of a pass, as the end of a sentence; empty if it can.
  /// `takes_values`: what it reduces to is not needed before the end of the pass.
  static std::string refusal(const Stage& stage, bool takes_values);

  /// Whether any block has a halo that is not beyond a wall.
  static bool has_neighbours(const Grid& grid);

  bool empty() const { return runs_.empty(); }
  /// Number of steps of the loop with runs in it, without a sealed pass.
  int steps() const;
  /// Whether it has runs of steps before this one, without a sealed pass.
  bool begins_before(int step) const { return !open().empty() && open().front().step < step; }
  /// The reason why these runs, of one stage, cannot be in a pass with the recorded ones, as the end of a
  /// sentence; empty if they can.
  std::string shortage(std::span<const Recorded> more) const;
  void add(Recorded run);
  /// Whether the recorded runs read the halo of a storage so far, under these conditions.
  bool holds(const Storage& storage, const Boundaries& conditions, Reach reach) const;
  /// The values of a storage are not read after the runs recorded so far.
  void discard(const Storage& storage) {
    if (!runs_.empty()) runs_.back().discarded.push_back(&storage);
  }
  /// The runs of the steps before `step` are a complete pass, which `why` ended. It is executed when the next
  /// step is known, or the loop ends, because values that this step overwrites need not be kept.
  void seal(int step, const std::string& why);
  bool sealed() const { return sealed_ > 0; }
  const std::string& why() const { return why_; }
  /// Removes the sealed pass and returns it for execution; later runs remain.
  std::vector<Recorded> take_sealed();
  std::vector<Recorded> take();
  std::span<const Recorded> runs() const { return runs_; }
  /// Applies to the remaining runs: the host reads none of their storages.
  void mark();

  /// For the host, which is about to write a storage.
  void finish() override { carry_out_(); }
  bool computes() const override { return true; }

 private:
  void release();
  /// The conditions that fill the halo of a storage in the open pass, and how far it was read since.
  struct Filled {
    const Boundaries* conditions = nullptr;  ///< nullptr: no run uses it
    Reach read = point;
  };
  Filled filled(const Storage& storage) const;
  /// The reason why a run needs other boundary conditions than the recorded ones; empty if it does not.
  std::string changed(const Recorded& more) const;
  std::span<const Recorded> open() const { return std::span(runs_).subspan(sealed_); }

  std::function<void()> carry_out_;
  std::vector<Recorded> runs_;
  std::size_t sealed_ = 0;  // of them
  std::string why_;
};

}  // namespace sc
