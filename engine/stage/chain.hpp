// SPDX-License-Identifier: Apache-2.0
// Chain: pointwise stages run one after another on a tile of cells that stays in cache, then on the next
// tile: what one member leaves to the next is not fetched from memory again. Same bits as one by one.
#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

#include "engine/stage/stage.hpp"

namespace sc {

/// A level that only members of the chain know: it lives in a buffer of one tile, and its field is left as it
/// is.
struct Between {
  Access access;
};
template <class T, int N>
Between between(Level<T, N> level) {
  return {{level.field, level.level, Mode::write, point, 0}};
}

class Chain final : public Stage {
 public:
  /// The members must outlive the chain, and run in this order. Reductions follow one another in
  /// accumulators(). Throws Error (bad_input) for a member that reads around its cell or another grid, runs
  /// in colours, on lines or rows, or on a grid other than the first one's.
  template <std::derived_from<Stage>... Members>
  explicit Chain(std::string name, Members&... members)
      : Chain(std::move(name), std::vector<Between>{}, std::vector<Stage*>{&members...}) {}
  /// With levels in between: each must be set by a member before any reads it.
  template <std::derived_from<Stage>... Members>
  Chain(std::string name, std::vector<Between> between, Members&... members)
      : Chain(std::move(name), std::move(between), std::vector<Stage*>{&members...}) {}
  Chain(std::string name, std::vector<Between> between, std::vector<Stage*> members);

  const Grid& grid() const override { return members_.front().stage->grid(); }
  const std::vector<Access>& accesses() const override { return accesses_; }
  void compute(const Box& box, int threads, std::span<Accumulator> into) override;

 private:
  struct Member {
    Stage* stage;
    std::vector<int> access;  // of the chain, for each of its own; -1 - k for level k in between
    std::size_t first_value;  // among the chain's accumulators
  };
  struct Tile {
    std::vector<Place> places;
    std::vector<std::vector<std::byte>> between;
    std::vector<Accumulator> values;
  };
  static std::vector<Accumulator> values_of(const std::vector<Stage*>& members);
  static double flops_of(const std::vector<Stage*>& members);
  void add(Stage& member);
  int merge_access(const Access& access);
  void check_member(Stage& member) const;
  Int3 tile_extent() const;
  void run_tile(const Box& tile, Tile& own, std::span<Accumulator> into);
  Place place_between(const Box& tile, std::size_t k, Tile& own) const;

  std::vector<Between> between_;
  std::vector<bool> set_;  // levels in between that a member so far writes
  std::vector<Member> members_;
  std::vector<Access> accesses_;
  std::vector<Tile> tiles_;  // of each thread
};

}  // namespace sc
