// SPDX-License-Identifier: Apache-2.0
// Product: vectors are divided by the partition, and messages into pieces by the depth.
#include "solvers/cg/product.hpp"

#include <algorithm>

namespace sc::cg {

namespace {

constexpr std::string_view names[] = {"blocking", "direct", "pipelined"};

RowOptions options_of(const Settings& settings, const Partition& partition) {
  if (settings.depth < 1)
    refuse("depth is " + std::to_string(settings.depth) + "; a message has at least 1 piece");
  if (settings.strategy != Hiding::pipelined) return {};
  const auto depth = static_cast<std::size_t>(settings.depth);
  const auto longest = static_cast<std::size_t>(std::max(1, partition.longest_piece()));
  return {.piece_bytes = (longest + depth - 1) / depth * sizeof(double)};
}

}  // namespace

std::string_view hiding_name(Hiding hiding) { return names[static_cast<int>(hiding)]; }

Hiding hiding_of(std::string_view name) {
  for (int i = 0; i < 3; ++i)
    if (names[i] == name) return static_cast<Hiding>(i);
  refuse("strategy \"" + std::string(name) + "\" is not known; allowed are blocking, direct, pipelined");
}

Strategy engine_strategy(Hiding hiding, const Partition& partition) {
  if (hiding == Hiding::blocking) return Strategy::blocking;
  if (!partition.sends_sums()) return Strategy::interior_first;  // own columns, while x is exchanged
  if (hiding == Hiding::pipelined) return Strategy::pipelined;
  return partition.gathers() ? Strategy::interior_first : Strategy::boundary_first;
}

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
      runner_(context, {.strategy = engine_strategy(settings.strategy, partition)}) {
  const auto mine = static_cast<std::int64_t>(rows.column.size());
  nonzeros_ = static_cast<std::int64_t>(context.sum(static_cast<std::uint64_t>(mine)));
  const double most = context.max(static_cast<double>(mine));
  imbalance_ = nonzeros_ > 0 ? most * context.size() / static_cast<double>(nonzeros_) - 1 : 0;
}

}  // namespace sc::cg
