// SPDX-License-Identifier: Apache-2.0
// Pipeline: planes in memory that are used while others travel. The lines along z of all arrays are computed
// first. Then meet() is one plan: it uses slabs of planes of all arrays as they arrive, and what it has
// written travels back slab by slab. Transforms of one array after the other (FFT::backward_across and
// forward_across) need less memory, but each can overlap only with its own lines along z.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "spectral/fft.hpp"
#include "spectral/planes.hpp"

namespace sc::spectral {

template <class T>
class Pipeline final : public Planes {
 public:
  using C = std::complex<T>;

  /// Whether there are messages, and every rank has whole planes.
  static bool possible(const FFT<T>& fft);
  /// Collective. Arrays that meet() reads arrive in planes, those that it writes travel back; `uses` are all
  /// that will occur. The transform must outlive the pipeline.
  Pipeline(FFT<T>& fft, int count, const std::vector<Use>& uses);

  // Planes of a step are not filled or taken by themselves, but by their lines:
  /// before meet(), from the modes, which are preserved and may be overwritten afterwards,
  void to_planes(int array, Cells<const C> modes);
  /// and after it, to the modes.
  void from_planes(int array, Cells<C> modes);

  void fill(int array, const Action& action) override;
  /// Collective: uses slabs in ascending order.
  void meet(const std::vector<Use>& uses, const Meeting& meeting) override;
  void take(int array, int next, const Action& action) override;
  bool overlaps_messages() const override { return true; }
  /// Bytes of memory on this rank, besides the planes.
  std::int64_t memory() const;

 private:
  struct Array {
    std::shared_ptr<Storage> planes;
    std::shared_ptr<Storage> lines, lines_back;  ///< nullptr if it does not arrive, or travel back
    std::unique_ptr<Transpose> there, back;
  };
  static Cells<C> cells(const Storage& storage);
  Array& at(int array) { return arrays_[static_cast<std::size_t>(array)]; }

  FFT<T>& fft_;
  Chunks slabs_;  ///< of planes
  std::vector<Array> arrays_;
  std::vector<PlaneBytes> planes_;
  PassKind there_{"fft to planes"}, back_{"fft from planes"}, both_{"fft pipeline"};
};

extern template class Pipeline<float>;
extern template class Pipeline<double>;

}  // namespace sc::spectral
