// SPDX-License-Identifier: Apache-2.0
// Pipeline: planes in memory that are used while others travel. One plan computes the lines along z of all
// arrays, uses slabs of planes of all arrays as they arrive, and sends back what it has written, slab by
// slab. Transforms of one array after the other (FFT::backward_across and forward_across) need less memory,
// but each can overlap only with its own lines along z.
#pragma once

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
  /// Collective. Arrays that each_slab() reads arrive in planes, those that it writes travel back; `uses` are
  /// all that will occur. The transform must outlive the pipeline, and runs nothing else between announce()
  /// and each_slab().
  Pipeline(FFT<T>& fft, int count, const std::vector<Use>& uses);

  /// Collective: the lines of an array, after announce() and in its order, from the modes, which may be
  /// overwritten afterwards; its planes begin to travel.
  void to_planes(int array, Cells<const C> modes);
  /// After each_slab(): the lines to the modes.
  void from_planes(int array, Cells<C> modes);

  void announce(const std::vector<Use>& uses) override;
  /// Collective: uses each slab once, in any order: those that have arrived.
  void each_slab(const std::vector<Use>& uses, const SlabAction& action) override;
  /// Bytes of memory on this rank, besides the planes.
  std::int64_t memory() const;

 private:
  struct Array {
    std::shared_ptr<Storage> planes;
    std::shared_ptr<Storage> lines, lines_back;  ///< nullptr if it does not arrive, or travel back
    std::unique_ptr<Transpose> there, back;
  };
  Array& at(int array) { return arrays_[static_cast<std::size_t>(array)]; }
  void use(int slab);
  std::unique_ptr<Transpose> transpose(Storage& from, Storage& to, bool there) const;
  /// The lines along z of an array, slab by slab: the rank's own planes in `planes`, others in `lines`.
  std::vector<Section<C>> sections(const Storage& planes, const Storage& lines) const;
  /// The rows of a slab [lo, hi) of planes in slab-major order (see TransposeOptions), from its first plane.
  Cells<C> slab_of(const Storage& storage, int lo, int hi) const;

  FFT<T>& fft_;
  Chunks slabs_;  ///< of planes
  int row_;       ///< elements between rows
  std::vector<Array> arrays_;
  // The plan from announce() to each_slab().
  std::vector<TransformStage> stages_;
  std::vector<int> arriving_;
  std::size_t filled_ = 0;  ///< of those that arrive
  std::function<void()> fill_;
  const SlabAction* action_ = nullptr;
  TransformKind there_{"fft to planes"}, back_{"fft from planes"}, both_{"fft pipeline"};
};

extern template class Pipeline<float>;
extern template class Pipeline<double>;

}  // namespace sc::spectral
