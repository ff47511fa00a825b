// SPDX-License-Identifier: Apache-2.0
// Account: what was moved through each resource, and how long this takes without overlap (M). M is measured
// during the run: a few runs of everything that moves are made without overlap. Waiting times (W) are on the
// timeline.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sc {

/// The resource through which bytes are moved.
enum class Resource : std::uint8_t {
  messages,    ///< between ranks: halos, entries, transposes, user arrays; also through shared memory
  files,       ///< between scratch files and memory
  link,        ///< between the host's memory and a device
  reductions,  ///< values that all ranks combine
  count_
};
constexpr int resource_count = static_cast<int>(Resource::count_);
constexpr std::string_view resource_name(Resource resource) {
  constexpr std::array<std::string_view, resource_count> names{"messages", "files", "link", "reductions"};
  return names[static_cast<std::size_t>(resource)];
}

/// Which runs are made without overlap, as samples. The first two runs never are, because they determine what
/// is sent. Then the next `first` runs are samples, and later one in `every`. None if first = every = 0.
struct Sampling {
  int first = 1;
  int every = 50;
};

/// Sums on one rank, in seconds and bytes.
struct Account {
  std::int64_t pieces = 0;    ///< messages, file requests, copies, reductions
  std::int64_t bytes = 0;     ///< bytes that left this rank, or were copied between near and far memory
  std::int64_t measured = 0;  ///< runs with known M: measured, or estimated from earlier measurements
  double apart = 0;           ///< M of all runs: posting and waiting without overlap, s
  double hideable = 0;        ///< the same without the samples, to compare with start, poke and wait
  std::int64_t looks = 0;     ///< progress calls during the core
  double core_apart = 0;      ///< computation that movements could overlap, measured without them, s

  Account& operator+=(const Account& other);
  friend Account operator-(Account a, const Account& b);
};

struct Accounts {
  std::array<Account, resource_count> of{};
  Sampling sampling;

  Account& operator[](Resource resource) { return of[static_cast<std::size_t>(resource)]; }
  const Account& operator[](Resource resource) const { return of[static_cast<std::size_t>(resource)]; }
};

/// Suffix of the name under which samples are on the timeline.
constexpr const char* sampled_suffix = " ordered";

/// The runs of one thing that moves (a stage, a transform, a reduction). All ranks count the same runs, so a
/// sample is a sample on all ranks.
class Sampled {
 public:
  /// Seconds that a run spent on movements, and on the computation that could overlap with them.
  struct Seconds {
    double movement = 0;
    double core = 0;
  };
  enum class Kind {
    overlapped,
    sample,  ///< a run without overlap of something that otherwise overlaps
    plain    ///< nothing overlaps in any run
  };

  std::int64_t runs() const { return runs_; }
  /// Whether the next run is a sample.
  bool due(const Sampling& sampling) const;
  /// False while ran() needs the times of overlapped runs as an estimate.
  bool known() const { return measured_ > 0; }
  /// Adds a run to the account. Before the first measurement, the times of the other runs are the estimate.
  void ran(Kind kind, const Seconds& spent, Account& account);

 private:
  std::int64_t runs_ = 0;
  std::int64_t measured_ = 0;
  Seconds sum_;  // of the runs that were measured
  std::int64_t guessed_ = 0;
  Seconds guess_;  // the estimate for runs before the first measurement
};

}  // namespace sc
