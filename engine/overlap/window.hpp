// SPDX-License-Identifier: Apache-2.0
// Window: runs of stages that have been asked for and not carried out yet. Levels turn over and parameters
// change meanwhile: each run keeps the storages and the kernel that it had.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/overlap/window_plan.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

/// A run of a stage in its present colour, to be carried out when the stage has turned to others or is gone.
/// Fields must outlive it.
struct Recorded {
  struct Use {
    std::shared_ptr<Storage> storage;
    const Boundaries* boundaries;  ///< of its field
    Boundaries conditions;         ///< the same as they were
    Mode mode;
    Reach reach;
  };
  Recorded(const Stage& from, int in_step);

  const Grid& grid() const { return uses.front().storage->grid(); }

  int step;  ///< of the program's loop
  Stage::Captured stage;
  std::vector<Use> uses;
  std::vector<Place> places;                   ///< of each use
  double share;                                ///< of the cells, that are of its colour
  double bytes, flops;                         ///< a cell of these
  bool watched;                                ///< as of the stage
  std::vector<const Storage*> discarded = {};  ///< of no use to anybody after it, until written anew
};

/// The storages of some runs as arrays with numbers. The runs must stay where they are.
class RecordedArrays {
 public:
  explicit RecordedArrays(std::span<const Recorded> runs);
  void add(const Recorded& run);

  const WindowRuns& runs() const { return runs_; }
  /// The first use of each.
  const std::vector<const Recorded::Use*>& first() const { return first_; }
  Dependence dependence() const { return dependence_of(runs_, static_cast<int>(first_.size())); }
  /// What the runs read of each beyond the block, as it was before them.
  std::vector<Reach> inputs() const;
  /// Cells from a wall, of any rank, that conditions or runs read; see WindowBlock.
  int margin() const { return margin_; }
  /// The widest reach of any run.
  int reach() const;

 private:
  int number_of(const Storage* storage) const;

  std::vector<const Recorded::Use*> first_;
  std::vector<Reach> reach_;  // of each array, in all runs
  WindowRuns runs_;
  int margin_ = 0;
};

class Window final : public Pending {
 public:
  /// `carry_out` is called by whoever is about to overwrite a storage in it.
  explicit Window(std::function<void()> carry_out) : carry_out_(std::move(carry_out)) {}
  ~Window() override { release(); }

  /// Why a run of the stage cannot be one of several, as the end of a sentence; empty where it can.
  static std::string refusal(const Stage& stage);

  /// Whether any block has halo that is not beyond a wall.
  static bool has_neighbours(const Grid& grid);

  bool empty() const { return runs_.empty(); }
  /// How many steps of the loop have runs in it, without a sealed pass.
  int steps() const;
  /// Whether there are any of steps before this one, without a sealed pass.
  bool begins_before(int step) const { return !open().empty() && open().front().step < step; }
  /// Why these runs, of one stage, cannot be of a pass with those recorded so far, as the end of a sentence;
  /// empty where they can.
  std::string shortage(std::span<const Recorded> more) const;
  void add(Recorded run);
  /// After what has been added so far nobody needs what a storage holds.
  void discard(const Storage& storage) {
    if (!runs_.empty()) runs_.back().discarded.push_back(&storage);
  }
  /// The runs of the steps before `step` are a pass, which `why` ended: no other joins it. It is carried out
  /// when the step after it is known, or the loop ends: what that step overwrites need not be kept.
  void seal(int step, const std::string& why);
  bool sealed() const { return sealed_ > 0; }
  const std::string& why() const { return why_; }
  /// Takes out the pass that was sealed, to be carried out; those after it are left.
  std::vector<Recorded> take_sealed();
  std::vector<Recorded> take();
  std::span<const Recorded> runs() const { return runs_; }
  /// Of what is left: the host reads none of it.
  void mark();

  /// By the host, which is about to write a storage.
  void finish() override { carry_out_(); }
  bool computes() const override { return true; }

 private:
  void release();
  std::span<const Recorded> open() const { return std::span(runs_).subspan(sealed_); }

  std::function<void()> carry_out_;
  std::vector<Recorded> runs_;
  std::size_t sealed_ = 0;  // of them
  std::string why_;
};

}  // namespace sc
