// SPDX-License-Identifier: Apache-2.0
// FarField: a field whose cells lie in far memory (files), cut into pieces along z, each component an array
// of its own. It has no memory near: stages that declare it run by a FarRunner.
//
// Its halo travels with the pieces: planes below and above come from the neighbouring pieces; those of other
// ranks are copies kept near of every rank's lowest and highest planes; along x and y a piece closes on
// itself.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/field/field.hpp"
#include "engine/field/place.hpp"
#include "engine/move/halo_exchange.hpp"
#include "engine/move/stream/slab_stream.hpp"

namespace sc {

class FarField : public AnyField {
 public:
  /// Collective. Throws Error (bad_input) for more pieces than this rank has planes, and for a grid with a
  /// halo that is not periodic or is split along x or y.
  FarField(const Grid& grid, const std::string& name, ElementType type, int components, FarMemory& memory,
           int pieces);

  FarArray& array(int component) { return arrays_[static_cast<std::size_t>(component)]; }
  template <class T, int N = 1>
  Level<T, N> now() {
    return {this, 0};
  }
  /// Sets every own cell from its component and global position: f(component, x, y, z). Plane by plane.
  template <class T, class F>
  void fill(F&& f);
  /// Own planes as this field keeps them, one component after the other, brought near and given to
  /// use(component, z, first), where `first` is own cell (0, 0) of the plane. For looking; slow.
  template <class T, class Use>
  void look(Use&& use);

  // For the runner.
  Place place(const Slot& slot, std::size_t use) const;
  /// Collective: the neighbours' planes next to this rank's.
  void exchange(int width);
  /// Where they lie, `width` below and `width` above; nullptr where one rank has all planes.
  const std::byte* beyond(int component, int width);
  /// The halo of a slot's planes along x and y.
  void close(const Slot& slot, std::size_t use, int width) const;
  /// Keeps what other ranks will ask for.
  void keep_ends(const Slot& slot, std::size_t use);

 private:
  std::size_t size() const { return size_of(storage(0).type()); }
  std::size_t plane_bytes() const { return static_cast<std::size_t>(grid().layout().sz) * size(); }
  /// Bytes from the beginning of a plane to its own cell (0, 0).
  std::ptrdiff_t lead() const;
  void keep_end(int component, int z, const std::byte* plane);

  std::vector<FarArray> arrays_;
  // Where other ranks have planes too: the lowest and the highest of this one, their halo the others'.
  std::unique_ptr<Grid> ends_grid_;
  std::shared_ptr<Storage> ends_;
  std::unique_ptr<HaloExchange> ends_exchange_;
  std::vector<std::vector<std::byte>> beyond_;  ///< of each component
};

template <class T, class F>
void FarField::fill(F&& f) {
  const Int3 own = grid().own().extent(), origin = grid().origin();
  std::vector<std::byte> plane(plane_bytes());
  T* cells = reinterpret_cast<T*>(plane.data() + lead());
  for (int k = 0; k < storage(0).components(); ++k)
    for (int z = 0; z < own.z; ++z) {
      for (int y = 0; y < own.y; ++y)
        for (int x = 0; x < own.x; ++x)
          cells[grid().layout().offset({x, y, 0})] = f(k, origin.x + x, origin.y + y, origin.z + z);
      array(k).store(z, z + 1, plane.data());
      keep_end(k, z, plane.data());
    }
}

template <class T, class Use>
void FarField::look(Use&& use) {
  std::vector<std::byte> plane(plane_bytes());
  for (int k = 0; k < storage(0).components(); ++k)
    for (int z = 0; z < grid().own().hi.z; ++z) {
      array(k).load(z, z + 1, plane.data());
      use(k, z, reinterpret_cast<const T*>(plane.data() + lead()));
    }
}

}  // namespace sc
