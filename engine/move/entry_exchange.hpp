// SPDX-License-Identifier: Apache-2.0
// EntryExchange: copies selected entries of the vectors of other ranks into a contiguous vector on this one.
// It gathers the entries of x for the columns of a sparse matrix, and sends partial sums to the owners of
// their rows.
#pragma once

#include <vector>

#include "engine/move/exchange.hpp"

namespace sc {

/// For every rank of the context, positions among the own cells of a vector.
using EntryLists = std::vector<std::vector<int>>;
inline std::size_t total(const EntryLists& lists) {
  std::size_t sum = 0;
  for (const auto& list : lists) sum += list.size();
  return sum;
}

/// Collective: the lists of every rank for this one.
EntryLists exchange_lists(Context& context, const EntryLists& for_each_rank);

/// Collective: a grid of one row without halo, with `own` cells on this rank, after those of lower ranks.
/// Throws Error (bad_input) for more than 2^31 - 1 cells.
Grid vector_grid(Context& context, int own);

class EntryExchange final : public Exchange {
 public:
  /// Collective. `departures` are own cells of `from` for each rank; `arrivals` are the same as listed by
  /// their owners, contiguous in `to`: first those of the previous rank, then of the one before it, and so
  /// on.
  EntryExchange(Storage& from, Storage& to, const EntryLists& departures, const EntryLists& arrivals,
                std::size_t piece_bytes = eager_piece);

  /// source() is shifted by `by` cells along x against `from`, for a stage that numbers its cells
  /// differently.
  void shift_source(int by) { shift_ = by; }
  Box source(int piece) const override { return Exchange::source(piece).shifted({shift_, 0, 0}); }

  /// Begin and end of the arrivals in `to`.
  const std::vector<int>& arrival_begins() const { return arrival_begins_; }

 private:
  std::vector<int> arrival_begins_;
  int shift_ = 0;
};

/// The ranks in the order in which this one receives, the previous rank first. For senders it is the next
/// rank first, so not all send to the same rank at once.
std::vector<int> receive_order(const Context& context);

}  // namespace sc
