// SPDX-License-Identifier: Apache-2.0
// Account: what moved by each resource, and how long that takes where nothing overlaps it (M), measured in
// place: now and then a run of whatever moves gives up its overlap. What it waited (W) stands on the
// timeline.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sc {

/// What bytes travel by.
enum class Resource : std::uint8_t {
  messages,    ///< between ranks: halos, entries, transposes, users' arrays; through shared memory too
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

/// Which runs of something go without overlap: after two that settle what travels, `first` in a row, then one
/// in `every`. No runs with first = every = 0.
struct Sampling {
  int first = 1;
  int every = 50;
};

/// Sums on one rank, in seconds and bytes.
struct Account {
  std::int64_t pieces = 0;    ///< messages, requests to files, copies, reductions
  std::int64_t bytes = 0;     ///< that left this rank, or were copied between near and far memory
  std::int64_t measured = 0;  ///< runs of which M is known: measured, or by what was measured before
  double apart = 0;           ///< M of all runs: posting and waiting where nothing overlaps
  double hideable = 0;        ///< the same without the samples: what start, poke and wait compare with
  std::int64_t looks = 0;     ///< progress calls under the core
  double core_apart = 0;      ///< computing what movements could overlap, undisturbed by them

  Account& operator+=(const Account& other);
  friend Account operator-(Account a, const Account& b);
};

struct Accounts {
  std::array<Account, resource_count> of{};
  Sampling sampling;

  Account& operator[](Resource resource) { return of[static_cast<std::size_t>(resource)]; }
  const Account& operator[](Resource resource) const { return of[static_cast<std::size_t>(resource)]; }
};

/// Follows the name under which a sample stands on the timeline.
constexpr const char* sampled_suffix = " ordered";

/// The runs of one thing that moves (a stage, a transform, a reduction). All ranks count the same runs, so
/// that a sample is one everywhere.
class Sampled {
 public:
  /// What a run spent on movements, and on the computation they could have overlapped.
  struct Seconds {
    double movement = 0;
    double core = 0;
  };
  enum class Kind {
    overlapped,
    sample,  ///< of something that overlaps otherwise
    plain    ///< nothing overlaps in any run
  };

  std::int64_t runs() const { return runs_; }
  /// Whether the run that begins is a sample.
  bool due(const Sampling& sampling) const;
  /// Whether ran() wants to know what an overlapped run spent.
  bool known() const { return measured_ > 0; }
  /// Takes a run to the account. Until one has been measured, what the others spent stands for them.
  void ran(Kind kind, const Seconds& spent, Account& account);

 private:
  std::int64_t runs_ = 0;
  std::int64_t measured_ = 0;
  Seconds sum_;  // of the runs that were measured
  std::int64_t guessed_ = 0;
  Seconds guess_;  // what stands for runs before the first that was measured
};

}  // namespace sc
