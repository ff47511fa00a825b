// SPDX-License-Identifier: Apache-2.0
// Product: vectors are divided by the partition, and messages into pieces by the depth.
#include "solvers/cg/product.hpp"

#include <algorithm>

namespace sc::cg {

namespace {

RowOptions options_of(const Settings& settings, const Partition& partition) {
  if (settings.depth < 1)
    refuse("depth is " + std::to_string(settings.depth) + "; a message has at least 1 piece");
  if (settings.depth == 1) return {};
  const auto depth = static_cast<std::size_t>(settings.depth);
  const auto longest = static_cast<std::size_t>(std::max(1, partition.longest_piece()));
  return {.piece_bytes = (longest + depth - 1) / depth * sizeof(double)};
}

}  // namespace

Product::Product(Context& context, const Partition& partition, const LocalRows& rows,
                 const Settings& settings, int levels)
    : partition_(partition),
      grid_(context, {.cells = {partition.n(), 1, 1},
                      .halo = 0,
                      .split = {context.size(), 1, 1},
                      .cuts = {partition.cuts(), {}, {}}}),
      x_(grid_, "x", {.levels = levels}),
      y_(grid_, "y"),
      stage_(std::make_unique<RowStage>("y = A x", MatrixRows{rows.first, rows.begin, rows.value},
                                        writes(y_.now()), reads(x_.now(), gather(rows.column)),
                                        options_of(settings, partition))),
      runner_(context, {.strategy = settings.strategy}) {
  const auto mine = static_cast<std::int64_t>(rows.column.size());
  nonzeros_ = static_cast<std::int64_t>(context.sum(static_cast<std::uint64_t>(mine)));
  const double most = context.max(static_cast<double>(mine));
  imbalance_ = nonzeros_ > 0 ? most * context.size() / static_cast<double>(nonzeros_) - 1 : 0;
}

}  // namespace sc::cg
