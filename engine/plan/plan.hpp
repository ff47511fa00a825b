// SPDX-License-Identifier: Apache-2.0
// Plan: one window of a program as a dependence graph: chunks that are computed, pieces that are sent,
// arrivals that are awaited. It is made from declarations, geometry and a rank, and contains no MPI,
// addresses or clock. So it can be executed, or simulated for another machine or other ranks.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

namespace sc {

/// A range of numbers in a plan's common list.
struct Ids {
  int first = 0;
  int count = 0;
};

/// The unit of computation.
struct Chunk {
  int run = 0;   ///< run within the window, in program order
  int part = 0;  ///< number assigned by the caller
  int step = 0;  ///< without overlap a step begins when all messages of the previous one have arrived
  bool divisible = false;  ///< threads may compute it in tiles, beside other chunks
  Ids after = {};          ///< chunks that must have been computed before
  Ids needs = {};          ///< arrivals that must be complete before
  Ids gives = {};          ///< pieces to which it contributes
};

/// A unit of sending; it starts when every chunk that contributes to it has been computed.
struct Piece {
  int movement = 0;
  int number = 0;
  int step = 0;          ///< the largest step of its chunks
  int givers = 0;        ///< number of chunks that contribute
  bool at_once = false;  ///< starts at once under any strategy, because other chunks wait for its buffer
};

/// A unit of receiving, which can be awaited separately.
struct Arrival {
  int movement = 0;
  int number = 0;
  int step = 0;  ///< complete once all ranks have sent what they compute up to this step
};

class Plan {
 public:
  void clear();
  /// The step and the givers of the piece follow from the chunks that contribute to it.
  int add(Piece piece);
  int add(Arrival arrival);
  /// In program order: `after` contains only chunks added before, so a plan has no cycles. Throws Error
  /// (failure) otherwise, and for a step smaller than the last one.
  int add(Chunk chunk, std::span<const int> after, std::span<const int> needs, std::span<const int> gives);

  const std::vector<Chunk>& chunks() const { return chunks_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  std::span<const int> ids(Ids some) const {
    return {ids_.data() + some.first, static_cast<std::size_t>(some.count)};
  }

 private:
  Ids keep(std::span<const int> some);

  std::vector<Chunk> chunks_;
  std::vector<Piece> pieces_;
  std::vector<Arrival> arrivals_;
  std::vector<int> ids_;
};

}  // namespace sc
