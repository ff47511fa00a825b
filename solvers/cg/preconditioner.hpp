// SPDX-License-Identifier: Apache-2.0
// Preconditioners that need no other rank: u = M^-1 r with M the diagonal of A or dense blocks along it.
#pragma once

#include <memory>
#include <string_view>

#include "engine/stage/row_stage.hpp"
#include "engine/subcurrent.hpp"
#include "solvers/cg/partition.hpp"

namespace sc::cg {

enum class Preconditioning { none, jacobi, block_jacobi };
std::string_view preconditioning_name(Preconditioning kind);
/// Throws Error (bad_input) naming the ones there are.
Preconditioning preconditioning_of(std::string_view name);

/// Collective: the stage u = M^-1 r, a copy for `none`. Blocks are of `block` consecutive entries of one
/// rank's vectors, the last of a rank shorter. Throws Error (bad_input) on all ranks where a diagonal entry
/// or a block is not positive (definite).
std::unique_ptr<Stage> make_preconditioner(Preconditioning kind, const LocalRows& rows, int block,
                                           Field<double>& u, Field<double>& r, Field<double>& diagonal);

}  // namespace sc::cg
