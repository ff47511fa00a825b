# SPDX-License-Identifier: Apache-2.0
# Fills engine/base/build_info.cpp.in; sets build_info_source, and native_cpu (a hash of what -march=native means here).

set(native_cpu "")
if(SUBCURRENT_NATIVE)
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -march=native -E -v -x c++ /dev/null
    OUTPUT_QUIET ERROR_VARIABLE native_flags)
  string(REGEX MATCHALL "-m[a-z0-9.=_-]+" native_flags "${native_flags}")
  list(JOIN native_flags " " native_flags)
  string(SHA1 native_cpu "${native_flags}")
  string(SUBSTRING "${native_cpu}" 0 8 native_cpu)
  set(native_cpu "cpu_${native_cpu}")
endif()

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type_upper)
set(build_compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type_upper}} -fno-math-errno -fno-trapping-math" build_flags)
if(SUBCURRENT_NATIVE)
  string(APPEND build_flags " -march=native")
endif()
if(SUBCURRENT_SANITIZE)
  string(APPEND build_flags " -fsanitize=${SUBCURRENT_SANITIZE}")
endif()
set(build_cuda "no")
if(SUBCURRENT_CUDA)
  set(build_cuda "${CMAKE_CUDA_COMPILER_VERSION}")
endif()
set(build_info_source "${PROJECT_BINARY_DIR}/engine/build_info.cpp")
configure_file("${PROJECT_SOURCE_DIR}/engine/base/build_info.cpp.in" "${build_info_source}" @ONLY)
