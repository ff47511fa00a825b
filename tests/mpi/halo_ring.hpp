// SPDX-License-Identifier: Apache-2.0
// A ring of all ranks, for tests of the halo functions.
#pragma once

#include <array>
#include <cstdint>

#include "tests/mpi/halo_calls.hpp"

namespace sc::test {

inline constexpr std::int64_t n = 4;  // own cells along x and y

/// A 2-D array of doubles divided along dimension 0, as a ring of all ranks.
struct Ring {
  explicit Ring(double timeout = 20, int outstanding = 4, int transport = HALO_AUTOMATIC) {
    const std::array<std::int64_t, 2> own{n, n};
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = -1;
    array = halo_array_of(memory.data(), HALO_REAL64, 2, own.data(), 1);
    options = halo_options_of(2);
    options.processes[0] = ranks();
    options.processes[1] = 1;
    options.periodic[0] = 1;
    options.timeout = timeout;
    options.outstanding = outstanding;
    options.transport = transport;
  }
  int init() { return halo_init(&handle, MPI_COMM_WORLD, &array, 1, &options); }
  double& at(std::int64_t x, std::int64_t y) {
    return memory[static_cast<std::size_t>((x + 1) * (n + 2) + y + 1)];
  }

  std::array<double, (n + 2) * (n + 2)> memory;
  halo_array array;
  halo_options options;
  halo_handle handle = HALO_NULL;
};

/// A step that changes nothing.
inline void keep_values(const halo_box* box, void* const* now, void* const* next, void*) {
  for (std::int64_t i = (box->lo[0] + 1) * (n + 2); i < (box->hi[0] + 1) * (n + 2); ++i)
    static_cast<double*>(next[0])[i] = static_cast<double*>(now[0])[i];
}

inline constexpr std::array<int, 2> up{1, 0}, down{-1, 0};

}  // namespace sc::test
