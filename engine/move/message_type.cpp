// SPDX-License-Identifier: Apache-2.0
// MessageType: nested vectors of rows, at absolute addresses.
#include "engine/move/message_type.hpp"

#include <algorithm>
#include <vector>

#include "engine/base/mpi_check.hpp"

namespace sc {

namespace {

/// `count` times `inner`, `stride` bytes apart; frees `inner`.
MPI_Datatype repeated(MPI_Datatype inner, int count, std::ptrdiff_t stride) {
  MPI_Datatype outer = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_create_hvector(count, 1, stride, inner, &outer));
  mpi::check(MPI_Type_free(&inner));
  return outer;
}

MPI_Datatype type_of(const CellBlock& block) {
  const Int3 n = block.box.extent();
  MPI_Datatype type = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_contiguous(n.x * static_cast<int>(block.cell_bytes), MPI_BYTE, &type));
  type = repeated(type, n.y, block.cells.y);
  type = repeated(type, n.z, block.cells.z);
  return repeated(type, block.components, block.cells.component);
}

}  // namespace

bool long_rows(std::span<const CellBlock> blocks) {
  return std::all_of(blocks.begin(), blocks.end(), [](const CellBlock& b) {
    return static_cast<std::size_t>(b.box.extent().x) * b.cell_bytes >= long_row;
  });
}

MPI_Datatype message_type(std::span<const CellBlock> blocks) {
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Aint> begins;
  for (const CellBlock& b : blocks) {
    const Int3 lo = b.box.lo;
    std::byte* begin =
        b.cells.base + lo.x * static_cast<std::ptrdiff_t>(b.cell_bytes) + lo.y * b.cells.y + lo.z * b.cells.z;
    MPI_Aint address = 0;
    mpi::check(MPI_Get_address(begin, &address));
    begins.push_back(address);
    types.push_back(type_of(b));
  }
  const std::vector<int> ones(types.size(), 1);
  MPI_Datatype all = MPI_DATATYPE_NULL;
  mpi::check(
      MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), begins.data(), types.data(), &all));
  mpi::check(MPI_Type_commit(&all));
  for (MPI_Datatype& type : types) mpi::check(MPI_Type_free(&type));
  return all;
}

}  // namespace sc
