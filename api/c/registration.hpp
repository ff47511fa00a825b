// SPDX-License-Identifier: Apache-2.0
// Registration: the arguments of halo_init, checked on this rank and then among all ranks.
#pragma once

#include <string>
#include <vector>

#include "api/c/failure.hpp"
#include "engine/base/context.hpp"
#include "engine/move/array_halo.hpp"

namespace sc::halo {

/// Converts the caller's structs of any version to this version. Throws Failure for unknown ones.
halo_options read_options(const halo_options* options);
std::vector<halo_array> read_arrays(const halo_array* arrays, int count);

struct Registration {
  std::vector<halo_array> arrays;
  halo_options options;
  ProcessGrid processes;
  Ints4 own{1, 1, 1, 1};                 ///< own cells along the process dimensions
  Ints4 low{}, high{};                   ///< widest halo of any array there
  std::vector<std::vector<int>> blocks;  ///< [process dimension][coordinate]: own cells

  /// First own cell, and number of all cells, along a process dimension.
  std::int64_t first(int axis, int coordinate) const;
  std::int64_t global(int axis) const;
};

/// Checks on one rank alone; `ranks` is the size of the communicator.
Registration registration_of(std::vector<halo_array> arrays, const halo_options& options, int ranks);
/// Collective over `comm`: returns the longest timeout of any rank (below 0: no limit) when all have called
/// it. Throws Failure if one has not within `timeout` seconds.
double meet(MPI_Comm comm, double timeout, const std::string& call);
/// Collective: compares the registrations of all ranks and exchanges their blocks. Throws the same Error
/// (bad_input) on all ranks if they disagree.
void agree_on(Context& context, Registration& registration);
/// Converts an array for the engine.
UserArray user_array_of(const halo_array& array, void* data);

/// Array dimensions, fastest in memory first.
std::vector<int> memory_order(const halo_array& array);
/// options.timeout in the engine's convention: 0 for no limit.
double timeout_seconds(double timeout);
std::size_t element_bytes(int type);
/// The name of a dimension in error messages.
std::string name_of(int array, int dim);

}  // namespace sc::halo
