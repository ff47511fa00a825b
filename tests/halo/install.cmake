# SPDX-License-Identifier: Apache-2.0
# Run by ctest: the component `halo` into a prefix that held nothing before.
file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --component halo --prefix "${PREFIX}"
  COMMAND_ERROR_IS_FATAL ANY)
