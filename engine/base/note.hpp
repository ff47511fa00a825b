// SPDX-License-Identifier: Apache-2.0
// A note on a communicator: bytes that it and its later duplicates carry, for calls that belong together.
#pragma once

#include <mpi.h>

#include <string>

namespace sc {

/// Replaces the note of `comm` on this rank.
void set_note(MPI_Comm comm, const std::string& bytes);
/// The note of `comm`, or of the one it was duplicated from; empty without one.
std::string note_of(MPI_Comm comm);

}  // namespace sc
