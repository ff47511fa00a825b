# SPDX-License-Identifier: Apache-2.0
# Install rules of the halo functions: find_package(subcurrent_halo), and pkg-config for plain compiler lines.

include(CMakePackageConfigHelpers)
set(halo_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/subcurrent_halo")
configure_package_config_file(cmake/subcurrent_haloConfig.cmake.in subcurrent_haloConfig.cmake
  INSTALL_DESTINATION "${halo_package_dir}")
write_basic_package_version_file(subcurrent_haloConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/subcurrent_haloConfig.cmake"
  "${PROJECT_BINARY_DIR}/subcurrent_haloConfigVersion.cmake"
  DESTINATION "${halo_package_dir}" COMPONENT halo)
install(EXPORT subcurrent_haloTargets NAMESPACE subcurrent:: DESTINATION "${halo_package_dir}" COMPONENT halo)

# The prefix as seen from the .pc files, so that an installed tree may be moved.
file(RELATIVE_PATH pc_to_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
set(pc_files subcurrent_halo)
if(TARGET subcurrent_halo_fortran)
  list(APPEND pc_files subcurrent_halo_fortran)
  install(EXPORT subcurrent_halo_fortranTargets NAMESPACE subcurrent:: DESTINATION "${halo_package_dir}"
    COMPONENT halo)
endif()
foreach(name IN LISTS pc_files)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT halo)
endforeach()
