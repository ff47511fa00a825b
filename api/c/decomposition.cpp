// SPDX-License-Identifier: Apache-2.0
// Decompositions: chosen, and kept in the note of their communicator.
#include "api/c/decomposition.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "engine/base/error.hpp"
#include "engine/base/index.hpp"
#include "engine/base/note.hpp"
#include "engine/base/start.hpp"

namespace sc::halo {

namespace {

constexpr std::size_t most_kept = 16;

void remember(MPI_Comm comm, const Decomposition& made) {
  std::vector<Decomposition> all = decompositions_of(comm);
  std::erase_if(all, [&](const Decomposition& d) {
    return d.dims == made.dims && d.counts == made.counts && d.cells == made.cells;
  });
  all.insert(all.begin(), made);
  all.resize(std::min(all.size(), most_kept));
  set_note(comm, {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(Decomposition)});
}

}  // namespace

std::int64_t Decomposition::first(int axis, int coordinate) const {
  return block_begin(cells[at(axis)], counts[at(axis)], coordinate);
}

Decomposition decompose(MPI_Comm comm, int dims, const std::int64_t* cells, const std::int32_t* processes) {
  if (dims < 1 || dims > HALO_MAX_DIMS)
    throw Failure(HALO_ERR_ARGUMENT, "dims is " + std::to_string(dims) + "; 1 to 4 are allowed");
  if (!cells) throw Failure(HALO_ERR_ARGUMENT, "cells is null");
  if (!processes) throw Failure(HALO_ERR_ARGUMENT, "processes is null");
  start_mpi();
  Decomposition made;
  made.dims = dims;
  Ints4 wanted{};
  for (int a = 0; a < dims; ++a) {
    made.cells[at(a)] = cells[a];
    wanted[at(a)] = processes[a];
  }
  try {
    made.counts = choose_counts(dims, made.cells, wanted, size_of(comm));
  } catch (const Error& error) {
    throw Failure(HALO_ERR_ARGUMENT, error.what());
  }
  remember(comm, made);
  return made;
}

std::vector<Decomposition> decompositions_of(MPI_Comm comm) {
  const std::string note = note_of(comm);
  std::vector<Decomposition> all(note.size() / sizeof(Decomposition));
  if (!all.empty()) std::memcpy(all.data(), note.data(), note.size());
  return all;
}

}  // namespace sc::halo
