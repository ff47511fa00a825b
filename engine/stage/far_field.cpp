// SPDX-License-Identifier: Apache-2.0
// FarField: its arrays, and its halo.
#include "engine/stage/far_field.hpp"

#include "engine/base/error.hpp"

namespace sc {

namespace {

std::shared_ptr<Storage> nowhere(const Grid& grid, const std::string& name, ElementType type,
                                 int components) {
  ExternalCells cells;
  cells.cell_bytes = size_of(type);
  return std::make_shared<Storage>(grid, name, type, components, cells);
}

}  // namespace

FarField::FarField(const Grid& grid, const std::string& name, ElementType type, int components,
                   FarMemory& memory, int pieces)
    : AnyField({nowhere(grid, name, type, components)}), beyond_(static_cast<std::size_t>(components)) {
  const int halo = grid.halo();
  if (halo > 0 && !(grid.periodic() == Bool3{true, true, true} && grid.split().x == 1 && grid.split().y == 1))
    refuse("field \"" + name +
           "\" lies in files and has a halo: its grid must be periodic and split along z " + "alone, not " +
           to_string(grid.split()));
  for (int k = 0; k < components; ++k)
    arrays_.emplace_back(memory, components == 1 ? name : name + " " + std::to_string(k), grid.own().hi.z,
                         plane_bytes(), pieces);
  const int ranks = grid.context().size();
  if (halo == 0 || ranks == 1) return;
  ends_grid_ = std::make_unique<Grid>(grid.context(),
                                      GridOptions{.cells = {grid.cells().x, grid.cells().y, 2 * halo * ranks},
                                                  .periodic = grid.periodic(),
                                                  .halo = halo,
                                                  .split = {1, 1, ranks}});
  ends_ = std::make_shared<Storage>(*ends_grid_, name + ", ends", type, components, ends_grid_->arena());
  ends_exchange_ =
      std::make_unique<HaloExchange>(*ends_grid_, std::vector<HaloItem>{{ends_.get(), star(halo)}});
}

std::ptrdiff_t FarField::lead() const {
  return (grid().layout().origin - grid().halo() * grid().layout().sz) * static_cast<std::ptrdiff_t>(size());
}

Place FarField::place(const Slot& slot, std::size_t use) const {
  std::byte* first = slot.plane(use, 0);
  const std::ptrdiff_t distance = storage(0).components() > 1 ? slot.plane(use + 1, 0) - first : 0;
  return {first + lead(), distance / static_cast<std::ptrdiff_t>(size())};
}

void FarField::exchange(int width) {
  if (!ends_) return;
  ends_exchange_->start();
  ends_exchange_->wait();
  const int halo = grid().halo();
  for (int k = 0; k < storage(0).components(); ++k) {
    std::vector<std::byte>& beyond = beyond_[static_cast<std::size_t>(k)];
    beyond.resize(2 * static_cast<std::size_t>(width) * plane_bytes());
    for (int n = 0; n < width; ++n) {
      const auto at = [&](int plane) {
        return beyond.data() + static_cast<std::size_t>(plane) * plane_bytes();
      };
      std::memcpy(at(n), plane_of(*ends_, n - width, k), plane_bytes());
      std::memcpy(at(width + n), plane_of(*ends_, 2 * halo + n, k), plane_bytes());
    }
  }
}

const std::byte* FarField::beyond(int component, int width) {
  if (!ends_) return nullptr;
  std::vector<std::byte>& planes = beyond_[static_cast<std::size_t>(component)];
  planes.resize(2 * static_cast<std::size_t>(width) * plane_bytes());
  return planes.data();
}

void FarField::close(const Slot& slot, std::size_t use, int width) const {
  const Int3 n = grid().own().extent();
  const std::size_t cell = size();
  const auto row_bytes = static_cast<std::ptrdiff_t>(cell) * grid().layout().sy;
  const auto cells = static_cast<std::ptrdiff_t>(cell);
  for (int k = 0; k < storage(0).components(); ++k)
    for (int z = slot.lo() - width; z < slot.hi() + width; ++z) {
      std::byte* first = slot.plane(use + static_cast<std::size_t>(k), z) + lead();
      const auto halo = static_cast<std::size_t>(width) * cell;
      for (int y = 0; y < n.y; ++y) {
        std::byte* row = first + y * row_bytes;
        std::memcpy(row - width * cells, row + (n.x - width) * cells, halo);
        std::memcpy(row + n.x * cells, row, halo);
      }
      const std::size_t row = static_cast<std::size_t>(n.x) * cell;
      for (int y = 0; y < width; ++y) {
        std::memcpy(first + (y - width) * row_bytes, first + (n.y - width + y) * row_bytes, row);
        std::memcpy(first + (n.y + y) * row_bytes, first + y * row_bytes, row);
      }
    }
}

void FarField::keep_ends(const Slot& slot, std::size_t use) {
  if (!ends_) return;
  const int halo = grid().halo(), planes = grid().own().hi.z;
  for (int k = 0; k < storage(0).components(); ++k)
    for (int z = slot.lo(); z < slot.hi(); ++z)
      if (z < halo || z >= planes - halo) keep_end(k, z, slot.plane(use + static_cast<std::size_t>(k), z));
}

void FarField::keep_end(int component, int z, const std::byte* plane) {
  if (!ends_) return;
  const int halo = grid().halo(), planes = grid().own().hi.z;
  const auto keep = [&](int as) {
    ends_->begin_host_write();
    std::memcpy(plane_of(*ends_, as, component), plane, plane_bytes());
  };
  if (z < halo) keep(z);
  if (z >= planes - halo) keep(z - planes + 2 * halo);
}

}  // namespace sc
