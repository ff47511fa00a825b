// SPDX-License-Identifier: Apache-2.0
// Redistribute: copies the own cells of one decomposition to those of another one of the same global cells,
// for example to fewer ranks for a coarse grid and back, or between the pencils of a transform (Transpose).
#pragma once

#include <utility>
#include <vector>

#include "engine/move/exchange.hpp"

namespace sc {

/// Own cells divided into `count` slabs across one axis, which are computed one after the other.
struct Chunks {
  int axis = 2;
  int count = 1;
  /// Slab `chunk` of a box; empty if the box has fewer layers than slabs.
  Box slab(Box box, int chunk) const;
};

/// The largest size of a piece: to other nodes and within this one.
struct ChunkBytes {
  std::size_t far = eager_piece;
  std::size_t near = std::size_t{1} << 30;
};

class Redistribute : public Exchange {
 public:
  /// Collective. Throws Error (bad_input) if the global cells, the element type or the number of components
  /// differ. The source() of a piece is own cells of `from`, its sink() own cells of `to`.
  Redistribute(Storage& from, Storage& to, std::size_t piece_bytes = eager_piece);

  /// The departures [first, second) of a departing chunk, those of its cells that belong to an arriving one,
  /// and the arrivals of an arriving one.
  std::pair<int, int> departures_of(int chunk) const {
    const std::size_t arriving = arrivals_.size(), c = static_cast<std::size_t>(chunk) * arriving;
    return {leaves_[c], leaves_[c + arriving]};
  }
  std::pair<int, int> departures_of(int chunk, int arriving) const {
    const auto c = static_cast<std::size_t>(chunk) * arrivals_.size() + static_cast<std::size_t>(arriving);
    return {leaves_[c], leaves_[c + 1]};
  }
  const std::vector<int>& arrivals_of(int chunk) const { return arrivals_[static_cast<std::size_t>(chunk)]; }

 protected:
  /// In chunks. If the grids differ in their global cells, the common cells are copied.
  struct InChunks {
    Chunks leaving, arriving;
    ChunkBytes piece_bytes = {};
    int slab_major_row = 0;  ///< see TransposeOptions
  };
  Redistribute(Storage& from, Storage& to, const InChunks& chunks);

  /// The pieces of a departing chunk that belong to an arriving one.
  void start_chunk(int chunk, int arriving);
  /// Processes arrived data of an arriving chunk; true when it is complete.
  bool take_chunk(int chunk);
  void push();

 private:
  struct Plan {
    Parcels parcels;
    /// Departures of chunk c to arriving chunk j of J: [leaves[c J + j], leaves[c J + j + 1])
    std::vector<int> leaves;
    std::vector<std::vector<int>> arrivals;  ///< of each arriving chunk
  };
  static Plan plan(Storage& from, Storage& to, const InChunks& chunks);
  Redistribute(Storage& to, Context& context, Plan plan);
  void before_round() override;

  Storage& to_;
  std::vector<int> leaves_;
  std::vector<std::vector<int>> arrivals_;
};

}  // namespace sc
