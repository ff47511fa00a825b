// SPDX-License-Identifier: Apache-2.0
// Product: y = A x on all ranks, with a partition and a strategy; a RowStage with its options.
#pragma once

#include "engine/overlap/ledger.hpp"
#include "engine/stage/row_stage.hpp"
#include "engine/subcurrent.hpp"
#include "solvers/cg/partition.hpp"

namespace sc::cg {

/// The strategy that hides messages of a partition on any number of ranks; where no computed value is sent
/// only the entries that arrive can be hidden.
inline Strategy usual_strategy(Division partition) {
  return partition == Division::row ? Strategy::interior_first : Strategy::pipelined;
}

struct Settings {
  Division partition = Division::grid;
  Strategy strategy = usual_strategy(partition);
  int depth = 1;  ///< pieces of a message
};

class Product {
 public:
  /// Collective. `rows` is only read; `levels`: time levels of x. Throws Error (bad_input) for a depth below
  /// 1.
  Product(Context& context, const Partition& partition, const LocalRows& rows, const Settings& settings,
          int levels = 1);

  /// y = A x.
  void run() {
    stage_->read_by(nullptr);
    runner_.run(*stage_);
  }
  /// y = A x, and `reader`, a sweep that only reads, in the same pass over the rows (RowStage::read_by).
  /// Returns its reductions on this rank; they are valid until the next product.
  std::span<const Accumulator> run(Stage& reader) {
    stage_->read_by(&reader);
    runner_.run(*stage_);
    return stage_->accumulators();
  }
  Field<double>& x() { return x_; }
  Field<double>& y() { return y_; }
  const Grid& grid() const { return grid_; }
  Runner& runner() { return runner_; }
  const RowStage& stage() const { return *stage_; }
  const Partition& partition() const { return partition_; }
  /// Non-zeros of all ranks; and of the rank with most of them, relative to the mean, minus 1.
  std::int64_t nonzeros() const { return nonzeros_; }
  double imbalance() const { return imbalance_; }
  /// Times of the last solve, or of the timed iterations of the benchmark.
  Ledger& ledger() { return ledger_; }

 private:
  Partition partition_;
  Grid grid_;
  Field<double> x_, y_;
  std::unique_ptr<RowStage> stage_;
  Runner runner_;
  Ledger ledger_{runner_};
  std::int64_t nonzeros_ = 0;
  double imbalance_ = 0;
};

}  // namespace sc::cg
