// SPDX-License-Identifier: Apache-2.0
// PlaneWindow: several arrays are transformed across planes, used together at the points, and some of them
// transformed back, in one plan. While a slab of planes is used, the next ones arrive, and the previous ones
// travel back. Its arrays need more memory than transforms of one array after the other (FFT::backward_across
// and forward_across), of which each can overlap only with its own lines along z.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "spectral/fft.hpp"

namespace sc::spectral {

template <class T>
class PlaneWindow {
 public:
  using C = std::complex<T>;

  /// Whether there are messages, and every rank has whole planes.
  static bool possible(const FFT<T>& fft);
  /// Collective. Arrays from `back` on are transformed back. The transform must outlive the window.
  PlaneWindow(FFT<T>& fft, int arrays, int back);

  int back() const { return back_; }
  /// Own planes of an array, an array of FFT::plane_cells().
  Cells<C> planes(int array) const;
  /// Computes the lines along z of an array; `modes` is preserved and may be overwritten afterwards.
  void lines(int array, Cells<const C> modes);
  /// Collective, after lines() of all arrays. `points` uses own planes [lo, hi) of all arrays, which are
  /// there; those from `back` on are then transformed back to `out`.
  void run(const std::function<void(int lo, int hi)>& points, const std::vector<Cells<C>>& out);

  /// Bytes of memory on this rank, besides the planes.
  std::int64_t memory() const;

 private:
  struct Array {
    std::shared_ptr<Storage> lines, planes, lines_back;  ///< the last one only if it is transformed back
    std::unique_ptr<Transpose> there, back;
  };
  static Cells<C> cells(const Storage& storage);

  FFT<T>& fft_;
  int back_;
  Chunks slabs_;  ///< of planes
  std::vector<Array> arrays_;
  PassKind kind_{"fft window"};
};

extern template class PlaneWindow<float>;
extern template class PlaneWindow<double>;

}  // namespace sc::spectral
