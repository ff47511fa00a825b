// SPDX-License-Identifier: Apache-2.0
// The vendor of the processor, for cases in which measurements show that an instruction is faster on some and
// slower on others.
#pragma once

namespace sc {

inline bool on_intel() {
#if defined(__x86_64__)
  static const bool intel = __builtin_cpu_is("intel");
  return intel;
#else
  return false;
#endif
}

}  // namespace sc
