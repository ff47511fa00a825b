// SPDX-License-Identifier: Apache-2.0
// Samples: values of fields at positions between the points of their grid, on rank 0. The values at the
// corners of the cells are copied there and interpolated once, so that the bits do not depend on the split.
#pragma once

#include <span>
#include <vector>

#include "engine/move/output/placed.hpp"

namespace sc {

class Samples {
 public:
  /// Of fields on the grid of `points`.
  Samples(const GridPoints& points, std::vector<Placed> places);

  /// Collective: on rank 0 for each place the components of all fields, one after the other; empty on other
  /// ranks. Halo layers must be up to date; real fields only.
  std::vector<double> of(std::span<Storage* const> fields) const;

 private:
  /// Points of one rank, a box of global coordinates, and what corners of a place they are.
  struct Piece {
    Box box;
    std::size_t place = 0;
    Int3 corner;  ///< of box.lo: 0 or 1 along each axis
  };
  std::vector<Piece> pieces_of(int rank) const;

  GridPoints points_;
  std::vector<Placed> places_;
  std::vector<std::vector<Piece>> pieces_;  ///< of this rank, on rank 0 of every rank
  std::vector<Box> boxes_;                  ///< of this rank's pieces, local
};

}  // namespace sc
