// SPDX-License-Identifier: Apache-2.0
// Carrier: takes parcels from rank to rank, round after round, by the transport each pair of ranks can use.
// HaloExchange and Redistribute are a plan and a Carrier.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/field/storage.hpp"
#include "engine/move/box_copy.hpp"
#include "engine/move/region.hpp"
#include "engine/move/transport.hpp"

namespace sc {

/// Where the cells of one item come from on this rank and where they go; the same storage for a halo.
struct Route {
  Storage* from;
  Storage* to;
};

class Carrier {
 public:
  /// Collective over the context. Both ends of a pair bring the same parcels for each other in the same
  /// order; `owner` is registered as reader of the storages.
  Carrier(Context& context, Pending& owner, std::vector<Route> routes, const std::vector<Parcel>& departures,
          const std::vector<Parcel>& arrivals);
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  ~Carrier();

  int pieces() const { return static_cast<int>(std::max(departures_.size(), arrivals_.size())); }
  Box source(int piece) const;
  Box sink(int piece) const;
  bool arrived(int piece) const;
  std::int64_t bytes() const;

  /// A round begins with its first start() or wait() and ends with wait() or finish().
  bool under_way() const { return open_; }
  /// Begins a round that nothing has been started in.
  void begin();
  void start(int piece);
  bool test();
  /// As test(), but of what lies in peers' memory takes these arrivals only: those that are computed with
  /// next, while they are warm in this rank's cache.
  void take(std::span<const int> arrivals);
  void wait();
  /// Until one arrival is there; pieces not started yet are started first.
  void wait(int piece);
  void finish();

  std::string describe() const;
  Traffic traffic(Transport transport) const { return traffic_[static_cast<std::size_t>(transport)]; }

 private:
  using Clock = std::chrono::steady_clock;
  /// The flags of one shared parcel, in the owner's memory, each on a cache line of its own: the last round
  /// whose cells are there to be read, and the last round that has been read.
  struct Flags {
    std::uint64_t* ready = nullptr;
    std::uint64_t* consumed = nullptr;
  };
  struct Job {
    Transport transport = Transport::mpi;
    int peer = 0;
    int phase = 0;
    std::size_t bytes = 0;
    Box box{};      // what source() or sink() answers
    int first = 0;  // copies_[first, last): packing, unpacking, or straight to where the cells go
    int last = 0;
    int request = -1;   // mpi: index into the requests
    int partner = -1;   // self: the arrival that a departure is
    Flags flags{};      // shared
    bool done = false;  // departure: started; arrival: there
  };
  struct Held {
    int job;
    Clock::time_point due;
  };

  // carrier_plan.cpp: construction
  Transport choose(int peer) const;
  CellMemory memory(const Storage& storage) const;
  CellMemory remote_memory(int item, int peer) const;
  void learn_blocks();
  void add_departures(const std::vector<Parcel>& parcels);
  void add_arrivals(const std::vector<Parcel>& parcels);
  std::size_t bytes_of(const Parcel& parcel, Transport transport) const;
  void add_direct(Job& job, const Parcel& parcel);
  void add_copies(Job& job, const Parcel& parcel, std::byte* packed, bool leaving);
  void add_messages(const std::vector<Parcel>& departures, const std::vector<Parcel>& arrivals);
  void add_flags(const std::vector<Parcel>& departures, const std::vector<Parcel>& arrivals);
  void release();

  // carrier.cpp: rounds
  void begin_round();
  void dispatch(int job);
  void send(int job);
  void start_rest();
  void release_held();
  void take_shared();
  bool take_shared(Job& job);
  void take_messages();
  void advance_phases();
  void progress();
  void mark_arrived(Job& job);
  bool all_started() const { return started_ == static_cast<int>(departures_.size()); }
  /// Arrivals in, nothing held back, messages out of our hands.
  bool nothing_to_push();
  bool consumed() const;
  void run_copies(const Job& job) const;
  void watch();
  void unwatch();

  Context& context_;
  Pending& owner_;
  std::vector<Route> routes_;
  std::vector<std::size_t> cell_bytes_;
  std::vector<Job> departures_, arrivals_;
  std::vector<BoxCopy> copies_;
  std::vector<std::int64_t> peer_blocks_;  // [node rank][item][chunk, offset]

  std::vector<std::byte> packed_;
  std::vector<MPI_Request> sends_, receives_;
  std::vector<int> received_by_;  // arrival of each receive
  std::vector<int> completed_;    // scratch of MPI_Testsome
  std::vector<int> to_take_;      // shared arrivals not there yet
  std::vector<Held> held_;

  std::array<int, 3> missing_{};  // arrivals not there yet, by phase
  std::uint64_t round_ = 0;
  int phase_ = 0;
  int started_ = 0;
  int sent_ = 0;
  int messages_missing_ = 0;
  bool open_ = false;
  bool being_read_ = false;  // peers may still read what went out in the last round
  bool has_shared_ = false;  // any departure by shared memory
  bool sends_active_ = false;
  bool delayed_ = false;
  std::shared_ptr<Carrier*> alive_;  // what close() finds us by
  std::array<Traffic, transport_count> traffic_{};
};

}  // namespace sc
