// SPDX-License-Identifier: Apache-2.0
// Ledger: where the time of one solver went, in the notation of docs/accounts.md (C, M, W, R). Solvers of one
// context share its timeline and accounts, so each ledger adds what they gain while its solver works.
#pragma once

#include <array>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/overlap/runner.hpp"

namespace sc {

/// The time that one resource cost this rank, in seconds, and the bytes moved.
struct Moved {
  double apart =
      0;  ///< M: posting and waiting without overlap; NaN: something moved, but nothing was measured
  double hideable = 0;  ///< M of the runs that were no samples; NaN as M
  double start = 0;     ///< packing and posting
  double poke = 0;      ///< progress calls during the core
  double wait = 0;      ///< W: waiting with nothing left to compute
  double bytes = 0;
  double pieces = 0;
  double looks = 0;  ///< progress calls, of messages

  /// 1 - (start + poke + wait) / M: the share of M that was overlapped. 0 if nothing overlaps, negative if
  /// overlap made it longer; NaN if M is not known or nothing moved.
  double hidden() const;
};

/// Cost and bytes of a resource on this rank since the context was created, for all its users.
Moved moved_so_far(Context& context, Resource resource);

/// Seconds on one rank since the ledger was made. C = shell + core; a step takes about the sum of C, start,
/// poke, wait, reduce, boundary and settle.
struct Terms {
  double shell = 0;           ///< C_shell
  double core = 0;            ///< C_core; all of C if a strategy does not separate them
  double core_apart = 0;      ///< C_core without overlap
  double boundary = 0;        ///< physical boundary conditions
  double settle = 0;          ///< waiting until neighbours have read cells that are overwritten next
  double samples = 0;         ///< posting and waiting in the samples that measure M
  double bytes_declared = 0;  ///< of memory traffic, every declared element once
  std::array<Moved, resource_count> by{};  ///< of each resource

  const Moved& of(Resource resource) const { return by[static_cast<std::size_t>(resource)]; }
  Moved& of(Resource resource) { return by[static_cast<std::size_t>(resource)]; }
  /// Messages, files and link together: what strategies can hide. Reductions are R.
  Moved moved() const;
  double reduce() const { return of(Resource::reductions).wait; }  ///< R
  double compute() const { return shell + core; }
  double total() const;
};

class Ledger {
 public:
  using Phases = std::array<double, phase_count>;
  struct Line {
    std::string name;  ///< of a stage
    Resource resource = Resource::messages;
    Phases seconds{};
  };

  explicit Ledger(const Runner& runner) : runner_(runner) {}
  /// Adds what timeline and accounts gain from open() to close().
  void open();
  void close();
  /// Sets all sums to zero.
  void restart();
  const std::vector<Line>& lines() const { return lines_; }
  Terms terms() const;

 private:
  std::vector<Phases> totals() const;

  const Runner& runner_;
  std::vector<Phases> opened_at_;
  std::array<Account, resource_count> accounts_at_{}, accounts_{};
  std::vector<Line> lines_;
  double declared_at_ = 0, declared_ = 0;  // bytes of the stages
};

/// Collective: on every rank the value of the rank whose `total` is largest, so that reported values are
/// consistent.
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
