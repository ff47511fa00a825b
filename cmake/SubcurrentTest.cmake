# SPDX-License-Identifier: Apache-2.0
# How a test file becomes a program and its ctest entries.
#
# The first lines of a test file may say how it wants to run:
#   // ranks: 1 2 3 4       (tests/mpi only; 1 2 4 when absent)
#   // ranks when long: 6 8  (counts beside these that only `make test-long` runs)
#   // threads: 2           (OMP_NUM_THREADS; 1 when absent)
#   // timeout: 300         (seconds; 120 when absent; SUBCURRENT_TEST_PATIENCE times as much)
#   // device: yes          (its suites named On/… run once more as gpu.*, on a CUDA device; skipped without one;
#                            and as ptx.*, on the host from nvcc's PTX, with SUBCURRENT_PTX_CARD)
#   // alone: yes           (mpi only: every TEST of the file in processes of its own, as mpi.FILE.TEST.RANKS)
#   // timed: yes           (compares times that it measures: no other test runs beside it)
#   // optimise: no         (compiled with -O1, in two thirds of the time; like the libraries when absent)
#   // label: long          (kept out of `make test`, run by `make test-long`)
#   // label: sanitize      (built by the target sanitize_tests and run by make sanitize)
#   // label: checked       (built by the target checked_tests and run by make checked)

# The environment of every test: Open MPI as root and with more ranks than cores, nothing bound (tests run side by
# side and would all be bound to core 0), waiting that yields, and no complaint where a container forbids
# cross-memory attach. The transport is named, or each start looks 0.2 s for networks that are not here.
set(SUBCURRENT_TEST_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
  OMPI_MCA_pml=ob1
  OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl_base_warn_component_unused=0
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  OMP_WAIT_POLICY=passive OMP_PROC_BIND=false
  "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp:halt_on_error=1:ignore_noninstrumented_modules=1"
  UBSAN_OPTIONS=print_stacktrace=1)

set(SUBCURRENT_TEST_PATIENCE 1 CACHE STRING
  "time limits of the tests, times this: more under sanitizers, or where ranks that wait spin (MPICH)")
option(SUBCURRENT_TEST_YIELD "tests run with tests/ucx_yield.cpp preloaded, for MPICH over UCX")
if(SUBCURRENT_TEST_YIELD)
  list(APPEND SUBCURRENT_TEST_ENVIRONMENT "LD_PRELOAD=$<TARGET_FILE:ucx_yield>")
endif()

# Reads `// key: value` from the head of a file.
function(sc_head source key default variable)
  file(STRINGS "${source}" line REGEX "^// ${key}:" LIMIT_COUNT 1)
  string(REGEX REPLACE "^// ${key}: *" "" value "${line}")
  if(value STREQUAL "")
    set(value "${default}")
  endif()
  separate_arguments(value UNIX_COMMAND "${value}")
  set(${variable} "${value}" PARENT_SCOPE)
endfunction()

# Properties shared by every ctest entry of a file.
function(sc_test_properties test source labels processors)
  sc_head("${source}" threads 1 threads)
  sc_head("${source}" timeout 120 timeout)
  sc_head("${source}" timed no timed)
  sc_head("${source}" label "" extra)
  math(EXPR timeout "${SUBCURRENT_TEST_PATIENCE} * ${timeout}")
  math(EXPR processors "${processors} * ${threads}")
  set_tests_properties(${test} PROPERTIES
    LABELS "${labels};${extra}" TIMEOUT ${timeout} PROCESSORS ${processors}
    ENVIRONMENT "${SUBCURRENT_TEST_ENVIRONMENT};OMP_NUM_THREADS=${threads}")
  if(timed STREQUAL "yes")
    set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
  endif()
  # The head is read when CMake runs, so a changed head has to run it again.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
endfunction()

# How a test is compiled. It has the same bits however it is optimised, but is then no test of the vectors in the loops
# that it instantiates: for tests of loops, and of measured times, the default.
function(sc_test_compiled target source)
  sc_head("${source}" optimise yes optimise)
  set(headers tests)
  if(optimise STREQUAL "no")
    set(headers quick_tests)
    target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
  endif()
  sc_precompiled(${headers} ${target} ${SUBCURRENT_PCH_STANDARD} <mpi.h> <gtest/gtest.h> <engine/subcurrent.hpp>)
