// SPDX-License-Identifier: Apache-2.0
// Planes: arrays of planes between the two parts of a transform (FFT::backward_across and others), where all
// arrays are used together at the points, plane by plane. They are stored in memory or in files, or arrive
// and leave while they are used (Pipeline), with the same interface. Here they are bytes, of either
// precision.
//
// In files, three arrays are in near memory: some are written or read while another is transformed. The last
// three arrays always stay in memory.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/move/stream/slab_stream.hpp"
#include "spectral/fft.hpp"

namespace sc::spectral {

/// Own planes of an array, of either precision.
using PlaneBytes = Cells<std::byte>;
template <class T>
Cells<std::complex<T>> cells_of(const PlaneBytes& planes) {
  using C = std::complex<T>;
  constexpr std::ptrdiff_t size = sizeof(C);
  return {reinterpret_cast<C*>(planes.at), planes.y / size, planes.z / size};
}

/// The memory layout of an array of planes: rows on 64-byte boundaries, in files also planes on pages.
struct PlaneShape {
  Int3 cells;           ///< FFT::plane_cells()
  std::size_t element;  ///< bytes
  std::size_t row_bytes() const;
  std::size_t bytes(bool in_files) const;
  /// Bytes of a slot for one of so many pieces in files.
  std::size_t slot_bytes(int pieces) const;
  PlaneBytes at(std::byte* data, std::size_t plane_bytes) const {
    return {data, static_cast<std::ptrdiff_t>(row_bytes()), static_cast<std::ptrdiff_t>(plane_bytes)};
  }
};

/// In memory; planes_in_files() and Pipeline are others.
class Planes {
 public:
  /// How each_slab() uses an array.
  struct Use {
    int array = 0;
    Mode mode = Mode::read;
  };
  using Action = std::function<void(const PlaneBytes&)>;
  /// Own planes [lo, hi) of every array in use; plane 0 is the rank's first.
  struct Slab {
    int lo, hi;
    const std::vector<PlaneBytes>& arrays;
  };
  using SlabAction = std::function<void(const Slab&)>;

  static constexpr int near_arrays = 3;

  /// `untouched`: for a rehearsal, only address space is allocated.
  Planes(const PlaneShape& shape, int count, bool untouched = false);
  Planes(const Planes&) = delete;
  Planes& operator=(const Planes&) = delete;
  virtual ~Planes() = default;

  int count() const { return static_cast<int>(planes_.size()); }
  /// Collective: what the next each_slab() will use. To be called before its arrays are filled, which are
  /// then filled in this order.
  virtual void announce(const std::vector<Use>&) {}
  /// `action` writes a whole array.
  virtual void fill(int array, const Action& action) { action(planes_[static_cast<std::size_t>(array)]); }
  /// Prefetches the first planes for the next each_slab() while the last array is filled. To be called after
  /// all other arrays have been filled.
  virtual void prefetch(const std::vector<Use>&) {}
  /// Calls `action` with all arrays together, slab by slab, in any order.
  virtual void each_slab(const std::vector<Use>&, const SlabAction& action) { action({0, depth_, planes_}); }
  /// `action` reads a whole array; meanwhile the array `next`, which is taken next, is read from files (-1:
  /// none). Two of the last arrays must be taken first, because others are read into their memory.
  virtual void take(int array, int /*next*/, const Action& action) { fill(array, action); }
  /// Waits for all reads and writes; to be called before others use the same far memory.
  virtual void finish() {}
  /// The copies of each_slab() between near and far memory; empty for planes in memory.
  virtual StreamPhase phase(const std::vector<Use>&) { return {}; }

 protected:
  /// Elsewhere: the actions get no planes.
  explicit Planes(int count) : planes_(static_cast<std::size_t>(count)) {}
  std::vector<PlaneBytes> planes_;  ///< of each array

 private:
  int depth_ = 0;
  std::shared_ptr<std::byte> memory_;
};

/// `ring` is any stream of `memory` with sufficiently large slots. Throws Error (bad_input) for more pieces
/// than planes, Error (storage) if the files cannot be created.
std::unique_ptr<Planes> planes_in_files(const PlaneShape& shape, int count, FarMemory& memory,
                                        SlabStream& ring, int pieces);

}  // namespace sc::spectral
