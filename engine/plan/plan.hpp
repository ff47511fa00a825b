// SPDX-License-Identifier: Apache-2.0
// Plan: one window of a program as a graph. Chunks are computed, pieces leave, arrivals are awaited. A value,
// made from declarations, geometry and a rank: no MPI, no addresses, no clock in it, so that it can be
// carried out, added up against a described machine, or played between simulated ranks.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

namespace sc {

/// Some numbers in a plan's common list.
struct Ids {
  int first = 0;
  int count = 0;
};

/// What is computed in one go, as far as the order is concerned.
struct Chunk {
  int run = 0;   ///< of the window, in program order
  int part = 0;  ///< the caller's number for it
  int step = 0;  ///< where nothing may overlap, a step begins when what the one before sent is there
  bool divisible = false;  ///< threads may take it in tiles, beside other chunks
  Ids after = {};          ///< chunks that must have been computed
  Ids needs = {};          ///< arrivals that must be there
  Ids gives = {};          ///< pieces that it helps to compute
};

/// What leaves this rank by itself, once every chunk that gives it has been computed.
struct Piece {
  int movement = 0;
  int number = 0;
  int step = 0;          ///< the last of its givers'
  int givers = 0;        ///< how many
  bool at_once = false;  ///< under any strategy: it frees what other chunks wait for
};

/// What comes from other ranks and can be awaited by itself.
struct Arrival {
  int movement = 0;
  int number = 0;
  int step = 0;  ///< it can be there once all ranks have sent what they compute up to this step
};

class Plan {
 public:
  void clear();
  /// The piece's step and givers follow from the chunks that give it.
  int add(Piece piece);
  int add(Arrival arrival);
  /// In program order: `after` are chunks added before, so a plan has no cycles. Throws Error (failure) for
  /// one that is not, and for a step before the last one's.
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
