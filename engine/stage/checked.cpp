// SPDX-License-Identifier: Apache-2.0
// Watches from declarations; poison values in cells that must not be read.
#include "engine/stage/checked.hpp"

#include <algorithm>
#include <cstring>

#include "engine/grid/cells.hpp"
#include "engine/stage/poison.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

namespace {

Watch::Kind kind_of(const Access& a) {
  if (a.across()) return Watch::Kind::across;
  if (a.mode == Mode::read) return Watch::Kind::around;
  return a.reach.width > 0 ? Watch::Kind::colour : Watch::Kind::own;
}

/// Fills an element with the bits of a signalling NaN, repeated for each of its parts.
void poison(std::byte* element, ElementType type) {
  constexpr std::uint64_t wide = 0x7ff4'5c5c'5c5c'5c5cU;
  constexpr std::uint32_t narrow = 0x7fa4'5c5cU;
  const bool floats = type == ElementType::f32 || type == ElementType::c32 || type == ElementType::i32;
  for (std::size_t n = 0; n < size_of(type); n += floats ? sizeof narrow : sizeof wide)
    if (floats)
      std::memcpy(element + n, &narrow, sizeof narrow);
    else
      std::memcpy(element + n, &wide, sizeof wide);
}

void poison_element(const Storage& storage, const Place& place, Int3 cell, int component) {
  const std::ptrdiff_t at = storage.grid().layout().offset(cell) + component * place.component_stride;
  poison(place.base + at * static_cast<std::ptrdiff_t>(size_of(storage.type())), storage.type());
}

/// Whether a halo cell is fresh, or was set by the program.
bool holds_a_value(const Storage& storage, const Boundaries& boundaries, const Reach* fresh, Int3 cell) {
  const Grid& grid = storage.grid();
  const Int3 own = grid.own().hi, origin = grid.origin();
  int outside = 0, farthest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const int side = cell[axis] < 0 ? 0 : cell[axis] >= own[axis] ? 1 : -1;
    if (side < 0) continue;
    const Face face{axis, side};
    if (grid.physical(face) && boundaries.beyond(face) == Beyond::given) return true;
    ++outside;
    farthest = std::max(farthest, side == 0 ? -cell[axis] : cell[axis] - own[axis] + 1);
  }
  const int colours = storage.colours();
  for (int colour = 0; colour < colours; ++colour) {
    const Lattice::Run run =
        Lattice{colours, colour}.run(cell.x + origin.x, cell.y + origin.y, cell.z + origin.z);
    if (run.step == 0 || run.first != 0) continue;  // a cell of another colour
    const Reach of = fresh[colour];
    return farthest <= of.width && (outside <= 1 || farthest <= of.diagonal);
  }
  return false;
}

}  // namespace

Watches watches_of(const Stage& stage) {
  auto* all = new std::vector<Watch>;
  const Watches watches(all, [device = stage.grid().context().device()](const std::vector<Watch>* done) {
    if (device) device->finish();
    delete done;
  });
  for (const Access& a : stage.accesses())
    all->emplace_back(Watch::Subject{.context = &stage.grid().context(),
                                     .who = "stage \"" + stage.name() + "\"",
                                     .field = a.field->name(),
                                     .boundaries = &a.field->boundaries(),
                                     .kind = kind_of(a),
                                     .reach = a.reach,
                                     .finer = std::max(1, a.finer),
                                     .coarser = std::max(1, a.coarser),
                                     .cells = stage.grid().cells()},
                      a.field->grid());
  return watches;
}

void poison_stale_halo(Storage& storage, const Boundaries& boundaries) {
  if (storage.device() || storage.external().base || storage.far() || storage.in_flight()) return;
  storage.forget_filled();
  const Grid& grid = storage.grid();
  const Box own = grid.own();
  if (own.empty() || grid.halos() == Int3{}) return;
  Reach fresh[8];
  for (int colour = 0; colour < storage.colours(); ++colour)
    fresh[colour] = storage.fresh(Lattice{storage.colours(), colour});
  const auto cell = [&](Int3 c) {
    if (holds_a_value(storage, boundaries, fresh, c)) return;
    for (int k = 0; k < storage.components(); ++k) poison_element(storage, place_of(storage), c, k);
  };
  const Box all = own.grown(grid.halos());
  for (int z = all.lo.z; z < all.hi.z; ++z)
    for (int y = all.lo.y; y < all.hi.y; ++y) {
      const bool through_own = own.contains({0, y, z});
      for (int x = all.lo.x; x < all.hi.x; ++x) {
        if (through_own && x == 0) x = own.hi.x;
        cell({x, y, z});
      }
    }
}

void poison_stale_halos(const Stage& stage) {
  for (const Access& a : stage.accesses())
    if (a.mode != Mode::write) poison_stale_halo(a.storage(), a.field->boundaries());
}

void poison_outputs(const Stage& stage) {
  if (stage.lattice().colour > 0) return;  // earlier colours have set theirs
  for (const Access& a : stage.accesses())
    if (a.mode == Mode::write && !a.storage().far())
      poison_cells(a.storage(), place_of(a.storage()), a.storage().grid().own());
}

void poison_cells(const Storage& storage, const Place& place, const Box& box) {
  if (storage.device() || storage.external().base) return;
  for (int k = 0; k < storage.components(); ++k)
    each_cell(box, [&](Int3 c) { poison_element(storage, place, c, k); });
}

}  // namespace sc
