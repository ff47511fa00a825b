# SPDX-License-Identifier: Apache-2.0
# Install rules and the package that makes `find_package(subcurrent)` work in somebody else's project.

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/subcurrent")

foreach(folder engine spectral io solvers model)
  # Headers keep their folders: users write `#include "engine/grid/box.hpp"` as we do, or <subcurrent/engine/grid/box.hpp>.
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}" COMPONENT devel
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/subcurrent" FILES_MATCHING PATTERN "*.hpp")
endforeach()

# Programs to begin with, and a list that builds them with the installed package.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/" COMPONENT devel DESTINATION "${CMAKE_INSTALL_DATADIR}/subcurrent/examples"
  FILES_MATCHING PATTERN "CMakeLists.txt" PATTERN "*.cpp" PATTERN "*.c" PATTERN "*.f90" PATTERN "python" EXCLUDE)

configure_package_config_file(cmake/subcurrentConfig.cmake.in subcurrentConfig.cmake
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(subcurrentConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/subcurrentConfig.cmake" "${PROJECT_BINARY_DIR}/subcurrentConfigVersion.cmake"
  cmake/SubcurrentDependencies.cmake cmake/FindParallelHDF5.cmake
  DESTINATION "${package_dir}" COMPONENT devel)
install(EXPORT subcurrentTargets NAMESPACE subcurrent:: DESTINATION "${package_dir}" COMPONENT devel)
