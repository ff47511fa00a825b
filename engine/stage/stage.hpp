// SPDX-License-Identifier: Apache-2.0
// Stage: the unit that strategies execute. It knows its cells, what it reads and writes, and how to compute
// any box of them, but not the order.
#pragma once

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
#include "engine/plan/strategy.hpp"
#include "engine/stage/access.hpp"
#include "engine/stage/cut.hpp"

namespace sc {

class Exchange;

class Stage {
 public:
  virtual ~Stage() = default;

  const std::string& name() const { return name_; }
  /// The grid whose cells the stage computes: that of its outputs, or of its first input if it has none.
  const Grid& grid() const { return *grid_; }
  const std::vector<Access>& accesses() const { return accesses_; }
  /// The axis along which every box must hold all own cells, because lines run along it; -1 for none.
  virtual int whole_axis() const { return -1; }
  /// Whether boxes may contain parts of lines along z, as slabs divide them.
  virtual bool takes_parts() const { return false; }
  /// The stage that must run directly before each run of this one, for the present places of its fields;
  /// nullptr: none.
  virtual Stage* before() { return nullptr; }
  /// Computes `box` (local coordinates) with `threads` threads; the kernel's values are reduced into `into`.
  virtual void compute(const Box& box, int threads, std::span<Accumulator> into) = 0;

  /// The cut and the exchanges of a stage that needs more than halos. `gathers` must arrive before its shell
  /// is computed, `sums` are sent after it. nullptr for none, the same on all ranks.
  struct Own {
    Cut cut;
    Exchange* gathers = nullptr;
    Exchange* sums = nullptr;
    /// With overlap, sums are sent piece by piece, during the rest of the shell.
    bool sums_at_once = false;
  };
  /// Called at the beginning of a run.
  virtual std::optional<Own> own() { return std::nullopt; }
  /// Processes an arrival of one of its own exchanges; each once a run, in the order of their numbers.
  virtual void take(const Exchange& /*exchange*/, int /*piece*/, int /*threads*/) {}
  /// A run with the present parameters of its kernel, to be executed later, box by box, even if the stage has
  /// changed or no longer exists.
  struct Captured {
    /// The fields are at `places`; `origin` is the global position of cell (0, 0, 0). The kernel's values are
    /// reduced into `into`; if it is empty, they are discarded. On a device it enqueues the work on
    /// Stream::edge, where boundary conditions run too, and discards the values.
    std::function<void(std::span<const Place> places, const Box& box, Int3 origin, int threads,
                       std::span<Accumulator> into)>
        compute;
    bool by_position = false;  ///< the kernel uses the global position of a cell
    bool by_faces = false;     ///< a flux kernel: the fluxes into the first row of a box are computed again
  };
  /// Without compute() if cells cannot be computed one by one.
  virtual Captured capture() const { return {}; }
  /// Completes the result of a run, after all computation and arrivals.
  virtual void finish(int /*threads*/) {}
  /// The reason why the stage cannot run under a strategy; empty if it can.
  virtual std::string refusal(const Strategy& /*strategy*/) const { return ""; }
  /// Throws Error (bad_input) on all ranks if the stage reads beyond a face of the domain without a condition
  /// (see Beyond). Called before the first run.
  void check_faces() const;
  /// Whether its views check their accesses, as in checked builds.
  bool watched() const { return watched_; }
  /// Whether compute() may use a device: its work is then enqueued on stream(), and collect() adds the
  /// reduced values to accumulators().
  virtual bool runs_on_devices() const { return false; }
  virtual void collect() {}
  /// The device that computes the fields, as wholes or slab by slab; nullptr: the host. Throws Error
  /// (bad_input) if it computes some but not others, or the stage cannot run there.
  Device* device() const;
  void choose_stream(Stream stream) { stream_ = stream; }
  Stream stream() const { return stream_; }
  /// A stage in colours runs once for each colour, with refreshed halos in between.
  int colours() const { return colours_; }
  void choose_colour(int colour) { lattice_ = {colours_, colour}; }
  /// The cells that a run of the present colour computes.
  const Lattice& lattice() const { return lattice_; }
  /// This rank's part of the reductions over the cells of the last run, one for each value that the kernel
  /// returns.
  std::span<Accumulator> accumulators() { return accumulators_; }
  std::span<const Accumulator> accumulators() const { return accumulators_; }

  /// Floating-point operations a cell, as declared.
  double flops() const { return flops_; }
  /// Bytes a cell: every declared element is counted once for its read and once for its write.
  virtual double bytes_per_cell() const;

  /// Whether the next run is one of the first, which measure the order of rows; the same on all ranks.
  bool measures_rows();

  /// Chooses the runs without overlap that measure M.
  Sampled& sampled() { return sampled_; }

  /// What later stages read of output number `n` before it is written again; an eager strategy sends this.
  /// One entry for each access. Shared, because the stage may no longer exist when its output is read.
  using Demand = std::vector<Reach>;
  const std::shared_ptr<Demand>& demand() const { return demand_; }

 protected:
  Stage(std::string name, std::vector<Access> accesses, double flops = 0, int colours = 1,
        std::vector<Accumulator> accumulators = {});
  /// The place of access number `n` in this run.
  Place place(std::size_t n) const { return place_of(accesses()[n].storage()); }
  /// The order of rows for `box` on `threads` threads; measures until it is destroyed.
  RowTrial::Timing time_rows(const Box& box, int threads);
  /// Checks the declarations; throws Error (bad_input) if they are invalid.
  void check_accesses();
  void watch(bool watched) { watched_ = watched; }
  /// From now on the stage has reductions of these kinds.
  void reduce_like(std::span<const Accumulator> kinds) { accumulators_ = like(kinds); }
  /// For a stage that may declare no field.
  void compute_on(const Grid& grid) { grid_ = &grid; }
  /// Throw Error (bad_input) for an axis other than 0, 1 and 2, if nothing is written, and if ranks divide
  /// the lines along whole_axis().
  void check_axis(int axis) const;
  void check_writes() const;
  void check_whole_lines() const;
  /// Throws Error (failure) unless `box` contains whole lines along whole_axis(), or parts are allowed.
  void check_box(const Box& box) const;

 private:
  void check_colours() const;
  struct RowOrders {
    RowOrder much;  // for arrays larger than the caches
    bool tried;     // whether they may be that large
  };
  const RowOrders& row_orders();
  RowOrder order_of_much() const;
  bool passes_over_much() const;

  std::string name_;
  std::vector<Access> accesses_;
  const Grid* grid_ = nullptr;
  int colours_;
  double flops_;
  Lattice lattice_;
  Stream stream_ = Stream::edge;
  std::vector<Accumulator> accumulators_;
  std::shared_ptr<Demand> demand_;
  Sampled sampled_;
  std::optional<RowOrders> row_orders_;
  RowTrial row_trial_;
  bool watched_ = false;
};

}  // namespace sc