endfunction()

function(sc_unit_test source)
  get_filename_component(name "${source}" NAME_WE)
  sc_program(${name} SOURCES "${source}" LINKS GTest::gtest GTest::gtest_main)
  sc_test_compiled(${name} "${source}")
  string(REGEX REPLACE "_test$" "" short "${name}")
  add_dependencies(unit_tests ${name})
  add_test(NAME unit.${short} COMMAND ${name})
  sc_test_properties(unit.${short} "${source}" unit 1)
endfunction()

# The suites of a test that run on devices, on a CUDA device; sets `test` for its caller, whose names it uses.
macro(sc_device_test label)
  set(test ${label}.${short}.${count})
  add_test(NAME ${test} COMMAND "${MPIEXEC_EXECUTABLE}" ${MPIEXEC_NUMPROC_FLAG} ${count} ${MPIEXEC_PREFLAGS}
    "$<TARGET_FILE:mpi_${name}>" --gtest_filter=On/* ${MPIEXEC_POSTFLAGS})
  sc_test_properties(${test} "${source}" ${label} ${count})
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0 SUBCURRENT_TEST_DEVICE=cuda)
endmacro()

# One ctest entry of sc_mpi_test, whose names it uses.
macro(sc_mpi_entry test)
  add_test(NAME ${test} COMMAND "${MPIEXEC_EXECUTABLE}" ${MPIEXEC_NUMPROC_FLAG} ${count} ${MPIEXEC_PREFLAGS}
    "$<TARGET_FILE:mpi_${name}>" ${ARGN} ${MPIEXEC_POSTFLAGS})
  sc_test_properties(${test} "${source}" mpi ${count})
  if("${count}" IN_LIST long_ranks)
    set_property(TEST ${test} APPEND PROPERTY LABELS long)
  endif()
  # MPI keeps what it allocates until the process ends and unloads the plugins that did, so that no suppression
  # can name them: leaks are looked for in the unit tests, which start no MPI.
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endmacro()

function(sc_mpi_test source)
  get_filename_component(name "${source}" NAME_WE)
  sc_program(mpi_${name} SOURCES "${source}" LINKS mpi_test_main)
  sc_test_compiled(mpi_${name} "${source}")
  string(REGEX REPLACE "_test$" "" short "${name}")
  sc_head("${source}" label "" labels)
  foreach(label IN ITEMS sanitize checked)
    if(label IN_LIST labels)
      add_dependencies(${label}_tests mpi_${name})
    endif()
  endforeach()
  sc_head("${source}" ranks "1 2 4" ranks)
  sc_head("${source}" "ranks when long" "" long_ranks)
  sc_head("${source}" alone no alone)
  file(READ "${source}" text)
  string(REGEX MATCHALL "\nTEST\\([^)]*" tests "${text}")
  foreach(count IN LISTS ranks long_ranks)
    if(alone STREQUAL "yes")
      foreach(head IN LISTS tests)
        string(REGEX REPLACE ".*, *" "" part "${head}")
        sc_mpi_entry(mpi.${short}.${part}.${count} --gtest_filter=*.${part})
      endforeach()
    else()
      sc_mpi_entry(mpi.${short}.${count})
    endif()
  endforeach()
  sc_head("${source}" device no device)
  if(device STREQUAL "yes")
    sc_kernels("${source}")
    foreach(count IN LISTS ranks)
      sc_device_test(gpu)
      # The card is one: its tests come one after another.
      set_tests_properties(${test} PROPERTIES SKIP_REGULAR_EXPRESSION "no CUDA" RUN_SERIAL ON)
      if(SUBCURRENT_PTX_CARD)
        sc_device_test(ptx)
        set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "LD_PRELOAD=$<TARGET_FILE:ptx_card>")
      endif()
    endforeach()
  endif()
endfunction()

# sc_device_tests(VARIABLE SOURCES…): those of the sources that run on devices
function(sc_device_tests variable)
  set(found "")
  foreach(source IN LISTS ARGN)
    sc_head("${source}" device no device)
    if(device STREQUAL "yes")
      list(APPEND found "${source}")
    endif()
  endforeach()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()
