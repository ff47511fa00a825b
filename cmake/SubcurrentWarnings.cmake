# SPDX-License-Identifier: Apache-2.0
# The warnings our own code is held to; they are private, so that users of the library choose their own.

function(sc_warnings target)
  set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual)
  # `#pragma omp` and `#pragma GCC ivdep` are both known to GCC; another compiler may not know the second.
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND warnings -Wno-unknown-pragmas)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    list(APPEND warnings -Wno-restrict)  # false for every std::string that is put together at -O3
  endif()
  if(SUBCURRENT_WERROR)
    list(APPEND warnings -Werror)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
      # False at -O3 in GCC 12 and 13 (inlined vectors and strings); still shown, never fatal.
      list(APPEND warnings -Wno-error=free-nonheap-object -Wno-error=stringop-overflow
        -Wno-error=array-bounds -Wno-error=maybe-uninitialized)
    endif()
    if(SUBCURRENT_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # Instrumented code confuses the same analyses in every release of GCC.
      list(APPEND warnings -Wno-error=maybe-uninitialized -Wno-error=stringop-overflow
        -Wno-error=mismatched-new-delete)
    endif()
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")
  # What nvcc makes of a source before the host's compiler sees it has no regard for -Wpedantic and -Wconversion.
  list(REMOVE_ITEM warnings -Wpedantic -Wconversion -Werror)
  list(JOIN warnings "," device_warnings)
  # 554: nvcc complains of a conversion of views to themselves that a requires-clause has ruled out.
  set(device_warnings "-Xcompiler=${device_warnings}" --diag-suppress=554)
  if(SUBCURRENT_WERROR)
    list(APPEND device_warnings -Werror all-warnings)  # the host's compiler's too
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${device_warnings}>")
endfunction()
