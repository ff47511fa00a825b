// SPDX-License-Identifier: Apache-2.0
// RowStage: y = A x with the rows of a sparse matrix that this rank has. Entries of x that other ranks own
// are gathered during the computation; sums of rows that others own are sent as soon as they are computed.
// Arrivals are added in a fixed order, so the bits do not depend on the order of arrival. A sweep may read y
// during the run, each row once it is complete.
#pragma once

#include "engine/exec/row_product.hpp"
#include "engine/move/entry_exchange.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

/// This rank's part of a sparse matrix; it is only read while the stage is constructed. It has the rows first
/// … first + n - 1, n = begin.size() - 1, with the columns passed to `gather`. Ranks may have the same rows
/// with different columns; these are added up on the rank that owns the row of y.
struct MatrixRows {
  std::int64_t first = 0;
  std::span<const std::int64_t> begin;
  std::span<const double> value;
};

/// The global columns of a matrix, one for each value.
struct Gathered {
  std::span<const std::int64_t> columns;
};
inline Gathered gather(std::span<const std::int64_t> columns) { return {columns}; }

struct GatheringRead {
  Level<double, 1> level;
  Gathered gathered;
};
inline GatheringRead reads(Level<double, 1> level, Gathered gathered) { return {level, gathered}; }

struct RowOptions {
  std::size_t piece_bytes = eager_piece;  ///< largest size of a piece
};

class RowStage final : public Stage {
 public:
  using Write = detail::Declared<double, 1, Mode::write>;

  /// Collective. x and y are on grids {n, 1, 1} that are divided along x, evenly or not. Throws Error
  /// (bad_input) on all ranks for rows or columns out of range and for spans of inconsistent lengths.
  RowStage(std::string name, const MatrixRows& matrix, Write y, GatheringRead x, RowOptions options = {});

  /// In the next runs the sweep `reader` is computed too, on each block of rows once y is complete there: in
  /// the cache, or in finish() where another rank contributes to the block. Its values are reduced into
  /// accumulators(), with the bits of a run of its own. nullptr: no sweep. Throws Error (bad_input) unless it
  /// only reads, at its own cell and on the grid of y.
  void read_by(Stage* reader);

  /// Own rows first, then those of other ranks in the order in which their sums are sent.
  std::optional<Own> own() override;
  void compute(const Box& box, int threads, std::span<Accumulator> into) override;
  void take(const Exchange& exchange, int piece, int threads) override;
  void finish(int threads) override;
  std::string refusal(const Strategy& strategy) const override;
  double bytes_per_cell() const override;

  /// Non-zeros of this rank.
  std::int64_t nonzeros() const { return nonzeros_; }
  /// Non-zeros that a box uses, that a gathered piece uses, and sums of an arriving piece.
  std::int64_t nonzeros_in(const Box& box) const;
  std::int64_t nonzeros_of(int piece) const;
  std::int64_t sums_of(int piece) const;

 private:
  struct Gather {
    std::shared_ptr<Storage> x, entries;
    std::shared_ptr<EntryExchange> movement;
  };
  void check(const MatrixRows& matrix, std::span<const std::int64_t> columns) const;
  /// The matrix row at each position among own and others' rows, -1 for none.
  std::vector<int> order_rows(const MatrixRows& matrix);
  /// For each column its position in own x, or -1 - its position among the gathered entries.
  std::vector<std::int32_t> order_columns(std::span<const std::int64_t> columns);
  void fill(const MatrixRows& matrix, const std::vector<int>& rows, const std::vector<std::int32_t>& local);
  void reserve(const std::vector<std::int32_t>& local, const std::vector<std::int32_t>& piece_of);
  void make_sums();
  void find_late();
  Box rows_of(int block) const;
  Gather& gather_of(Storage& x);
  int own_rows() const { return grid().own().hi.x; }

  RowOptions options_;
  std::int64_t nonzeros_ = 0;
  CompressedRows local_;                // own rows, then those of others; columns owned here
  std::vector<CompressedRows> remote_;  // by piece of the gather
  double matrix_bytes_ = 0;             // that a product reads of them
  std::vector<double> from_remote_;     // the sums of those for each row

  std::vector<std::int32_t> touched_;  // rows with a column on another rank
  EntryLists wanted_, given_;          // entries of x: received, by owner; sent, by receiver
  std::vector<Gather> gathers_;        // one for each storage that x has had
  bool gathers_anywhere_ = false, sends_anywhere_ = false;

  // Sums of rows that others own: positions in partial_ by owner, and their positions there.
  EntryLists foreign_, foreign_rows_;
  int foreign_count_ = 0;
  std::shared_ptr<Storage> partial_, arrived_;
  std::shared_ptr<EntryExchange> sums_;
  std::vector<std::vector<std::int32_t>> sum_rows_;  // own rows to which an arriving piece adds
  std::vector<double> from_others_;
  std::vector<std::int32_t> summed_;  // own rows to which any of them adds

  Stage* reader_ = nullptr;
  std::vector<int> late_;  // blocks of rows_read_together own rows that finish() completes
};

}  // namespace sc
