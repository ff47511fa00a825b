// SPDX-License-Identifier: Apache-2.0
// EntryExchange: chosen entries of the vectors of other ranks, one after another into a vector of this one.
// Gathers what the columns of a sparse matrix need, and carries partial sums to the owners of their rows.
#pragma once

#include <vector>

#include "engine/move/exchange.hpp"

namespace sc {

/// For every rank of the context some positions among the own cells of a vector.
using EntryLists = std::vector<std::vector<int>>;

/// Collective: what every rank has listed for this one.
EntryLists exchange_lists(Context& context, const EntryLists& for_each_rank);

/// Collective: a grid of one row without halo, of which this rank owns `own` cells, after those of the ranks
/// before it. Throws Error (bad_input) where it would have more than 2^31 - 1.
Grid vector_grid(Context& context, int own);

class EntryExchange final : public Exchange {
 public:
  /// Collective. `departures` are own cells of `from` that go to each rank; `arrivals` the same as their
  /// owners list them, which follow one another in `to`: first those of the rank before this one, then of the
  /// rank before that.
  EntryExchange(Storage& from, Storage& to, const EntryLists& departures, const EntryLists& arrivals,
                std::size_t piece_bytes = std::size_t{60} * 1024);

  /// source() is counted `by` cells further along x than in `from`: for a stage that counts its cells
  /// otherwise.
  void shift_source(int by) { shift_ = by; }
  Box source(int piece) const override { return Exchange::source(piece).shifted({shift_, 0, 0}); }

  /// Where the arrivals begin in `to`, and their end.
  const std::vector<int>& arrival_begins() const { return arrival_begins_; }

 private:
  std::vector<int> arrival_begins_;
  int shift_ = 0;
};

/// The ranks in the order in which this one receives: the one before it first. Seen from the sender it is the
/// one behind first, so that not all send to the same rank at once.
std::vector<int> receive_order(const Context& context);

}  // namespace sc
