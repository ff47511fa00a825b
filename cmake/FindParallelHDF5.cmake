# SPDX-License-Identifier: Apache-2.0
# Finds the parallel HDF5 C library that was built for the MPI in use; defines ParallelHDF5::C.
#
# Debian installs one HDF5 per MPI side by side, and the plain name `hdf5` is whichever came last: linking the
# Open MPI build of HDF5 into an MPICH program crashes in the first collective write. So the MPI is asked first.

include(CheckCXXSourceCompiles)
include(CheckCXXSymbolExists)
include(CMakePushCheckState)
include(FindPackageHandleStandardArgs)

cmake_push_check_state(RESET)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
set(CMAKE_REQUIRED_QUIET TRUE)
check_cxx_symbol_exists(OPEN_MPI mpi.h ParallelHDF5_MPI_IS_OPENMPI)
check_cxx_symbol_exists(MPICH_VERSION mpi.h ParallelHDF5_MPI_IS_MPICH)
cmake_pop_check_state()

set(_ParallelHDF5_variant "")
if(ParallelHDF5_MPI_IS_OPENMPI)
  set(_ParallelHDF5_variant hdf5-openmpi)
elseif(ParallelHDF5_MPI_IS_MPICH)
  set(_ParallelHDF5_variant hdf5-mpich)
endif()

if(NOT TARGET ParallelHDF5::C)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND AND _ParallelHDF5_variant AND NOT HDF5_ROOT)
    pkg_check_modules(ParallelHDF5_PC QUIET IMPORTED_TARGET ${_ParallelHDF5_variant})
  endif()
  if(ParallelHDF5_PC_FOUND)
    set(ParallelHDF5_VERSION "${ParallelHDF5_PC_VERSION}")
    set(_ParallelHDF5_links PkgConfig::ParallelHDF5_PC)
  else()
    # No distribution variant of that name: an HDF5 of the user's own (HDF5_ROOT), a module system, a spack tree.
    set(HDF5_PREFER_PARALLEL TRUE)
    find_package(HDF5 QUIET COMPONENTS C)
    if(HDF5_FOUND)
      set(ParallelHDF5_VERSION "${HDF5_VERSION}")
      set(_ParallelHDF5_links ${HDF5_C_LIBRARIES})
      set(_ParallelHDF5_includes ${HDF5_C_INCLUDE_DIRS})
    endif()
  endif()
  if(_ParallelHDF5_links)
    add_library(ParallelHDF5::C INTERFACE IMPORTED)
    set_target_properties(ParallelHDF5::C PROPERTIES
      INTERFACE_LINK_LIBRARIES "${_ParallelHDF5_links};MPI::MPI_CXX"
      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${_ParallelHDF5_includes}")
  endif()
endif()

if(TARGET ParallelHDF5::C)
  cmake_push_check_state(RESET)
  set(CMAKE_REQUIRED_LIBRARIES ParallelHDF5::C)
  set(CMAKE_REQUIRED_QUIET TRUE)
  check_cxx_source_compiles("#include <hdf5.h>
    int main() { return H5Pset_fapl_mpio(H5P_FILE_ACCESS_DEFAULT, MPI_COMM_WORLD, MPI_INFO_NULL) < 0; }"
    ParallelHDF5_WORKS)
  cmake_pop_check_state()
endif()

find_package_handle_standard_args(ParallelHDF5
  REQUIRED_VARS ParallelHDF5_VERSION ParallelHDF5_WORKS
  VERSION_VAR ParallelHDF5_VERSION
  REASON_FAILURE_MESSAGE "parallel HDF5 for this MPI is needed: on Debian and Ubuntu install libhdf5-openmpi-dev (or libhdf5-mpich-dev), elsewhere set HDF5_ROOT")
