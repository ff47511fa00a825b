// SPDX-License-Identifier: Apache-2.0
// Spectra of a velocity that lies at the cells of any decomposition: it moves to the pencils of a transform.
#pragma once

#include "engine/move/redistribute.hpp"
#include "engine/stage/global_value.hpp"
#include "solvers/compressible/solver.hpp"
#include "spectral/fft.hpp"

namespace sc::compressible {

template <class Real>
class Spectra {
 public:
  /// Collective. `velocity` stays where it is, and is what of_velocity() looks at.
  explicit Spectra(Field<Real, 3>& velocity);
  /// Collective; the bits do not depend on the split.
  Spectrum of_velocity(GlobalValue& global);

 private:
  spectral::FFT<Real> fft_;
  Field<Real, 3> points_;
  Field<std::complex<Real>, 3> modes_;
  Redistribute move_;
};

}  // namespace sc::compressible
