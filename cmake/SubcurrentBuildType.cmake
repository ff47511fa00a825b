# SPDX-License-Identifier: Apache-2.0
# Language level, build type, compiler cache, sanitizers: what holds for every target of the tree.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the static libraries end up in the Python module
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "Subcurrent needs GCC 12 or newer, this is ${CMAKE_CXX_COMPILER_VERSION}: "
    "install g++-12 and configure with CXX=g++-12")
endif()

if(PROJECT_IS_TOP_LEVEL)
  find_program(SUBCURRENT_CCACHE ccache)
  if(SUBCURRENT_CCACHE)
    foreach(language C CXX CUDA)
      if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
        # It keeps what was compiled with precompiled headers only when told that their macros and dates say nothing.
        set(CMAKE_${language}_COMPILER_LAUNCHER
          env CCACHE_SLOPPINESS=pch_defines,time_macros "${SUBCURRENT_CCACHE}")
      endif()
    endforeach()
  endif()
endif()

if(SUBCURRENT_SANITIZE)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${SUBCURRENT_SANITIZE};-fno-omit-frame-pointer>")
  add_link_options("-fsanitize=${SUBCURRENT_SANITIZE}")
  if(SUBCURRENT_SANITIZE MATCHES "undefined")
    add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize-recover=undefined>")
  endif()
  if(SUBCURRENT_SANITIZE MATCHES "undefined" AND SUBCURRENT_SANITIZE MATCHES "address")
    # A check of every pointer before its use doubles the time to compile kernels (65 s instead of 33 for one file of
    # the cavity). The address sanitizer finds the same errors, except for alignment.
    add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize=null,alignment,pointer-overflow,object-size>")
  endif()
endif()

if(SUBCURRENT_SANITIZE MATCHES "thread")
  foreach(call parallel parallel_loop_nonmonotonic_dynamic parallel_loop_nonmonotonic_guided barrier loop_end
      critical_start critical_end critical_name_start critical_name_end)
    add_link_options("-Wl,--wrap=GOMP_${call}")  # to engine/exec/tsan_openmp.cpp
  endforeach()
endif()

if(SUBCURRENT_PTX_CARD AND NOT SUBCURRENT_CUDA)
  message(FATAL_ERROR "SUBCURRENT_PTX_CARD carries out what nvcc writes: set SUBCURRENT_CUDA=ON too")
endif()
if(SUBCURRENT_CHECKED AND SUBCURRENT_CUDA)
  message(FATAL_ERROR "SUBCURRENT_CHECKED watches kernels on the host only: set SUBCURRENT_CUDA=OFF")
endif()
if(SUBCURRENT_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90)  # left alone, CMake 3.25 with nvcc 13 settles on 75
  endif()
  if(SUBCURRENT_PTX_CARD)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # whose place another library can take
    add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:--no-compress>")
  endif()
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 20)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    # CMake 3.25 does not know that nvcc 13 speaks C++20, and would give it no -std at all.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
endif()
