// SPDX-License-Identifier: Apache-2.0
// What this build was made with: written into every run's summary, so that a number can be traced to a
// compiler.
#pragma once

namespace sc {

struct BuildInfo {
  const char* version;     // of Subcurrent
  const char* build_type;  // Release, Debug, ...
  const char* compiler;    // "GNU 12.2.0"
  const char* cxx;         // where that compiler was
  const char* flags;       // those that decide speed and bits
  const char* native_cpu;  // which CPU -march=native stood for; empty for a portable build
  const char* hdf5;        // version of the HDF5 headers
  const char* cuda;        // version of nvcc, or "no"
};

const BuildInfo& build_info();

}  // namespace sc
