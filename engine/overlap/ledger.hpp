// SPDX-License-Identifier: Apache-2.0
// Ledger: where the time of one solver went, in the letters of the papers. Solvers of one context share its
// timeline, so each books what the timeline gains while it works.
#pragma once

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/overlap/runner.hpp"

namespace sc {

/// Seconds on one rank since the ledger was made. C = shell + core; a step takes about C + start + poke +
/// wait
/// + reduce + boundary + settle.
struct Terms {
  double shell = 0;     ///< C_shell
  double core = 0;      ///< C_core; all of C where a strategy does not tell them apart
  double movement = 0;  ///< M: posting and waiting where nothing overlaps, measured in place (Runner::apart)
  double core_apart = 0;      ///< C_core where nothing overlaps
  double start = 0;           ///< packing and posting
  double poke = 0;            ///< progress calls under the core
  double wait = 0;            ///< W
  double reduce = 0;          ///< R
  double boundary = 0;        ///< physical boundary conditions
  double settle = 0;          ///< until neighbours have read what is about to be overwritten
  double bytes_moved = 0;     ///< that left the rank in halos
  double bytes_declared = 0;  ///< of memory traffic, every declared element once

  double compute() const { return shell + core; }
  double total() const { return compute() + start + poke + wait + reduce + boundary + settle; }
  /// 1 - W / M; 0 where nothing moves.
  double hidden() const { return movement > 0 ? 1 - wait / movement : 0; }
};

class Ledger {
 public:
  using Phases = std::array<double, phase_count>;
  struct Line {
    std::string name;  ///< of a stage
    Phases seconds{};
  };

  explicit Ledger(const Runner& runner) : runner_(runner) {}
  /// What the timeline gains from open() to close() is this solver's.
  void open() { opened_at_ = totals(); }
  void close();
  const std::vector<Line>& lines() const { return lines_; }
  Terms terms() const;

 private:
  std::vector<Phases> totals() const;

  const Runner& runner_;
  std::vector<Phases> opened_at_;
  std::vector<Line> lines_;
};

/// Collective: on every rank the value of the rank whose `total` is largest, so that what is reported adds
/// up.
std::string of_largest(const Context& context, double total, const std::string& bytes);
template <class T>
T of_largest(const Context& context, double total, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::string bytes =
      of_largest(context, total, std::string(reinterpret_cast<const char*>(&mine), sizeof(T)));
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

}  // namespace sc
