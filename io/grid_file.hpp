// SPDX-License-Identifier: Apache-2.0
// Grid files: the coordinates of a structured grid's points, as three HDF5 arrays x, y, z of shape (points
// along z, points along y, points along x).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/base/context.hpp"
#include "engine/grid/box.hpp"

namespace sc::io {

class GridFile {
 public:
  /// Collective. Throws Error (bad_input) on all ranks if the file does not exist or is not a grid file.
  GridFile(Context& context, const std::string& path);

  const std::string& path() const { return path_; }
  Int3 points() const { return points_; }
  /// Collective: x, y and z of the points of `box` (indices from 0, x fastest), which may differ between
  /// ranks and be empty. Throws Error (bad_input) on all ranks if a value is not finite, or a cell of any
  /// rank's box has a negative volume.
  std::array<std::vector<double>, 3> read(const Box& box) const;

 private:
  Context& context_;
  std::string path_;
  std::string folder_;  ///< HDF5 group of the three arrays
  Int3 points_;
};

}  // namespace sc::io
