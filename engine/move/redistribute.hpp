// SPDX-License-Identifier: Apache-2.0
// Redistribute: the own cells of one decomposition into the own cells of another one of the same global
// cells, for example onto fewer ranks for a coarse grid and back, or between the pencils of a transform
// (Transpose).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/move/movement.hpp"
#include "engine/move/region.hpp"
#include "engine/move/transport.hpp"

namespace sc {

class Carrier;

/// Own cells cut into `count` slabs across one axis, which are computed one after the other.
struct Chunks {
  int axis = 2;
  int count = 1;
  /// Slab `chunk` of a box; empty where the box has fewer layers than slabs.
  Box slab(Box box, int chunk) const;
};

/// The most a piece may have: to other nodes (under the eager limit of MPI) and within this one.
struct ChunkBytes {
  std::size_t far = std::size_t{60} * 1024;
  std::size_t near = std::size_t{1} << 30;
};

class Redistribute : public Movement {
 public:
  /// Collective. Throws Error (bad_input) when the global cells, the element type or the number of components
  /// differ.
  Redistribute(Storage& from, Storage& to, std::size_t piece_bytes = std::size_t{60} * 1024);
  ~Redistribute() override;

  int pieces() const override;
  void start(int piece) override;
  using Movement::start;
  /// Own cells of `from` that leave, and own cells of `to` that arrive, in the local coordinates of each.
  Box source(int piece) const override;
  Box sink(int piece) const override;
  bool test() override;
  void wait() override;
  void finish() override;
  std::int64_t bytes() const override;

  Traffic traffic(Transport transport) const;

 protected:
  /// In chunks. Of grids that differ in their global cells, what both have is carried.
  struct InChunks {
    Chunks leaving, arriving;
    ChunkBytes piece_bytes = {};
  };
  Redistribute(Storage& from, Storage& to, const InChunks& chunks);

  /// The pieces of a leaving chunk.
  void start_chunk(int chunk);
  /// Takes what has come of an arriving chunk; true once it is all there.
  bool take_chunk(int chunk);
  void push();

 private:
  void plan(Storage& from, Storage& to, const InChunks& chunks);
  void prepare();

  Storage& to_;
  std::unique_ptr<Carrier> carrier_;
  std::vector<int> leaves_;                 ///< departures of chunk c: [leaves_[c], leaves_[c + 1])
  std::vector<std::vector<int>> arrivals_;  ///< of each arriving chunk
};

}  // namespace sc
