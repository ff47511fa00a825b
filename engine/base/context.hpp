// SPDX-License-Identifier: Apache-2.0
// Context: communicator, node, threads and device of this rank, its timeline, and clean-up that must be
// collective. It is passed to everything else in the engine; there are no globals.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/device.hpp"
#include "engine/base/error.hpp"
#include "engine/base/timeline.hpp"

namespace sc {

class Arena;
class Rehearsal;

/// How halos may be sent between ranks of one node. `delayed` is MPI with messages held back: in tests also
/// reordered, or as by a network adapter that sends without the processor (see ContextOptions::rate).
enum class TransportPolicy { automatic, shared, mpi, delayed };

/// measured: only if the first runs of a sweep are faster with it (see RowTrial).
enum class PastCaches { measured, never, always };

/// A rank of a simulated run: messages and memory are planned as for this rank, but nothing is moved (see
/// Rehearsal).
struct Rehearsed {
  int rank = 0;
  int size = 1;
  int ranks_per_node = 1;  ///< ranks of a node have consecutive numbers
};

struct ContextOptions {
  int threads = 1;
  TransportPolicy transport = TransportPolicy::automatic;
  double delay = 0.0;  ///< seconds by which the `delayed` policy holds back a message
  /// Bytes per second that the `delayed` policy sends from a rank, one message after the other; 0: no limit,
  /// and messages are reordered.
  double rate = 0.0;
  /// Seconds that a movement waits for other ranks before it throws Error (failure); 0: no limit.
  double timeout_seconds = 0.0;
  /// Whether sweeps over arrays larger than the caches use non-temporal stores.
  PastCaches past_caches = PastCaches::measured;
  /// The runs that are made without overlap to measure M; the same on all ranks.
  Sampling sampling = {};
  /// The simulated rank, for a communicator of one rank. Throws Error (bad_input) if its number is out of
  /// range, and for other communicators.
  std::optional<Rehearsed> rehearsed = {};
};

/// An operation in progress that other ranks may wait for; waiting ranks call progress().
class Driven {
 public:
  virtual ~Driven() = default;
  /// Does not block.
  virtual void progress() = 0;
};

class Context {
 public:
  /// Collective over `comm`. Initialises MPI (thread level FUNNELED) if necessary; close() then also
  /// finalises it.
  explicit Context(MPI_Comm comm = MPI_COMM_WORLD, ContextOptions options = {});
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  /// Frees no MPI object, because this would be collective: call close() on all ranks before.
  ~Context() = default;

  /// Collective: calls the registered clean-up (latest first), and frees the communicators, and MPI itself if
  /// this Context initialised it.
  void close();
  bool closed() const { return closed_; }

  int rank() const { return rank_; }
  int size() const { return size_; }
  int threads() const { return options_.threads; }
  const ContextOptions& options() const { return options_; }
  MPI_Comm comm() const { return comm_; }
  MPI_Comm node_comm() const { return node_comm_; }
  /// Rank within node_comm() of a rank of comm(), or -1 if it is on another node.
  int node_rank_of(int rank) const { return node_rank_of_[static_cast<std::size_t>(rank)]; }
  /// Whether ranks of a node may share memory.
  bool shared_memory() const { return shared_memory_; }
  /// Whether every rank of this node has a core on which none of its threads computes.
  bool spare_core() const;
  /// Collective: no shared memory is used from now on. Prints the reason on rank 0. Throws Error if the
  /// policy is `shared`.
  void decline_shared_memory(const std::string& reason);

  /// Whether nothing is computed or sent, because this process simulates a rank (see Rehearsed).
  bool rehearses() const { return options_.rehearsed.has_value(); }
  /// The record of a rehearsal; nullptr without one.
  Rehearsal* rehearsal() const { return rehearsal_; }
  void set_rehearsal(Rehearsal* rehearsal) { rehearsal_ = rehearsal; }

