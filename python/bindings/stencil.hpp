// SPDX-License-Identifier: Apache-2.0
// Grid, field, sweep and loop as Python's stencils hold them. Each keeps alive what it works on.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "engine/move/stream/slab_place.hpp"
#include "engine/overlap/ledger.hpp"
#include "engine/stage/compiled_sweep.hpp"
#include "engine/stage/global_value.hpp"
#include "python/bindings/faces.hpp"

namespace sc::python {

using Triple = std::array<int, 3>;

struct StencilGrid {
  StencilGrid(std::shared_ptr<Ranks> r, Triple cells, std::array<bool, 3> periodic, std::array<int, 2> halos,
              Triple split, std::string scratch, int pieces, int number);
  Context& context() const { return ranks->open(); }
  /// Where a field lies that is made so: "memory" of whoever computes it, the device if there is one; "host",
  /// the host's memory beside the device; "files". Collective.
  FieldOptions options(int levels, const std::string& place);

  std::shared_ptr<Ranks> ranks;
  Grid grid;

 private:
  /// The files; in a rehearsal they only record copies.
  std::unique_ptr<FarMemory> far_memory();

  std::string scratch_;
  int pieces_;
  int number_;  ///< of the process's grids, for the names of its files
  /// Made when the first field lies there.
  std::shared_ptr<SlabPlace> files_, host_;
};

struct StencilField {
  StencilField(std::shared_ptr<StencilGrid> g, const std::string& name, int components, bool single,
               int levels, const std::string& place)
      : grid(std::move(g)),
        field(grid->grid, name, single ? ElementType::f32 : ElementType::f64, components,
              grid->options(levels, place)) {}
  ~StencilField();
  Storage& storage(int level) {
    grid->context();
    return field.storage(level);
  }
  /// The same when steps that have been recorded are carried out. Collective.
  Storage& computed(int level);
  /// The halos of all levels are stale.
  void forget_halos();
  /// Call when values of this field have changed: conditions that read it have filled halos from earlier
  /// ones. They are then filled again before the next read, under every strategy alike.
  void changed();

  std::shared_ptr<StencilGrid> grid;
  AnyField field;
  /// By face, 2 axis + side: what its condition reads beside the field itself. Python keeps those fields.
  std::array<std::vector<std::pair<StencilField*, int>>, 6> beside;
  std::vector<StencilField*> dependents;  ///< whose conditions read this one
};

/// One argument of a kernel: which level of a field, and what is done with it.
struct StencilAccess {
  std::shared_ptr<StencilField> field;
  int level;
  Mode mode;
  Reach reach;
};

struct StencilSweep {
  StencilSweep(const std::string& name, CompiledRows rows, int values, SweepOptions options,
               const std::vector<StencilAccess>& all);
  std::vector<std::shared_ptr<StencilField>> fields;
  CompiledSweep stage;
};

class StencilLoop {
 public:
  StencilLoop(std::shared_ptr<StencilGrid> grid, RunnerOptions options)
      : grid_(std::move(grid)),
        runner_(grid_->context(), options),
        total_(grid_->context()),
        ledger_(runner_) {
    book(true);
  }
  Context& context() const { return grid_->context(); }
  /// What the kernel returns, over all cells of all ranks.
  std::vector<double> run(StencilSweep& sweep, const std::string& kernel);
  Runner& runner() { return runner_; }
  /// Whether its ledger books what the context does: of loops that take turns, each its own steps.
  void book(bool books) {
    if (books == books_) return;
    books ? ledger_.open() : ledger_.close();
    books_ = books;
  }
  /// Books what was gained since it was last asked.
  const Ledger& ledger() {
    const bool books = books_;
    book(false);
    book(books);
    return ledger_;
  }
  /// ledger() counts from here on.
  void restart_ledger() {
    const bool books = books_;
    book(false);
    ledger_.restart();
    book(books);
  }

 private:
  void refresh_beside(const StencilField& field);

  std::shared_ptr<StencilGrid> grid_;
  Runner runner_;
  GlobalValue total_;
  Ledger ledger_;
  bool books_ = false;
};

void bind_stencil_field(nanobind::module_& module);
void bind_stencil_loop(nanobind::module_& module);

}  // namespace sc::python
