// SPDX-License-Identifier: Apache-2.0
// A small turbulent flow for tests with fields in files.
#pragma once

#include "tests/mpi/flow_modes.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {

using namespace turbulence;

/// File access without or with overlap.
enum class Io { sync, async };
inline Strategy strategy_of(Io io) { return io == Io::sync ? Strategy::blocking : Strategy::boundary_first; }

/// Long along z, so that each of four ranks has 32 planes to divide.
inline TurbulenceOptions small() {
  return {.points = {12, 16, 128}, .viscosity = 0.01, .dt = 0.01, .storage = {.where = Where::memory}};
}

}  // namespace sc::test
