// SPDX-License-Identifier: Apache-2.0
// Stage: what a strategy orders. It knows its cells, what it reads and writes, and how to compute any box of
// them; it knows nothing of when.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/account.hpp"
#include "engine/exec/accumulator.hpp"
#include "engine/exec/row_trial.hpp"
#include "engine/grid/lattice.hpp"
#include "engine/move/movement.hpp"
#include "engine/plan/strategy.hpp"
#include "engine/stage/access.hpp"
#include "engine/stage/cut.hpp"

namespace sc {

class Stage {
 public:
  virtual ~Stage() = default;

  const std::string& name() const { return name_; }
  /// The grid whose cells the stage computes.
  virtual const Grid& grid() const = 0;
  virtual const std::vector<Access>& accesses() const = 0;
  /// The axis along which every box must hold all own cells, because lines run along it; -1 for none.
  virtual int whole_axis() const { return -1; }
  /// Whether boxes may hold parts of lines along z, as slabs cut them.
  virtual bool takes_parts() const { return false; }
  /// What has to run right before each run of the stage, as its fields lie now; nullptr: nothing.
  virtual Stage* before() { return nullptr; }
  /// Computes `box` (local coordinates) with `threads` threads; what the kernel returns goes into `into`.
  virtual void compute(const Box& box, int threads, std::span<Accumulator> into) = 0;

  /// The cut and the movements of a stage that needs more than halos: `gathers` arrive before its shell is
  /// computed, `sums` leave after it; nullptr for none, on all ranks alike.
  struct Own {
    Cut cut;
    Movement* gathers = nullptr;
    Movement* sums = nullptr;
    /// With overlap, sums leave piece by piece, under the rest of the shell.
    bool sums_at_once = false;
  };
  /// Called at the beginning of a run.
  virtual std::optional<Own> own() { return std::nullopt; }
  /// Takes an arrival of a movement of its own; each once a run, in the order of their numbers.
  virtual void take(const Movement& /*movement*/, int /*piece*/, int /*threads*/) {}
  /// A run with the present parameters of its kernel, to be carried out later, box by box, even after the
  /// stage has changed or is gone.
  struct Captured {
    /// The fields lie where `places` say; `origin` is the global position of cell (0, 0, 0).
    std::function<void(std::span<const Place> places, const Box& box, Int3 origin, int threads)> compute;
    bool by_position = false;  ///< the kernel asks where on the global grid a cell is
  };
  /// Without compute() where cells cannot be computed one by one.
  virtual Captured capture() const { return {}; }
  /// Completes the result of a run, after all has been computed and taken.
  virtual void finish(int /*threads*/) {}
  /// Why the stage cannot run under a strategy, in a sentence; empty where it can.
  virtual std::string refusal(const Strategy& /*strategy*/) const { return ""; }
  /// Throws Error (bad_input) on all ranks where the stage reads beyond a face of the domain without a
  /// condition (see Beyond). Called before the first run.
  void check_faces() const;
  /// Whether its views check their accesses, as in checked builds.
  bool watched() const { return watched_; }
  /// The same with the fields where `places` say, one for each access. Throws Error (failure) from stages
  /// that work on storages only.
  virtual void compute_in(std::span<const Place> places, const Box& box, int threads,
                          std::span<Accumulator> into);
  /// Computes from now on where `places` say, one for each access, in the memory where its field is computed:
  /// in a slot that holds some planes of every field. Without any, in the fields' own storages again. Throws
  /// Error (failure) for another number of places.
  virtual void bind(std::span<const Place> places);
  /// Whether compute() may be given to a device: its work is then enqueued on stream(), and collect() brings
  /// what it has reduced into accumulators().
  virtual bool runs_on_devices() const { return false; }
  virtual void collect() {}
  /// The device that computes the fields, in place or slab by slab; nullptr: the host. Throws Error
  /// (bad_input) where it computes some but not others, or the stage cannot run there.
  Device* device() const;
  void choose_stream(Stream stream) { stream_ = stream; }
  Stream stream() const { return stream_; }
  /// A stage in several colours runs once a colour, halos refreshed in between.
  int colours() const { return colours_; }
  void choose_colour(int colour) { lattice_ = {colours_, colour}; }
  /// The cells that a run of the present colour computes.
  const Lattice& lattice() const { return lattice_; }
  /// This rank's share of the reductions over the cells of the last run, one for each value that the kernel
  /// returns.
  std::span<Accumulator> accumulators() { return accumulators_; }

  /// Floating-point operations a cell, as declared.
  double flops() const { return flops_; }
  /// Bytes a cell: every element declared is counted once for its read and once for its write.
  virtual double bytes_per_cell() const;

  /// Whether its next run is one of the first, which find the order of rows; the same on all ranks.
  bool settles();

  /// Chooses the runs that go without overlap to measure M.
  Sampled& sampled() { return sampled_; }

  /// What later stages read of output number `n` before it is written again: what an eager strategy sends.
  /// One entry for each access. Shared, because a stage may be gone when its output is read.
  using Demand = std::vector<Reach>;
  const std::shared_ptr<Demand>& demand() const { return demand_; }

 protected:
  Stage(std::string name, std::vector<Accumulator> accumulators, int colours, double flops)
      : name_(std::move(name)), colours_(colours), flops_(flops), accumulators_(std::move(accumulators)) {
    lattice_.colours = colours;
  }
  /// Where access number `n` lies in this run.
  Place place(std::size_t n) const { return bound_.empty() ? place_of(accesses()[n].storage()) : bound_[n]; }
  /// Where all of them lie.
  template <std::size_t count>
  std::array<Place, count> places() const {
    std::array<Place, count> all;
    for (std::size_t n = 0; n < count; ++n) all[n] = place(n);
    return all;
  }
  /// How the cells of `box` are passed over, on `threads` threads; measures it until it ends.
  RowTrial::Turn turn(const Box& box, int threads);
  /// Checks the declarations; throws Error (bad_input) for those that cannot be run.
  void check_accesses();
  void watch() { watched_ = true; }
  void demand_of(std::size_t accesses) { demand_ = std::make_shared<Demand>(accesses); }
  /// Refuses an axis that the ranks of `grid` divide between them.
  void check_axis(const Grid& grid, int axis) const;
  /// Throws Error (failure) unless the lines along whole_axis() lie in `box` as wholes, or may lie in parts.
  void check_box(const Box& box) const;

 private:
  void check_colours() const;
  struct RowOrders {
    RowOrder much;  // of arrays that no cache holds
    bool tried;     // whether they may be such
  };
  const RowOrders& row_orders();
  RowOrder order_of_much() const;
  bool passes_over_much() const;

  std::string name_;
  int colours_;
  double flops_;
  Lattice lattice_;
  Stream stream_ = Stream::edge;
  std::vector<Place> bound_;
  std::vector<Accumulator> accumulators_;
  std::shared_ptr<Demand> demand_;
  Sampled sampled_;
  std::optional<RowOrders> row_orders_;
  RowTrial row_trial_;
  bool watched_ = false;
};

}  // namespace sc
