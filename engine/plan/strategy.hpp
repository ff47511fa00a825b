// SPDX-License-Identifier: Apache-2.0
// Strategies: the order in which chunks are computed and pieces are sent, chosen once at run time. Each
// strategy is a row of this table; bindings read it, and `tools/strategies` writes what else follows from it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/plan/plan.hpp"

namespace sc {

/// When a piece is sent after its cells have been computed: at once, or with all others of its step.
enum class Starts { with_chunk, after_step };

/// Of the chunks that can be computed, the one with the smallest key is next; with equal keys in program
/// order.
using Key = int (*)(const Chunk&);

namespace keys {
constexpr int in_program_order(const Chunk&) { return 0; }
constexpr int without_needs_first(const Chunk& chunk) { return chunk.needs.count > 0 ? 1 : 0; }
}  // namespace keys

struct Strategy {
  std::string_view name;
  std::string_view says;
  bool parts = true;     ///< shell and core are computed separately; otherwise all cells together
  bool overlaps = true;  ///< chunks are computed while anything moves; otherwise nothing overlaps
  /// Outputs are sent when they are computed; otherwise inputs are fetched before they are read.
  bool eager = true;
  Starts starts = Starts::after_step;
  Key key = keys::in_program_order;
  bool divides_threads = false;  ///< one thread exchanges halos and computes the shell, the others the core
  bool joins = false;    ///< that thread then computes core tiles too; otherwise two threads are needed
  bool chooses = false;  ///< chooses one of the others for each run

  friend bool operator==(const Strategy& a, const Strategy& b) {
    return a.name == b.name && a.joins == b.joins;
  }
  /// The same with a thread that exchanges halos and computes the shell, but no core.
  constexpr Strategy not_joining() const {
    Strategy other = *this;
    other.joins = false;
    return other;
  }

  static const Strategy blocking, ordered, boundary_first, interior_first, pipelined, halo_thread, automatic;
  /// In the order of halo_strategy in the C header.
  static std::span<const Strategy* const> all();
  /// Throws Error (bad_input) that lists the existing names.
  static const Strategy& of(std::string_view name);
  /// The names of those for which `which` is true, with commas.
  static std::string names(bool (*which)(const Strategy&));
};

inline constexpr Strategy Strategy::blocking{
    .name = "blocking",
    .says = "compute all cells, then exchange their halos and wait: no overlap",
    .parts = false,
    .overlaps = false,
};
inline constexpr Strategy Strategy::ordered{
    .name = "ordered",
    .says =
        "as boundary_first, but wait before the core, so that messages and computing are measured separately",
    .overlaps = false,
};
inline constexpr Strategy Strategy::boundary_first{
    .name = "boundary_first",
    .says = "compute the shell, send it, and compute the core during the exchange",
};
inline constexpr Strategy Strategy::pipelined{
    .name = "pipelined",
    .says = "as boundary_first, but send each piece as soon as its part of the shell is computed",
    .starts = Starts::with_chunk,
};
inline constexpr Strategy Strategy::interior_first{
    .name = "interior_first",
    .says = "compute the core while the inputs' halos are exchanged, then the shell",
    .eager = false,
    .starts = Starts::with_chunk,
    .key = keys::without_needs_first,
};
inline constexpr Strategy Strategy::halo_thread{
    .name = "halo_thread",
    .says =
        "thread 0 exchanges the halos and computes the shell, the others compute the core; then it helps "
        "them, unless told otherwise",
    .eager = false,
    .starts = Starts::with_chunk,
    .key = keys::without_needs_first,
    .divides_threads = true,
    .joins = true,
};
inline constexpr Strategy Strategy::automatic{
    .name = "automatic",
    .says = "the fastest of the others for each kind of stage, measured in the first steps and again later",
    .chooses = true,
};
}  // namespace sc
