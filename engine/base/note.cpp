// SPDX-License-Identifier: Apache-2.0
// Notes as an attribute of the communicator, with a copy for each duplicate.
#include "engine/base/note.hpp"

#include <memory>

#include "engine/base/mpi_check.hpp"

namespace sc {

namespace {

int copy_note(MPI_Comm, int, void*, void* note, void* copy, int* copied) {
  *static_cast<void**>(copy) = new std::string(*static_cast<const std::string*>(note));
  *copied = 1;
  return MPI_SUCCESS;
}

int delete_note(MPI_Comm, int, void* note, void*) {
  const std::unique_ptr<std::string> end(static_cast<std::string*>(note));
  return MPI_SUCCESS;
}

int key_of_notes() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    mpi::check(MPI_Comm_create_keyval(copy_note, delete_note, &made, nullptr));
    return made;
  }();
  return key;
}

}  // namespace

void set_note(MPI_Comm comm, const std::string& bytes) {
  auto note = std::make_unique<std::string>(bytes);
  mpi::check(MPI_Comm_set_attr(comm, key_of_notes(), note.get()));
  note.release();  // delete_note() frees it with the communicator
}

std::string note_of(MPI_Comm comm) {
  std::string* note = nullptr;
  int found = 0;
  mpi::check(MPI_Comm_get_attr(comm, key_of_notes(), &note, &found));
  return found ? *note : std::string();
}

}  // namespace sc
