// SPDX-License-Identifier: Apache-2.0
// The benchmark's matrix: its classes, the stream of random vectors that define it, and one rank's part.
#pragma once

#include <functional>
#include <string>

#include "solvers/cg/partition.hpp"

namespace sc::cg {

struct Class {
  std::string name;
  int n;           ///< order of A
  int nonzer;      ///< non-zeros of each random vector
  int iterations;  ///< of the outer, inverse power iteration
  double shift;    ///< lambda
  double zeta;     ///< reference result of the outer iteration
};
/// Throws Error (bad_input) unless `name` is S, W, A, B, C or D.
const Class& class_of(const std::string& name);

/// A = sum over rows i of size_i v_i v_i^T + (rcond - shift) I. This is one v_i; positions are 0-based and
/// not sorted.
struct RandomVector {
  int row = 0;
  double size = 1;
  std::vector<int> position;
  std::vector<double> value;
};
/// Calls `each` for all v_i in order. Rejected draws make the stream sequential, so every rank replays all of
/// it.
void replay(const Class& c, const std::function<void(const RandomVector&)>& each);

/// Non-zeros of each row. An off-diagonal entry that two vectors share is counted twice (2 % of them).
std::vector<std::int64_t> row_weights(const Class& c);
/// The same for each column, counted over the rows [first, last).
std::vector<std::int64_t> column_weights(const Class& c, int first, int last);

/// The rows and columns of `rank` under `partition`; values have the same bits as in the original, for any
/// number of ranks. Needs memory for this part, and a few integers for each row of the whole matrix.
LocalRows make_matrix(const Class& c, const Partition& partition, int rank);

}  // namespace sc::cg
