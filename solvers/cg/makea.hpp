// SPDX-License-Identifier: Apache-2.0
// The benchmark's matrix: its classes, the stream of random vectors behind it, and the part of one rank.
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
  double zeta;     ///< what the outer iteration must arrive at
};
/// Throws Error (bad_input) for anything but S, W, A, B, C, D.
const Class& class_of(const std::string& name);

/// A = sum over rows i of size_i v_i v_i^T + (rcond - shift) I. One v_i: positions are 0-based, not sorted.
struct RandomVector {
  int row = 0;
  double size = 1;
  std::vector<int> position;
  std::vector<double> value;
};
/// All v_i in order. Rejected draws make the stream sequential: every rank replays all of it.
void replay(const Class& c, const std::function<void(const RandomVector&)>& each);

/// Non-zeros of each row. Counts an entry that two vectors share off the diagonal twice (2 % of them).
std::vector<std::int64_t> row_weights(const Class& c);
/// The same of each column, counted over the rows [first, last).
std::vector<std::int64_t> column_weights(const Class& c, int first, int last);

/// The rows and columns that `rank` holds under `partition`; values are bit for bit those of the original,
/// whatever the number of ranks. Needs memory for this part and a few integers a row of the whole.
LocalRows make_matrix(const Class& c, const Partition& partition, int rank);

}  // namespace sc::cg
