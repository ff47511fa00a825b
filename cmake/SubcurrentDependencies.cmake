# SPDX-License-Identifier: Apache-2.0
# MPI, OpenMP, parallel HDF5 and threads; the same file serves this build and, installed, find_package(subcurrent).

set(MPI_CXX_SKIP_MPICXX TRUE)  # the C++ bindings were removed from MPI in 2012; we speak C to it
set(mpi_languages CXX)
get_property(enabled_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(C IN_LIST enabled_languages)  # a project of C++ alone may use the engine; the halo functions are C
  list(PREPEND mpi_languages C)
endif()
find_package(MPI REQUIRED COMPONENTS ${mpi_languages})
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)
if(NOT SUBCURRENT_DEVICE_ONLY)
  find_package(ParallelHDF5 REQUIRED)
endif()
