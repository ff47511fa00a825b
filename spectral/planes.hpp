// SPDX-License-Identifier: Apache-2.0
// Planes: some arrays of planes between the two parts of a transform (FFT::backward_across and its kin),
// where all of them meet at the points plane by plane. They wait in memory or in files; whoever fills, meets
// and takes them cannot tell which. Here they are bytes, of either precision.
//
// In files, two arrays are near: one is written or read while the other is transformed. The last two never
// leave memory.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/move/stream/slab_stream.hpp"
#include "spectral/fft.hpp"

namespace sc::spectral {

/// Own planes of an array: rows y bytes apart, planes z.
struct PlaneBytes {
  std::byte* at = nullptr;
  std::ptrdiff_t y = 0, z = 0;
  template <class T>
  Cells<std::complex<T>> in() const {
    using C = std::complex<T>;
    constexpr std::ptrdiff_t size = sizeof(C);
    return {reinterpret_cast<C*>(at), y / size, z / size};
  }
};

/// How an array of such planes lies: rows on 64-byte boundaries, in files planes on pages.
struct PlaneShape {
  Int3 cells;           ///< FFT::plane_cells()
  std::size_t element;  ///< bytes
  std::size_t row_bytes() const;
  std::size_t bytes(bool in_files) const;
  /// Of the largest of so many pieces in files.
  std::size_t most_piece_bytes(int pieces) const;
  PlaneBytes at(std::byte* data, std::size_t plane_bytes) const {
    return {data, static_cast<std::ptrdiff_t>(row_bytes()), static_cast<std::ptrdiff_t>(plane_bytes)};
  }
};

class Planes {
 public:
  using Mode = StreamUse::Mode;
  /// What a meeting does with an array.
  struct Use {
    int array = 0;
    Mode mode = Mode::reads;
  };
  using Action = std::function<void(const PlaneBytes&)>;
  /// Own planes [lo, hi), in every array that is used; plane 0 is the rank's first.
  struct Slab {
    int lo, hi;
    const std::vector<PlaneBytes>& arrays;
  };
  using Meeting = std::function<void(const Slab&)>;

  static constexpr int near_arrays = 2;

  explicit Planes(int count) : count_(count) {}
  Planes(const Planes&) = delete;
  Planes& operator=(const Planes&) = delete;
  virtual ~Planes() = default;

  int count() const { return count_; }
  /// `action` sets the whole of an array.
  virtual void fill(int array, const Action& action) = 0;
  /// Of a meeting, which comes next, what it needs first is read while the last array is filled; to be called
  /// when all others have been filled.
  virtual void prefetch(const std::vector<Use>&) {}
  /// All arrays together, plane by plane.
  virtual void meet(const std::vector<Use>& uses, const Meeting& meeting) = 0;
  /// `action` reads the whole of an array; meanwhile `next` comes near, which is taken next (-1: none). The
  /// last array is taken first, then the last but one: others come where these were.
  virtual void take(int array, int next, const Action& action) = 0;
  /// Until no file is read or written any more; before others use the same far memory.
  virtual void settle() {}
  /// What a meeting copies between near and far memory; empty in memory.
  virtual StreamPhase phase(const std::vector<Use>&) { return {}; }

 private:
  int count_;
};

/// `untouched`: for a rehearsal, address space that takes no memory.
std::unique_ptr<Planes> planes_in_memory(const PlaneShape& shape, int count, bool untouched = false);
/// `ring` is any stream of `memory` with slots large enough. Throws Error (bad_input) for more pieces than
/// planes, Error (storage) where the files cannot be had.
std::unique_ptr<Planes> planes_in_files(const PlaneShape& shape, int count, FarMemory& memory,
                                        SlabStream& ring, int pieces);

}  // namespace sc::spectral
