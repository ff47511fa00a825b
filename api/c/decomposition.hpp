// SPDX-License-Identifier: Apache-2.0
// halo_decompose: blocks of a domain, remembered on the communicator for the process grid of halo_init.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "api/c/failure.hpp"
#include "engine/grid/process_grid.hpp"

namespace sc::halo {

struct Decomposition {
  int dims = 1;
  Ints4 counts{1, 1, 1, 1};
  std::array<std::int64_t, most_dims> cells{1, 1, 1, 1};

  std::int64_t first(int axis, int coordinate) const;
  std::int64_t own(int axis, int coordinate) const {
    return first(axis, coordinate + 1) - first(axis, coordinate);
  }
};

/// Chooses the counts that are 0. Throws Failure for arguments that are not allowed.
Decomposition decompose(MPI_Comm comm, int dims, const std::int64_t* cells, const std::int32_t* processes);
/// Those that decompose() made for `comm`, or for the one it was duplicated from, the latest first.
std::vector<Decomposition> decompositions_of(MPI_Comm comm);

}  // namespace sc::halo
