// SPDX-License-Identifier: Apache-2.0
// check() wraps every CUDA call and turns a failure into an Error with the name of the call and the location.
#pragma once

#include <cuda_runtime.h>

#include <source_location>
#include <string>

#include "engine/base/error.hpp"

namespace sc::cuda {

inline void check(cudaError_t code, const char* call,
                  const std::source_location& where = std::source_location::current()) {
  if (code == cudaSuccess) return;
  std::string file = where.file_name();
  if (const auto engine = file.rfind("engine/"); engine != std::string::npos) file = file.substr(engine);
  throw Error(code == cudaErrorMemoryAllocation ? Exit::storage : Exit::failure,
              std::string("CUDA refused ") + call + " at " + file + ":" + std::to_string(where.line()) +
                  ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")");
}

}  // namespace sc::cuda
