// SPDX-License-Identifier: Apache-2.0
// Every MPI return code goes through `check`, which turns a failure into an Error with file and line.
#pragma once

#include <mpi.h>

#include <source_location>

namespace sc::mpi {

/// Throws Error (Exit::failure) with MPI's own text when `code` is not MPI_SUCCESS.
void check(int code, std::source_location where = std::source_location::current());

}  // namespace sc::mpi
