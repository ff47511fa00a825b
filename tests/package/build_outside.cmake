# SPDX-License-Identifier: Apache-2.0
# Run by ctest: install, configure, build, run, each of which must succeed.
set(prefix "${BUILD}/tests/package/prefix")
set(outside "${BUILD}/tests/package/outside")
file(REMOVE_RECURSE "${prefix}" "${outside}")

function(must)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

must("${CMAKE_COMMAND}" --install "${BUILD}" --component devel --prefix "${prefix}")
must("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${outside}" -G Ninja "-DCMAKE_PREFIX_PATH=${prefix}"
  "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}" "-DMPI_CXX_COMPILER=${MPICXX}"
  "-DEXPECTED_VERSION=${VERSION}")
must("${CMAKE_COMMAND}" --build "${outside}")
must("${outside}/outside" "${VERSION}")
