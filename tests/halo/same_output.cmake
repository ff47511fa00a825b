# SPDX-License-Identifier: Apache-2.0
# Runs a program without an argument and with each of ARGUMENTS: all must write the same.
execute_process(COMMAND ${RUN} OUTPUT_VARIABLE expected COMMAND_ERROR_IS_FATAL ANY)
foreach(argument IN LISTS ARGUMENTS)
  execute_process(COMMAND ${RUN} ${argument} OUTPUT_VARIABLE got COMMAND_ERROR_IS_FATAL ANY)
  if(NOT got STREQUAL expected)
    message(FATAL_ERROR "with ${argument}: ${got}without: ${expected}")
  endif()
endforeach()