  Timeline& timeline() { return timeline_; }
  /// What was moved on this rank so far, by resource.
  Accounts& accounts() { return accounts_; }
  const Accounts& accounts() const { return accounts_; }
  /// The device of Space::device fields; nullptr before open_device() (engine/exec).
  const std::shared_ptr<Device>& device() const { return device_; }
  void set_device(std::shared_ptr<Device> device) { device_ = std::move(device); }
  /// Collective at the first call: whether MPI supports messages in device memory, tested once.
  std::optional<bool>& device_messages() { return device_messages_; }

  /// Collective: the logical OR over all ranks.
  bool any(bool flag) const;
  /// The same with a timeout in seconds (0: none). Returns nothing if another rank has not called it in time;
  /// then the communicator must not be used again.
  std::optional<bool> any_within(bool flag, double seconds) const;
  /// Collective: the maximum over all ranks.
  int largest(int value) const;
  /// Collective: the sum over all ranks modulo 2^64, independent of the order.
  std::uint64_t sum(std::uint64_t value) const;
  /// Collective: the maximum over all ranks.
  double max(double value) const;
  /// Collective: all ranks get the bytes of rank 0.
  void broadcast(std::string& bytes) const;
  /// Collective: rank 0 gets the bytes of every rank, in the order of ranks; the others get nothing.
  std::vector<std::string> gather(const std::string& bytes) const;
  /// Collective: returns if `sentence` is empty on all ranks. Otherwise every rank throws Error with the exit
  /// code and the message of the lowest failing rank.
  void agree(Exit code, const std::string& sentence) const;
  /// Collective: runs `action`, and calls agree() with its Error, so that a failure on one rank is a failure
  /// on all.
  void together(const std::function<void()>& action) const;
  void barrier() const;
  /// Prints the message, if any, and ends all ranks; for failures outside of collective calls.
  [[noreturn]] void abort(const std::string& sentence, Exit code) const;

  /// Registers collective clean-up; close() calls it in reverse order.
  void on_close(std::function<void()> release);
  /// The transport of each movement, one line "rank A - rank B: TRANSPORT, …" for every pair.
  std::string describe() const;
  /// Registers lines of describe().
  void on_describe(std::function<std::string()> lines) { descriptions_.push_back(std::move(lines)); }
  /// Adds an operation to those that drive() calls, until drives_no_more().
  void drives(Driven* driven) { driven_.push_back(driven); }
  void drives_no_more(Driven* driven) { std::erase(driven_, driven); }
  /// Makes progress on all operations in progress on this rank.
  void drive() const {
    for (Driven* driven : driven_) driven->progress();
  }
  /// The time at which a message that is sent now has left this rank (see ContextOptions::rate).
  std::chrono::steady_clock::time_point leaves(std::size_t bytes);
  /// A tag that no other movement of this context uses; the same on all ranks if called in the same order.
  int next_tag() { return next_tags(1); }
  /// The first of `count` such tags.
  int next_tags(int count);

  /// Memory shared by the ranks of a node for flags (see move/transport/flags), in segments of
  /// signal_segment_bytes.
  Arena& signals();
  static constexpr std::size_t signal_segment_bytes = 8192;

 private:
  void find_node();
  void play(const Rehearsed& part);

  ContextOptions options_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm node_comm_ = MPI_COMM_NULL;
  std::vector<int> node_rank_of_;
  int ranks_of_node_ = 1;
  std::shared_ptr<Arena> signals_;
  std::vector<std::function<void()>> releases_;
  std::vector<std::function<std::string()>> descriptions_;
  std::vector<Driven*> driven_;
  Rehearsal* rehearsal_ = nullptr;
  std::shared_ptr<Device> device_;
  std::optional<bool> device_messages_;
  Timeline timeline_;
  Accounts accounts_;
  int rank_ = 0;
  int size_ = 1;
  std::chrono::steady_clock::time_point last_leaves_{};
  int next_tag_ = 16;
  int last_tag_ = 32767;
  bool shared_memory_ = false;
  bool started_mpi_ = false;
  bool closed_ = false;
};

/// Name and version of the MPI library; may be called before MPI is initialised.
std::string mpi_library();

}  // namespace sc
