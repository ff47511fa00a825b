// SPDX-License-Identifier: Apache-2.0
// Planes: some arrays of planes between the two parts of a transform (FFT::backward_across and its kin),
// where all of them meet at the points plane by plane. They wait in memory or in files; whoever fills, meets
// and takes them cannot tell which.
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

template <class T>
class Planes {
 public:
  using C = std::complex<T>;
  using Mode = StreamUse::Mode;
  /// What a meeting does with an array.
  struct Use {
    int array = 0;
    Mode mode = Mode::reads;
  };
  /// Own planes [lo, hi), in every array that is used; plane 0 is the rank's first.
  using Meeting = std::function<void(int lo, int hi, const std::vector<Cells<C>>& arrays)>;

  static constexpr int near_arrays = 2;

  explicit Planes(int count) : count_(count) {}
  Planes(const Planes&) = delete;
  Planes& operator=(const Planes&) = delete;
  virtual ~Planes() = default;

  int count() const { return count_; }
  /// `action` sets the whole of an array.
  virtual void fill(int array, const std::function<void(Cells<C>)>& action) = 0;
  /// Of a meeting, which comes next, what it needs first is read while the last array is filled; to be called
  /// when all others have been filled.
  virtual void prefetch(const std::vector<Use>&) {}
  /// All arrays together, plane by plane.
  virtual void meet(const std::vector<Use>& uses, const Meeting& meeting) = 0;
  /// `action` reads the whole of an array; meanwhile `next` comes near, which is taken next (-1: none). The
  /// last array is taken first, then the last but one: others come where these were.
  virtual void take(int array, int next, const std::function<void(Cells<const C>)>& action) = 0;
  /// Until no file is read or written any more; before others use the same far memory.
  virtual void settle() {}

  /// Bytes of an array of such planes, as it lies near: rows on 64-byte boundaries, in files planes on pages.
  static std::size_t row_elements(const FFT<T>& fft);
  static std::size_t plane_bytes(const FFT<T>& fft, bool in_files);
  /// Of the largest of so many pieces in files.
  static std::size_t most_piece_bytes(const FFT<T>& fft, int pieces);
  /// What a meeting copies between near and far memory; empty in memory.
  virtual StreamPhase phase(const std::vector<Use>&) { return {}; }

 private:
  int count_;
};

template <class T>
std::unique_ptr<Planes<T>> planes_in_memory(const FFT<T>& fft, int count);
/// `ring` is any stream of `memory` with slots large enough. Throws Error (bad_input) for more pieces than
/// planes, Error (storage) where the files cannot be had.
template <class T>
std::unique_ptr<Planes<T>> planes_in_files(const FFT<T>& fft, int count, FarMemory& memory, SlabStream& ring,
                                           int pieces);

}  // namespace sc::spectral
