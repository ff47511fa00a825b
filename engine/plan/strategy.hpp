// SPDX-License-Identifier: Apache-2.0
// Strategies: the order in which chunks are computed and pieces leave. Chosen at run time, once. What a
// strategy is, is a row of this one table; schema, bindings and the C header follow it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/plan/plan.hpp"

namespace sc {

/// When a piece leaves whose cells have been computed: at once, or with all others of its step.
enum class Starts { with_chunk, after_step };

/// Of the chunks that can be computed the one with the smallest key is; equal ones in program order.
using Key = int (*)(const Chunk&);

struct Strategy {
  std::string_view name;
  std::string_view says;
  bool parts;     ///< shell and core are computed apart; otherwise all cells together
  bool overlaps;  ///< whatever can be computed is, while anything moves; otherwise nothing is
  bool eager;     ///< outputs leave when they are computed; otherwise inputs are fetched before they are read
  Starts starts;
  Key key;
  bool divides_threads = false;  ///< one thread moves halos and computes the shell, the others the core
  bool joins = false;            ///< that one then helps them; otherwise two threads are needed
  bool tried = true;             ///< automatic tries it
  bool chooses = false;          ///< no order of its own: one of the others, run by run

  friend bool operator==(const Strategy& a, const Strategy& b) {
    return a.name == b.name && a.joins == b.joins;
  }
  /// The same with a thread that moves halos and computes the shell, and no core.
  constexpr Strategy not_joining() const {
    Strategy other = *this;
    other.joins = false;
    return other;
  }

  static const Strategy blocking, ordered, boundary_first, interior_first, pipelined, halo_thread, automatic;
  /// In the order of halo_strategy in the C header.
  static std::span<const Strategy* const> all();
  /// Throws Error (bad_input) naming the ones there are.
  static const Strategy& of(std::string_view name);
  /// Those for which `which` holds, with commas.
  static std::string names(bool (*which)(const Strategy&));
};

namespace keys {
constexpr int in_program_order(const Chunk&) { return 0; }
constexpr int without_needs_first(const Chunk& chunk) { return chunk.needs.count > 0 ? 1 : 0; }
}  // namespace keys

inline constexpr Strategy Strategy::blocking{
    .name = "blocking",
    .says = "all cells, then their halos, waiting for them: the usual code",
    .parts = false,
    .overlaps = false,
    .eager = true,
    .starts = Starts::after_step,
    .key = keys::in_program_order,
};
inline constexpr Strategy Strategy::ordered{
    .name = "ordered",
    .says = "as boundary_first, but waiting before the core, so that moving and computing are measured apart",
    .parts = true,
    .overlaps = false,
    .eager = true,
    .starts = Starts::after_step,
    .key = keys::in_program_order,
    .tried = false,
};
inline constexpr Strategy Strategy::boundary_first{
    .name = "boundary_first",
    .says = "the shell, whose values the neighbours wait for, then the core while they travel",
    .parts = true,
    .overlaps = true,
    .eager = true,
    .starts = Starts::after_step,
    .key = keys::in_program_order,
};
inline constexpr Strategy Strategy::pipelined{
    .name = "pipelined",
    .says = "as boundary_first, each piece sent as soon as the part of the shell it comes from is computed",
    .parts = true,
    .overlaps = true,
    .eager = true,
    .starts = Starts::with_chunk,
    .key = keys::in_program_order,
};
inline constexpr Strategy Strategy::interior_first{
    .name = "interior_first",
    .says = "what needs no halo while the inputs' halos travel, then the shell",
    .parts = true,
    .overlaps = true,
    .eager = false,
    .starts = Starts::with_chunk,
    .key = keys::without_needs_first,
};
inline constexpr Strategy Strategy::halo_thread{
    .name = "halo_thread",
    .says =
        "thread 0 fetches the halos and computes the shell while the others compute the core; then it helps "
        "them, unless told otherwise",
    .parts = true,
    .overlaps = true,
    .eager = false,
    .starts = Starts::with_chunk,
    .key = keys::without_needs_first,
    .divides_threads = true,
    .joins = true,
};
inline constexpr Strategy Strategy::automatic{
    .name = "automatic",
    .says =
        "the fastest of the others for each kind of stage, tried in the first steps and now and then again",
    .parts = true,
    .overlaps = true,
    .eager = true,
    .starts = Starts::after_step,
    .key = keys::in_program_order,
    .tried = false,
    .chooses = true,
};
}  // namespace sc
