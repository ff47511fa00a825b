// SPDX-License-Identifier: Apache-2.0
// SubnormalsAreZero: kernels take subnormal numbers as zero. A processor computes with them many times
// slower, and a wave that spreads into a quiet medium has millions of them ahead of its front.
#pragma once

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace sc::detail {

/// While it exists, operations of this thread take subnormal numbers as zero, and results that would be
/// subnormal are zero. On processors other than x86 it does nothing.
class SubnormalsAreZero {
 public:
  SubnormalsAreZero(const SubnormalsAreZero&) = delete;
  SubnormalsAreZero& operator=(const SubnormalsAreZero&) = delete;
#if defined(__SSE__)
  SubnormalsAreZero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | flush_to_zero | denormals_are_zero); }
  ~SubnormalsAreZero() { _mm_setcsr(before_); }

 private:
  static constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
  unsigned before_;
#else
  SubnormalsAreZero() {}
#endif
};

}  // namespace sc::detail
