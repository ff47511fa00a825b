# SPDX-License-Identifier: Apache-2.0
# Run by ctest: the outside project configured, built and run against the installed prefix.
file(REMOVE_RECURSE "${FOLDER}")
function(must)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
must("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${FOLDER}" -G Ninja "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DEXAMPLES=${EXAMPLES}"
  "-DEXPECTED_VERSION=${VERSION}" "-DWITH_FORTRAN=${WITH_FORTRAN}" "-DMPI_C_COMPILER=${MPICC}"
  "-DMPI_Fortran_COMPILER=${MPIFORT}")
must("${CMAKE_COMMAND}" --build "${FOLDER}")
must("${FOLDER}/heat_c")
if(WITH_FORTRAN)
  must("${FOLDER}/heat_fortran")
endif()
