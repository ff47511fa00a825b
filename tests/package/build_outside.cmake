# SPDX-License-Identifier: Apache-2.0
# Run by ctest: install, configure, build, run, each of which must succeed.
set(prefix "${BUILD}/tests/package/prefix")
set(outside "${BUILD}/tests/package/outside")
file(REMOVE_RECURSE "${prefix}" "${outside}" "${outside}-untyped" "${outside}-examples" "${outside}-tutorial")

function(must)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# configure(FOLDER OPTIONS…): sets `said` to what CMake has warned of, and `compiled` to the compiler's command lines
function(configure folder)
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${folder}" -G Ninja "-DCMAKE_PREFIX_PATH=${prefix}"
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DMPI_CXX_COMPILER=${MPICXX}" "-DEXPECTED_VERSION=${VERSION}"
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON ${ARGN} ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  file(READ "${folder}/compile_commands.json" compiled)
  set(said "${said}" PARENT_SCOPE)
  set(compiled "${compiled}" PARENT_SCOPE)
endfunction()

function(expect what)
  if(NOT (${ARGN}))
    message(FATAL_ERROR "not as expected: ${what}\nCMake said: ${said}\ncompiler: ${compiled}")
  endif()
endfunction()

# blocks(PAGE LANGUAGE VARIABLE): the code of this language in a page, one block after the other
function(blocks page language variable)
  file(READ "${page}" rest)
  set(code "")
  set(mark "\n```${language}\n")
  string(LENGTH "${mark}" skipped)
  string(FIND "${rest}" "${mark}" begin)
  while(begin GREATER -1)
    math(EXPR begin "${begin} + ${skipped}")
    string(SUBSTRING "${rest}" ${begin} -1 rest)
    string(FIND "${rest}" "\n```" end)
    string(SUBSTRING "${rest}" 0 ${end} block)
    string(SUBSTRING "${rest}" ${end} -1 rest)
    string(APPEND code "${block}\n")
    string(FIND "${rest}" "${mark}" begin)
  endwhile()
  set(${variable} "${code}" PARENT_SCOPE)
endfunction()

must("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")
file(GLOB headers RELATIVE "${prefix}/include" "${prefix}/include/*")
expect("headers in a folder of their own (${headers})" headers STREQUAL "subcurrent")
file(GLOB_RECURSE for_python "${prefix}/subcurrent/*" "${prefix}/*_core*")
expect("nothing for Python in a prefix of C++ libraries (${for_python})" NOT for_python)
configure("${outside}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}")
expect("nothing said of a build type that is set" NOT said MATCHES "CMAKE_BUILD_TYPE")
must("${CMAKE_COMMAND}" --build "${outside}")
must("${outside}/outside" "${VERSION}")

# The same program, its views watched: the engine that it links is the same.
foreach(flag "-march=" "-mtune=" "-ffast-math")
  expect("no ${flag} that the project has not asked for" NOT compiled MATCHES "${flag}")
endforeach()
string(REGEX MATCHALL "-ffp-contract=off[^\n]*-o [^\n ]*/stencil.cpp.o" contracted "${compiled}")
expect("-ffp-contract=off for same_bits alone (${contracted})" contracted MATCHES "same_bits" AND
  NOT contracted MATCHES "stencil(_checked)?\\.dir")
must("${outside}/same_bits" 1)
must("${outside}/stencil" 1)
must("${outside}/stencil_checked" 1)
must("${outside}/stencil" 2)
execute_process(COMMAND "${outside}/stencil_checked" 2 RESULT_VARIABLE code ERROR_VARIABLE said)
expect("a checked program that reads too far is stopped (${code})" code EQUAL 2 AND
  said MATCHES "reads field \"u\" at the offset \\(0, 0, 2\\)")

# Without a build type: a warning, and loops that are optimised all the same; not where flags say how.
configure("${outside}-untyped")
expect("a warning" said MATCHES "CMAKE_BUILD_TYPE is not set")
expect("-O2" compiled MATCHES " -O2 ")
configure("${outside}-untyped" -DCMAKE_CXX_FLAGS=-O1)
expect("no warning where flags say how" NOT said MATCHES "CMAKE_BUILD_TYPE" AND NOT compiled MATCHES " -O2 ")

# The tutorial, as its reader has it: its C++ and its CMake are the two files of a project, which prints what the page
# shows on any number of ranks, and refuses in one sentence.
set(tutorial "${outside}-tutorial")
foreach(file "cpp:mycode.cpp" "cmake:CMakeLists.txt" "text:printed")
  string(REPLACE ":" ";" file "${file}")
  list(GET file 0 language)
  list(GET file 1 name)
  blocks("${DOCS}/tutorials/own_cpp.md" ${language} ${language})
  file(WRITE "${tutorial}/${name}" "${${language}}")
endforeach()
must("${CMAKE_COMMAND}" -S "${tutorial}" -B "${tutorial}/build" -G Ninja "-DCMAKE_PREFIX_PATH=${prefix}"
  "-DCMAKE_CXX_COMPILER=${CXX}" "-DMPI_CXX_COMPILER=${MPICXX}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}")
must("${CMAKE_COMMAND}" --build "${tutorial}/build")
foreach(ranks 1 2)
  string(REPLACE "{ranks}" "${ranks}" launched "${LAUNCHER}")
  separate_arguments(launched)
  execute_process(COMMAND ${launched} "${tutorial}/build/mycode" OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  expect("the tutorial prints its result (${text})" said STREQUAL text)
endforeach()
set(refusal "mycode: the number of cells is \"many\"; it must be a whole number from 0 on\n")
execute_process(COMMAND "${tutorial}/build/mycode" many RESULT_VARIABLE code ERROR_VARIABLE said)
expect("the tutorial refuses in one sentence (${code})" code EQUAL 2 AND said STREQUAL refusal)

# The installed examples, by the list that is installed with them: every one is built, and two are run.
set(examples "${outside}-examples")
must("${CMAKE_COMMAND}" -S "${prefix}/share/subcurrent/examples" -B "${examples}" -G Ninja
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CXX}" "-DMPI_CXX_COMPILER=${MPICXX}"
  "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}")
must("${CMAKE_COMMAND}" --build "${examples}")
file(GLOB sources RELATIVE "${EXAMPLES}" "${EXAMPLES}/*.cpp")
foreach(source IN LISTS sources)
  string(REPLACE ".cpp" "" name "${source}")
  expect("${name} is built" EXISTS "${examples}/${name}")
endforeach()
foreach(name gray_scott wave)
  must("${examples}/${name}" 16 2 "${examples}/${name}")
  expect("${name} leaves a snapshot" EXISTS "${examples}/${name}_00000002.vtkhdf")
endforeach()
