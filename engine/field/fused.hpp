// SPDX-License-Identifier: Apache-2.0
// Fused multiply-add where a kernel requests it. Programs are compiled without contraction, so that a loop
// and its remainder round alike (docs/decisions/0010).
#pragma once

#include "engine/field/views.hpp"

namespace sc {

/// a b + c, rounded once if the machine has an instruction for it, otherwise twice.
template <class T>
SC_FN T fused(T a, T b, T c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == sizeof(float))
    return __builtin_fmaf(a, b, c);
  else
    return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

}  // namespace sc
