# SPDX-License-Identifier: Apache-2.0
# Headers of the standard library, and for tests GoogleTest's and the engine's, compiled once for all sources: reading
# them is most of what it takes to compile a small file. No source may rely on it: the sanitizer presets, which go
# without, tell what is not included. CI builds only the unit tests so: libraries that these do not need go without in
# every build.
option(SUBCURRENT_PCH "precompile the headers that most sources include" ${PROJECT_IS_TOP_LEVEL})
if(SUBCURRENT_CUDA OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(SUBCURRENT_PCH OFF)
endif()

set(SUBCURRENT_PCH_STANDARD <algorithm> <array> <chrono> <cmath> <complex> <cstdint> <cstring> <functional> <map>
  <memory> <optional> <span> <string> <string_view> <tuple> <utility> <vector>)

# sc_precompiled(NAME TARGET HEADERS…): the first target with that NAME compiles the headers, the others use them. All
# of one NAME are compiled with the same options.
function(sc_precompiled name target)
  if(NOT SUBCURRENT_PCH)
    return()
  endif()
  get_property(first GLOBAL PROPERTY SUBCURRENT_PCH_${name})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY SUBCURRENT_PCH_${name} ${target})
  endif()
endfunction()
