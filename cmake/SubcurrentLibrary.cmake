# SPDX-License-Identifier: Apache-2.0
# How a folder of sources becomes a target.
#
# Sources are globbed with CONFIGURE_DEPENDS: several people add files to one folder at the same time, and a list
# kept by hand would be the line on which every merge conflicts. Ninja checks the globs before each build.

# sc_sources(VARIABLE PATTERN…): the files of this folder that match, sorted
function(sc_sources variable)
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE patterns)
  file(GLOB found CONFIGURE_DEPENDS ${patterns})
  list(SORT found)
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# sc_library(NAME SOURCES… LINKS…): static library subcurrent_NAME, alias subcurrent::NAME, our warnings, exported
function(sc_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  set(target subcurrent_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(subcurrent::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/subcurrent>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(${target} PUBLIC ${arg_LINKS})
  sc_warnings(${target})
  sc_precompiled(libraries ${target} ${SUBCURRENT_PCH_STANDARD})
  install(TARGETS ${target} EXPORT subcurrentTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT devel)
  set_property(GLOBAL APPEND PROPERTY SUBCURRENT_LIBRARIES subcurrent::${name})
endfunction()

# sc_solver(NAME [KERNELS] [WITHOUT_PCH] LINKS…): the library of the sources in a solver's folder. KERNELS: a device runs
# them too. WITHOUT_PCH: no unit test needs it (SubcurrentPrecompiled.cmake)
function(sc_solver name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "KERNELS;WITHOUT_PCH" "" "LINKS")
  sc_sources(sources *.cpp)
  sc_library(${name} SOURCES ${sources} LINKS ${arg_LINKS})
  if(arg_KERNELS)
    sc_kernels(${sources})
  endif()
  if(arg_WITHOUT_PCH)
    set_target_properties(subcurrent_${name} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# sc_kernels(SOURCES…): sources with kernels that a device shall run; nvcc compiles them where there is CUDA
function(sc_kernels)
  if(SUBCURRENT_CUDA)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
  endif()
endfunction()

# sc_included(VARIABLE SOURCE): our libraries whose headers a source includes, itself or by a header beside programs
function(sc_included variable source)
  get_filename_component(source "${source}" ABSOLUTE)
  set(files "${source}")
  set(libraries subcurrent::engine)
  while(files)
    list(POP_FRONT files file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(STRINGS "${file}" lines REGEX "^#include \"")
    foreach(line IN LISTS lines)
      if(line MATCHES "\"((bench|tests)/[^\"]*)\"")
        list(APPEND files "${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_1}")
      elseif(line MATCHES "\"(solvers/)?([a-z]+)/")
        if(TARGET subcurrent::${CMAKE_MATCH_2})  # not of solvers/common, which has no sources
          list(APPEND libraries subcurrent::${CMAKE_MATCH_2})
        endif()
      endif()
    endforeach()
  endwhile()
  list(REMOVE_DUPLICATES libraries)
  set(${variable} "${libraries}" PARENT_SCOPE)
endfunction()

# sc_program(NAME SOURCES… LINKS…): an executable. It waits for those of our libraries that it includes: the unit tests,
# which CI compiles once more for the sanitizers, need few of the solvers.
function(sc_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  add_executable(${name} ${arg_SOURCES})
  foreach(source IN LISTS arg_SOURCES)
    sc_included(libraries "${source}")
    target_link_libraries(${name} PRIVATE ${libraries})
  endforeach()
  target_link_libraries(${name} PRIVATE ${arg_LINKS})
  sc_warnings(${name})
endfunction()
