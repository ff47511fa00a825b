// SPDX-License-Identifier: Apache-2.0
// gather: every rank packs its own cells, rank 0 puts the blocks in their places.
#include "engine/move/gather.hpp"

#include "engine/base/mpi_check.hpp"
#include "engine/move/box_copy.hpp"

namespace sc {

namespace {

// Below those that a context hands out; messages of one pair of ranks do not overtake each other.
constexpr int tag = 1;

/// MPI counts are int: elements rather than bytes are counted, so a block may have 2^31 of them.
class ElementDatatype {
 public:
  explicit ElementDatatype(std::size_t bytes) {
    mpi::check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_));
    mpi::check(MPI_Type_commit(&type_));
  }
  ElementDatatype(const ElementDatatype&) = delete;
  ElementDatatype& operator=(const ElementDatatype&) = delete;
  ~ElementDatatype() { MPI_Type_free(&type_); }
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace

std::vector<std::byte> gather(const Storage& storage) {
  const Grid& grid = storage.grid();
  Context& context = grid.context();
  const std::size_t size = size_of(storage.type());
  const int components = storage.components();
  const auto bytes_of = [&](const Box& box) {
    return static_cast<std::size_t>(box.cells() * components) * size;
  };
  const ElementDatatype element(size * static_cast<std::size_t>(components));

  const auto element_size = static_cast<std::ptrdiff_t>(size);
  const Layout& layout = grid.layout();
  const CellMemory own{storage.base(), layout.sy * element_size, layout.sz * element_size,
                       storage.component_stride() * element_size};
  std::vector<std::byte> block(bytes_of(grid.own()));
  if (!block.empty())
    BoxCopy(own, grid.own(), CellMemory::dense(block.data(), grid.own(), size), grid.own(), components, size)
        .run();
  if (context.rank() != 0) {
    if (!block.empty())
      mpi::check(
          MPI_Send(block.data(), static_cast<int>(grid.own().cells()), element, 0, tag, context.comm()));
    return {};
  }

  const Box all{{0, 0, 0}, grid.cells()};
  std::vector<std::byte> whole(bytes_of(all));
  const CellMemory global = CellMemory::dense(whole.data(), all, size);
  for (int rank = 0; rank < context.size(); ++rank) {
    const Box box = grid.box_of(rank);
    if (box.empty()) continue;
    if (rank != 0) {
      block.resize(bytes_of(box));
      mpi::check(MPI_Recv(block.data(), static_cast<int>(box.cells()), element, rank, tag, context.comm(),
                          MPI_STATUS_IGNORE));
    }
    BoxCopy(CellMemory::dense(block.data(), box, size), box, global, box, components, size).run();
  }
  return whole;
}

}  // namespace sc
