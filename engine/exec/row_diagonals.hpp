// SPDX-License-Identifier: Apache-2.0
// Rows of a sparse matrix by diagonals: eight rows whose columns mostly differ by the same numbers, as those
// of grids do, are stored and summed together. No column is read for each non-zero, and x without gathers.
#pragma once

#include "engine/exec/row_product.hpp"

namespace sc {

/// Stores by diagonals every group of rows whose non-zeros fill at least half of its diagonals. Their rows
/// have ascending columns. Values and columns of a group stay where they are, in another order: those of a
/// diagonal follow each other, and the columns make room for the diagonals themselves.
void store_by_diagonals(CompressedRows& rows);

/// y[r] = sum over the row's non-zeros of value * x[column], in the order of the columns, for rows
/// first <= r < last that are stored by diagonals: single rows and whole groups have the same bits.
void multiply_diagonals(const CompressedRows& rows, int first, int last, const double* x, double* y);

}  // namespace sc
