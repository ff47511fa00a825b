// SPDX-License-Identifier: Apache-2.0
// Context: who this rank is (communicator, node, threads), where its spans are written, and what must be
// freed collectively. Everything else in the engine is given a Context; nothing is global.
#pragma once

#include <mpi.h>

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

/// How halos may travel between ranks of one node. `delayed` is MPI with messages held back and reordered,
/// for tests.
enum class TransportPolicy { automatic, shared, mpi, delayed };

/// measured: where a sweep's own runs are faster so (see RowTrial).
enum class PastCaches { measured, never, always };

/// A rank of a run that is not there: what moves is laid out as for it, and not moved (see Rehearsal).
struct Rehearsed {
  int rank = 0;
  int size = 1;
  int ranks_per_node = 1;  ///< of which those of a node have numbers that follow one another
};

struct ContextOptions {
  int threads = 1;
  TransportPolicy transport = TransportPolicy::automatic;
  double delay = 0.0;  ///< seconds a message is held back by the `delayed` policy
  /// Seconds that a movement waits for other ranks before it throws Error (failure); 0: however long it
  /// takes.
  double timeout_seconds = 0.0;
  /// Between devices: through pinned memory, even where MPI reads a device's own.
  bool pinned_messages = false;
  /// Whether sweeps over arrays that no cache holds write past the caches.
  PastCaches past_caches = PastCaches::measured;
  /// What is given up to measure M in place; the same on all ranks.
  Sampling sampling = {};
  /// Of a communicator of one rank, which plays it. Throws Error (bad_input) for a rank that is not of such a
  /// run, and for other communicators.
  std::optional<Rehearsed> rehearsed = {};
};

/// Something under way that other ranks may wait for: a waiting rank drives it.
class Driven {
 public:
  virtual ~Driven() = default;
  /// Without blocking.
  virtual void progress() = 0;
};

class Context {
 public:
  /// Collective over `comm`. Initialises MPI (thread level FUNNELED) unless it is running, and then also
  /// finalises it in close().
  explicit Context(MPI_Comm comm = MPI_COMM_WORLD, ContextOptions options = {});
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  /// Frees no MPI object: what is collective is freed in close(), which a clean program calls.
  ~Context() = default;

  /// Collective: cleans up what is registered (latest first), frees the communicators, and MPI itself if this
  /// Context started it.
  void close();
  bool closed() const { return closed_; }

  int rank() const { return rank_; }
  int size() const { return size_; }
  int threads() const { return options_.threads; }
  const ContextOptions& options() const { return options_; }
  MPI_Comm comm() const { return comm_; }
  MPI_Comm node_comm() const { return node_comm_; }
  /// Rank within node_comm() of a rank of comm(), or -1 when it is on another node.
  int node_rank_of(int rank) const { return node_rank_of_[static_cast<std::size_t>(rank)]; }
  /// How many share this rank's node, itself among them.
  int ranks_of_node() const { return ranks_of_node_; }
  bool shared_memory() const { return shared_memory_; }
  /// Whether every rank of this node has a core on which none of its threads computes.
  bool spare_core() const;
  /// Collective: from now on memory is not shared. Says so on rank 0; refuses when the `shared` policy was
  /// asked for.
  void decline_shared_memory(const std::string& reason);

  /// Whether nothing is computed or sent: this rank plays one of a run that is not there.
  bool rehearses() const { return options_.rehearsed.has_value(); }
  /// Records a rehearsal; none without one.
  Rehearsal* rehearsal() const { return rehearsal_; }
  void set_rehearsal(Rehearsal* rehearsal) { rehearsal_ = rehearsal; }

  Timeline& timeline() { return timeline_; }
  /// What moved on this rank so far, by resource.
  Accounts& accounts() { return accounts_; }
  const Accounts& accounts() const { return accounts_; }
  /// The device of Space::device fields; none before open_device() (engine/exec).
  const std::shared_ptr<Device>& device() const { return device_; }
  void set_device(std::shared_ptr<Device> device) { device_ = std::move(device); }
  /// Collective at the first call: whether MPI sends and receives in the device's memory, tried once.
  std::optional<bool>& device_messages() { return device_messages_; }

  /// Collective: true where any rank said true.
  bool any(bool flag) const;
  /// The same with a timeout (0: none): nothing when another rank has not called it; the communicator must
  /// not be used again then.
  std::optional<bool> any_within(bool flag, double seconds) const;
  /// Collective: the largest of all ranks' values.
  int largest(int value) const;
  /// Collective: the sum of all ranks' values modulo 2^64, whatever the order.
  std::uint64_t sum(std::uint64_t value) const;
  /// Collective: the largest of all ranks' values.
  double max(double value) const;
  /// Collective: every rank gets rank 0's bytes.
  void broadcast(std::string& bytes) const;
  /// Collective: on rank 0 the bytes of every rank, in the order of ranks; empty elsewhere.
  std::vector<std::string> gather(const std::string& bytes) const;
  /// Collective agreement on failure: returns on all ranks when every `sentence` is empty, otherwise every
  /// rank throws Error with the exit code and the sentence of the lowest failing rank.
  void agree(Exit code, const std::string& sentence) const;
  /// Collective: runs `action`, then agree()s on its Error, so that one rank's failure becomes everybody's.
  void together(const std::function<void()>& action) const;
  void barrier() const;
  /// Prints the sentence, if there is one, and ends all ranks; for failures outside an agreed point.
  [[noreturn]] void abort(const std::string& sentence, Exit code) const;

  /// Registers collective clean-up; run by close() in reverse order.
  void on_close(std::function<void()> release);
  /// Which movement goes by which transport, a line "rank A - rank B: TRANSPORT, …" for every pair.
  std::string describe() const;
  /// Registers lines of describe().
  void on_describe(std::function<std::string()> lines) { descriptions_.push_back(std::move(lines)); }
  /// What drive() drives from now on, until it is said to end.
  void drives(Driven* driven) { driven_.push_back(driven); }
  void drives_no_more(Driven* driven) { std::erase(driven_, driven); }
  /// Makes progress on all that is under way here.
  void drive() const {
    for (Driven* driven : driven_) driven->progress();
  }
  /// A tag that no other movement of this context uses; the same on all ranks when called in the same order.
  int next_tag() { return next_tags(1); }
  /// The first of `count` such tags.
  int next_tags(int count);

  /// Memory that the ranks of a node share for flags (see move/transport/flags): slots of signal_slot_bytes.
  Arena& signals();
  static constexpr std::size_t signal_slot_bytes = 8192;

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
  int next_tag_ = 16;
  int last_tag_ = 32767;
  bool shared_memory_ = false;
  bool started_mpi_ = false;
  bool closed_ = false;
};

/// The MPI library as it names itself, its version included; may be asked before MPI is started.
std::string mpi_library();

}  // namespace sc
