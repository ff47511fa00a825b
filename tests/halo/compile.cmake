# SPDX-License-Identifier: Apache-2.0
# Run by ctest: the compiler line of docs/halo_functions.md, with warnings as errors, in a folder of its own.
get_filename_component(folder "${PROGRAM}" DIRECTORY)
file(MAKE_DIRECTORY "${folder}")
file(GLOB_RECURSE pc "${PREFIX}/*/pkgconfig/subcurrent_halo.pc")
get_filename_component(pc "${pc}" DIRECTORY)
if(SOURCE MATCHES "\\.f90$")
  set(package subcurrent_halo_fortran)
  set(strict "-std=f2008 -Wall -Wextra -Werror -ffree-line-length-132 -J${folder}")
else()
  set(package subcurrent_halo)
  set(strict "-std=c99 -Wall -Wextra -Wpedantic -Werror")
endif()
execute_process(COMMAND sh -c
  "PKG_CONFIG_PATH='${pc}' && export PKG_CONFIG_PATH && \
   flags=$(pkg-config --cflags --libs ${package}) && \
   '${COMPILER}' ${strict} -O2 '${SOURCE}' $flags -lm -o '${PROGRAM}'"
  WORKING_DIRECTORY "${folder}" COMMAND_ERROR_IS_FATAL ANY)
