// SPDX-License-Identifier: Apache-2.0
// CellCopy: copies boxes of cells on a device, several in one launch: packing, unpacking, and halos of a rank
// that is its own neighbour. On the host BoxCopy does this.
#pragma once

#include <cstddef>
#include <span>

#include "engine/base/device.hpp"

namespace sc {

struct CellCopy {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::ptrdiff_t from_y = 0, from_z = 0, from_component = 0;  ///< bytes
  std::ptrdiff_t to_y = 0, to_z = 0, to_component = 0;
  int row = 0;  ///< words of a row
  int ny = 0, nz = 0, components = 0;
  int word = 0;  ///< bytes: 4 or 8
};

void copy_cells(Device& device, Stream stream, std::span<const CellCopy> copies);

}  // namespace sc
