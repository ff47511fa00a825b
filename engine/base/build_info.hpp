// SPDX-License-Identifier: Apache-2.0
// Compilers, flags and libraries of this build. Every run's summary contains them, so that results can be
// traced to a compiler.
#pragma once

namespace sc {

struct BuildInfo {
  const char* version;     // of Subcurrent
  const char* build_type;  // Release, Debug, …
  const char* compiler;    // "GNU 12.2.0"
  const char* cxx;         // path of that compiler
  const char* flags;       // the flags that affect speed and bits
  const char* native_cpu;  // the CPU that -march=native selected; empty for a portable build
  const char* hdf5;        // version of the HDF5 headers
  const char* cuda;        // version of nvcc, or "no"
};

const BuildInfo& build_info();

}  // namespace sc
