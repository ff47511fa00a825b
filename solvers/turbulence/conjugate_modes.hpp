// SPDX-License-Identifier: Apache-2.0
// ConjugateModes: the modes with kx = 0 and small |ky|, |kz|. Both u(k) and u(-k) are stored, perhaps on
// different ranks. For a real field each is the conjugate of the other, but rounding leaves a difference that
// is invisible at the points. What is computed of modes alone must use the part that the points have, or it
// may amplify the difference.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/move/reduction.hpp"
#include "solvers/turbulence/kernels.hpp"

namespace sc::turbulence {

class ConjugateModes {
 public:
  using Vector = std::array<Mode<double>, 3>;

  /// For |ky| <= reach_y and |kz| <= reach_z, the same on all ranks.
  ConjugateModes(Context& context, int reach_y, int reach_z);

  /// Forgets all values; then a rank sets those that it stores.
  void clear();
  void set(int ky, int kz, const Vector& u);
  /// Collective: all ranks exchange their values in one non-blocking message.
  void start();
  /// Waits for it.
  void wait() { reduction_.wait(); }
  /// (u(k) + u*(-k)) / 2, valid after wait(): the same bits on all ranks, and exact conjugates for k and -k.
  Vector of(int ky, int kz) const;

 private:
  std::size_t index(int ky, int kz) const;

  Reduction reduction_;
  int reach_y_, reach_z_;
  std::vector<std::int64_t> words_;  ///< bits of the values, zero on all ranks but one
};

}  // namespace sc::turbulence
