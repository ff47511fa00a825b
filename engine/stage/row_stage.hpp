// SPDX-License-Identifier: Apache-2.0
// RowStage: y = A x with the rows of a sparse matrix that this rank holds. Entries of x that others own are
// gathered while the rest is computed; sums of rows that others own are sent to them as soon as they are
// there. What arrives is added in a fixed order, so that bits do not depend on when it comes.
#pragma once

#include "engine/exec/row_product.hpp"
#include "engine/move/entry_exchange.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

/// This rank's part of a sparse matrix, only read while the stage is made: rows first … first + n - 1 of the
/// whole, n = begin.size() - 1, with the columns that `gather` is given. Ranks may hold the same rows with
/// different columns: they are then added up where y's row lives.
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
  std::size_t piece_bytes = std::size_t{60} * 1024;  ///< most bytes of one piece
};

class RowStage final : public Stage {
 public:
  using Write = detail::Declared<double, 1, Mode::write>;

  /// Collective. x and y live on grids {n, 1, 1} that are divided along x, evenly or not. Throws Error
  /// (bad_input) on all ranks for rows or columns out of range and for spans that do not fit together.
  RowStage(std::string name, const MatrixRows& matrix, Write y, GatheringRead x, RowOptions options = {});

  const Grid& grid() const override { return accesses_[0].field->grid(); }
  const std::vector<Access>& accesses() const override { return accesses_; }
  /// Own rows first, then those of other ranks in the order in which their sums are sent.
  std::optional<Own> own() override;
  void compute(const Box& box, int threads, std::span<Accumulator> into) override;
  void bind(std::span<const Place> places) override;
  void take(const Movement& movement, int piece, int threads) override;
  void finish(int threads) override;
  std::string refusal(const Strategy& strategy) const override;
  double bytes_per_cell() const override;

  /// Non-zeros of this rank, and how many of their columns are others'.
  std::int64_t nonzeros() const { return nonzeros_; }
  std::int64_t remote_nonzeros() const { return nonzeros_ - local_.nonzeros(); }
  /// Non-zeros that computing a box takes; that taking a piece of what is gathered takes, or sums of one.
  std::int64_t nonzeros_in(const Box& box) const;
  std::int64_t nonzeros_of(int piece) const;
  std::int64_t sums_of(int piece) const;

 private:
  struct Gather {
    std::shared_ptr<Storage> x, entries;
    std::shared_ptr<EntryExchange> movement;
  };
  void check(const MatrixRows& matrix, std::span<const std::int64_t> columns) const;
  /// The row of the matrix behind each position among own and others' rows, -1 for none.
  std::vector<int> order_rows(const MatrixRows& matrix);
  /// For each column its position in own x, or -1 - its position among the gathered entries.
  std::vector<std::int32_t> order_columns(std::span<const std::int64_t> columns);
  void fill(const MatrixRows& matrix, const std::vector<int>& rows, const std::vector<std::int32_t>& local);
  void reserve(const std::vector<std::int32_t>& local, const std::vector<std::int32_t>& piece_of);
  void make_sums();
  Gather& gather_of(Storage& x);
  int own_rows() const { return grid().own().hi.x; }

  std::vector<Access> accesses_;
  RowOptions options_;
  std::int64_t nonzeros_ = 0;
  CompressedRows local_;                // own rows, then those of others; columns owned here
  std::vector<CompressedRows> remote_;  // by piece of the gather
  std::vector<double> from_remote_;     // what those add to each row

  std::vector<std::int32_t> touched_;  // rows with a column elsewhere
  EntryLists wanted_, given_;          // entries of x: that come here, by owner; that leave, by receiver
  std::vector<Gather> gathers_;        // one for each storage that x has been
  bool gathers_anywhere_ = false, sends_anywhere_ = false;

  // Sums of rows that others own: positions in partial_ by owner, and where they belong there.
  EntryLists foreign_, foreign_rows_;
  int foreign_count_ = 0;
  std::shared_ptr<Storage> partial_, arrived_;
  std::shared_ptr<EntryExchange> sums_;
  std::vector<std::vector<std::int32_t>> sum_rows_;  // own rows that an arriving piece adds to
  std::vector<double> from_others_;
  std::vector<std::int32_t> summed_;  // own rows that any of them adds to
};

}  // namespace sc
