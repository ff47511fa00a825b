// SPDX-License-Identifier: Apache-2.0
// Registration: what a caller of halo_init hands over, checked on this rank and then among all ranks.
#pragma once

#include <string>
#include <vector>

#include "api/c/failure.hpp"
#include "engine/base/context.hpp"
#include "engine/move/array_halo.hpp"

namespace sc::halo {

/// The caller's structs, whatever their version, as this version's. Throws Failure for those it cannot read.
halo_options read_options(const halo_options* options);
std::vector<halo_array> read_arrays(const halo_array* arrays, int count);

struct Registration {
  std::vector<halo_array> arrays;
  halo_options options;
  ProcessGrid processes;
  Ints4 own{1, 1, 1, 1};                 ///< own cells along the process dimensions
  Ints4 low{}, high{};                   ///< widest halo of any array there
  std::vector<std::vector<int>> blocks;  ///< [process dimension][coordinate]: own cells there

  /// First own cell, and all cells, along a process dimension.
  std::int64_t first(int axis, int coordinate) const;
  std::int64_t global(int axis) const;
};

/// Checks of one rank alone; `ranks` are those of the communicator.
Registration registration_of(std::vector<halo_array> arrays, const halo_options& options, int ranks);
/// Collective over `comm`: returns when all ranks have come. Throws Failure when one has not within `timeout`
/// seconds (below 0: however long it takes).
void meet(MPI_Comm comm, double timeout, const std::string& call);
/// Collective: the ranks compare what they register and learn each other's blocks. Every rank throws the same
/// Error (bad_input) where they disagree.
void agree_on(Context& context, Registration& registration);
/// An array as the engine moves it.
UserArray user_array_of(const halo_array& array, void* data);

/// Array dimensions, the fastest in memory first.
std::vector<int> memory_order(const halo_array& array);
/// options.timeout as the engine takes it: 0 for ever.
double timeout_seconds(double timeout);
std::size_t element_bytes(int type);
/// As error messages call it.
std::string name_of(int array, int dim);

}  // namespace sc::halo
