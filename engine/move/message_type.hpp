// SPDX-License-Identifier: Apache-2.0
// MessageType: cells as an MPI datatype, for messages whose rows are long enough that MPI moves them as fast
// as a contiguous buffer; narrow rows are packed by BoxCopy instead.
#pragma once

#include <mpi.h>

#include <span>

#include "engine/move/box_copy.hpp"

namespace sc {

/// Some cells of one item.
struct CellBlock {
  CellMemory cells;
  Box box;
  int components = 1;
  std::size_t cell_bytes = 0;
};

/// Rows of at least so many bytes are left to MPI.
constexpr std::size_t long_row = 256;

/// Whether all rows of the blocks are that long.
bool long_rows(std::span<const CellBlock> blocks);

/// The blocks behind one another, from MPI_BOTTOM; committed, to be freed by the caller.
MPI_Datatype message_type(std::span<const CellBlock> blocks);

}  // namespace sc
