// SPDX-License-Identifier: Apache-2.0
// Window: runs of stages that have been asked for and not carried out yet. Levels turn over and parameters
// change meanwhile: each run keeps the storages and the kernel that it had.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/overlap/window_plan.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

/// A run of a stage, to be carried out when the stage has turned to others or is gone. Fields must outlive
/// it.
struct Recorded {
  struct Use {
    std::shared_ptr<Storage> storage;
    const Boundaries* boundaries;  ///< of its field
    Boundaries conditions;         ///< the same as they were
    Mode mode;
    Reach reach;
  };
  int step;  ///< of the program's loop
  Stage::Captured stage;
  std::vector<Use> uses;
  std::vector<Place> places;  ///< of each use
  double bytes, flops;        ///< a cell
  bool watched;               ///< as of the stage
};

/// The storages of some runs as arrays with numbers.
class RecordedArrays {
 public:
  explicit RecordedArrays(const std::vector<Recorded>& runs);
  /// One run more, of which only the accesses are known.
  void add(const std::vector<Access>& accesses);

  const WindowRuns& runs() const { return runs_; }
  /// The first use of each.
  const std::vector<const Recorded::Use*>& first() const { return first_; }
  Dependence dependence() const { return dependence_of(runs_, static_cast<int>(storages_.size())); }

 private:
  int number_of(const Storage* storage);

  std::vector<const Storage*> storages_;
  std::vector<const Recorded::Use*> first_;
  WindowRuns runs_;
};

class Window final : public Pending {
 public:
  /// `carry_out` is called by whoever is about to overwrite a storage in it.
  explicit Window(std::function<void()> carry_out) : carry_out_(std::move(carry_out)) {}
  ~Window() override { let_go(); }

  /// Why a run of the stage cannot be one of several, as the end of a sentence; empty where it can.
  static std::string refusal(const Stage& stage);

  /// Whether any block has halo that is not beyond a wall.
  static bool has_neighbours(const Grid& grid);

  bool empty() const { return runs_.empty(); }
  /// How many steps of the loop have runs in it.
  int steps() const;
  /// Whether the grid's halo holds what all runs and this one read of the neighbours.
  bool has_room_for(const Stage& stage) const;
  void add(const Stage& stage, int step);
  /// Takes out all runs but those of step `step`, to be carried out.
  std::vector<Recorded> take_before(int step);
  std::vector<Recorded> take();

  /// By the host, which is about to write a storage.
  void finish() override { carry_out_(); }
  bool computes() const override { return true; }

 private:
  void let_go();

  std::function<void()> carry_out_;
  std::optional<Grid> grid_;
  std::vector<Recorded> runs_;
};

}  // namespace sc
