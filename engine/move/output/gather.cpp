// SPDX-License-Identifier: Apache-2.0
// gather: every rank packs its own cells and the halo layers beyond adjacent physical faces; rank 0 copies
// the blocks to their positions.
#include "engine/move/output/gather.hpp"

#include "engine/base/mpi_check.hpp"
#include "engine/move/parcels/box_copy.hpp"

namespace sc {

namespace {

// Below the tags from next_tag(). One tag is enough: messages of a pair of ranks are non-overtaking.
constexpr int tag = 1;

/// MPI counts are int. With a datatype of one element, a block may have 2^31 elements rather than bytes.
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

/// Packs the cells of a box contiguously.
void pack(Storage& storage, const Box& box, std::byte* into) {
  const std::size_t size = size_of(storage.type());
  const auto element = static_cast<std::ptrdiff_t>(size);
  const Layout& layout = storage.grid().layout();
  const Box own = storage.grid().own();
  const CellMemory packed = CellMemory::dense(into, box, size);
  storage.each_slab(true, false, [&](int lo, int hi) {
    const CellMemory cells{storage.host_base(), layout.sy * element, layout.sz * element,
                           storage.component_stride() * element};
    Box slab = box;
    if (lo > own.lo.z) slab.lo.z = lo;
    if (hi < own.hi.z) slab.hi.z = hi;
    BoxCopy(cells, slab, packed, slab, storage.components(), size).run();
  });
}

}  // namespace

Box with_layers(const Grid& grid, Box box, int layers) {
  if (box.empty()) return box;
  for (int axis = 0; axis < 3; ++axis) {
    if (grid.periodic()[axis]) continue;
    if (box.lo[axis] == 0) box.lo[axis] -= layers;
    if (box.hi[axis] == grid.cells()[axis]) box.hi[axis] += layers;
  }
  return box;
}

Int3 gathered_extent(const Grid& grid, int layers) {
  return with_layers(grid, {{0, 0, 0}, grid.cells()}, layers).extent();
}

std::vector<std::byte> gather(Storage& storage, int layers) {
  const Grid& grid = storage.grid();
  const int kept = storage.far() ? 0 : grid.least_halo();
  if (layers < 0 || layers > kept)
    throw Error(Exit::failure, "field \"" + storage.name() + "\" is gathered with " + std::to_string(layers) +
                                   " layers of a halo of which it keeps " + std::to_string(kept));
  if (Pending* refresh = storage.in_flight()) refresh->finish();
  Context& context = grid.context();
  const std::size_t size = size_of(storage.type());
  const int components = storage.components();
  const auto bytes_of = [&](const Box& box) {
    return static_cast<std::size_t>(box.cells() * components) * size;
  };
  const ElementDatatype element(size * static_cast<std::size_t>(components));

  const Box mine = with_layers(grid, grid.global_box(), layers);
  std::vector<std::byte> block(bytes_of(mine));
  if (!block.empty()) pack(storage, mine.shifted(Int3{} - grid.origin()), block.data());
  if (context.rank() != 0) {
    if (!block.empty())
      mpi::check(MPI_Send(block.data(), static_cast<int>(mine.cells()), element, 0, tag, context.comm()));
    return {};
  }

  const Box all = with_layers(grid, {{0, 0, 0}, grid.cells()}, layers);
  std::vector<std::byte> whole(bytes_of(all));
  const CellMemory global = CellMemory::dense(whole.data(), all, size);
  for (int rank = 0; rank < context.size(); ++rank) {
    const Box box = with_layers(grid, grid.box_of(rank), layers);
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
