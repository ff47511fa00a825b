// SPDX-License-Identifier: Apache-2.0
// Whose cores these are, where measurements have shown that the same instruction pays on some and costs on
// others.
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
