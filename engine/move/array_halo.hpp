// SPDX-License-Identifier: Apache-2.0
// ArrayHalo: the halos of user arrays of up to four dimensions, in any storage order. It has parcels for
// every direction, and for all directions together, and one Exchange for them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/grid/process_grid.hpp"
#include "engine/move/exchange.hpp"

namespace sc {

/// Up to four axes, the fastest in memory first; cells are contiguous along the first. Missing axes have one
/// cell.
struct UserArray {
  std::byte* own = nullptr;  ///< address of the first own cell
  std::size_t cell_bytes = 0;
  Ints4 cells{1, 1, 1, 1};                          ///< own
  std::array<std::ptrdiff_t, most_dims> strides{};  ///< in bytes
  Ints4 split_over{-1, -1, -1, -1};                 ///< process dimension, or -1
  Ints4 low{}, high{};                              ///< layers of halo
  /// The positions between which rebind() may move the first own cell in shared memory; the first is the
  /// present one. All arrays on all ranks have them, or none.
  std::array<SharedPlace, 2> places{};
};

/// Own cells lo <= cell < hi along every process dimension.
struct CellRange {
  Ints4 lo{}, hi{};
};

class ArrayHalo final {
 public:
  /// Collective. `blocks[a][c]` are the own cells of the blocks with coordinate c along process dimension a.
  /// The arrays must agree on all ranks in everything except own cells and memory. `outstanding` parcels of
  /// one direction may be in progress at a time.
  ArrayHalo(Context& context, const ProcessGrid& processes, std::vector<UserArray> arrays,
            std::vector<std::vector<int>> blocks, int outstanding, std::size_t piece_bytes);

  /// The number of a group of parcels that are sent together: all parcels of one direction. As many groups of
  /// a direction may be in progress as `outstanding`; `number` counts them from 0.
  int group(const Ints4& direction, int number) const;
  static constexpr int all = 0;  ///< the group of the parcels of all directions
  /// As in Exchange, for a whole group. A range excludes cells along axes on which the direction is zero;
  /// both ends pass the same range.
  void isend(int group, const CellRange* range = nullptr);
  void irecv(int group, const CellRange* range = nullptr);
  bool sent(int group);
  bool received(int group);
  void progress() { exchange_->progress(); }
  void abandon() { exchange_->abandon(); }
  /// Moves the first own cell of every array to another address; nothing may be in progress.
  void rebind(const std::vector<std::byte*>& own);

  std::string describe() const { return exchange_->describe(); }

 private:
  struct Group {
    Ints4 direction{};
    std::vector<int> departures{}, arrivals{};
  };
  void add_regions(int rank, const Ints4& direction, int group, bool leaving,
                   std::vector<std::vector<Region>>& out) const;
  Region region(const UserArray& array, int sender, const Ints4& direction) const;
  /// Whether a group that is sent as a whole may be copied directly from the sender's cells.
  bool in_place(int sender, int peer, const Ints4& direction) const;
  std::vector<Part> clipped(const Parcel& parcel, const Ints4& direction, const CellRange& range) const;

  Context& context_;
  ProcessGrid processes_;
  std::vector<UserArray> arrays_;
  std::vector<std::vector<int>> blocks_;
  int outstanding_;
  std::vector<Ints4> directions_;
  std::vector<Group> groups_;
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace sc
