// SPDX-License-Identifier: Apache-2.0
// Timeline: what this rank did at which time. Spans are appended to preallocated memory (two clock reads and
// one store for each span). Totals are added up separately, so they are exact even if there is no room for
// more spans.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/account.hpp"

namespace sc {

/// What a span of time was spent on; the letters are those of the published papers.
enum class Phase : std::uint8_t {
  shell,     ///< C_shell: cells within reach of a halo
  core,      ///< C_core: the rest
  all,       ///< C of a strategy that does not separate shell and core
  start,     ///< M: packing and posting
  poke,      ///< progress calls between tiles
  wait,      ///< W: waiting for a movement with nothing left to compute
  boundary,  ///< physical boundary conditions
  reduce,    ///< R: waiting for a reduction
  settle,    ///< waiting until neighbours have read cells that are overwritten next
  output,    ///< files
  count_
};
constexpr int phase_count = static_cast<int>(Phase::count_);
std::string_view phase_name(Phase phase);

struct Span {
  double begin;  ///< seconds since the timeline was created
  double end;
  std::uint16_t name;
  Phase phase;
  std::uint8_t thread;
};

class Timeline {
 public:
  struct Total {
    double seconds = 0;
    std::int64_t count = 0;
  };

  explicit Timeline(std::size_t capacity = std::size_t{1} << 16);

  void set_rank(int rank) { rank_ = rank; }
  int rank() const { return rank_; }
  /// Time of creation, on the clock that all processes of a machine share, in seconds.
  double origin() const { return std::chrono::duration<double>(origin_.time_since_epoch()).count(); }
  double now() const { return std::chrono::duration<double>(Clock::now() - origin_).count(); }

  /// The number of a name, created at first use; call it outside of loops. Movements that are started and
  /// awaited under this name use `resource`.
  std::uint16_t name(std::string_view text, Resource resource = Resource::messages);
  Resource resource(std::uint16_t name) const { return resources_[name]; }
  /// Called by the thread that runs the stage; helper threads pass their times to it.
  void add(std::uint16_t name, Phase phase, double begin, double end, int thread = 0);
  /// Adds time without a span (thousands of progress calls within one), in seconds.
  void add_total(std::uint16_t name, Phase phase, double seconds);
  /// Weight of a second in the totals from now on: 1 / n while n threads do different work, so that the
  /// totals of a stage add up to its elapsed time.
  void weigh(double weight) { weight_ = weight; }
  void clear();
  /// If off, nothing is recorded and scopes read no clock; to measure the cost of the timeline.
  void record(bool on) { recording_ = on; }
  bool recording() const { return recording_; }

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Span>& spans() const { return spans_; }
  std::int64_t dropped() const { return dropped_; }
  Total total(std::uint16_t name, Phase phase) const;
  /// Sum over all names, or over those with a resource.
  Total total(Phase phase) const { return total(std::nullopt, phase); }
  Total total(std::optional<Resource> resource, Phase phase) const;
  /// Seconds in the totals so far, of all phases; time of enclosed spans is subtracted (see Scope).
  double total_seconds() const { return total_seconds_; }
  /// Adds a span, of which `within` seconds are already in the totals.
  void add_around(std::uint16_t name, Phase phase, double begin, double end, double within);

  /// The spans as events of the Chrome trace format (one process for each rank), without the enclosing
  /// brackets; `shift` seconds are added to every time.
  std::string perfetto_events(double shift = 0) const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point origin_;
  std::vector<Span> spans_;
  std::vector<std::string> names_;
  std::vector<Resource> resources_;
  std::vector<Total> totals_;  // [name][phase]
  std::int64_t dropped_ = 0;
  double weight_ = 1;
  double total_seconds_ = 0;
  int rank_ = 0;
  bool recording_ = true;
};

/// Adds a span from its construction to its destruction. Time recorded in between is not counted twice, so
/// the totals add up to the elapsed time.
class Scope {
 public:
  Scope(Timeline& timeline, std::uint16_t name, Phase phase)
      : timeline_(timeline),
        begin_(timeline.recording() ? timeline.now() : 0),
        seconds_before_(timeline.total_seconds()),
        name_(name),
        phase_(phase) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() {
    if (timeline_.recording())
      timeline_.add_around(name_, phase_, begin_, timeline_.now(),
                           timeline_.total_seconds() - seconds_before_);
  }

 private:
  Timeline& timeline_;
  double begin_, seconds_before_;
  std::uint16_t name_;
  Phase phase_;
};

}  // namespace sc
