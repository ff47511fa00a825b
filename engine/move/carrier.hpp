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

#include "engine/base/arena.hpp"
#include "engine/field/storage.hpp"
#include "engine/move/box_copy.hpp"
#include "engine/move/region.hpp"
#include "engine/move/transport.hpp"

namespace sc {

/// Cells in memory that all ranks of the node see: a chunk of an arena that they have made together.
struct SharedPlace {
  const Arena* arena = nullptr;
  int chunk = 0;
  std::byte* base = nullptr;  ///< as CellMemory's
};

/// Where the cells of one item come from on this rank and where they go; the same for a halo.
struct Route {
  Route(Storage& storage_from, Storage& storage_to);
  /// Cells of the caller, who keeps them alive and knows when they may be written.
  Route(const CellMemory& cells, int number, std::size_t bytes)
      : from_cells(cells), to_cells(cells), components(number), cell_bytes(bytes) {}

  Storage* from = nullptr;
  Storage* to = nullptr;
  CellMemory from_cells, to_cells;
  int components;
  std::size_t cell_bytes;  ///< of one component
  /// Without an arena where peers cannot see the cells. Between the two rebind() may change, on all ranks.
  std::array<SharedPlace, 2> places{};
};

/// How parcels travel: all of them in rounds, or each at its own pace, as often as both ends call for it.
enum class Pace { rounds, singly };

struct CarrierOptions {
  Pace pace = Pace::rounds;
  /// Pace::singly: a phase whose parcels may be read out of the owner's cells until they have left(), because
  /// both ends offer and expect them together. The others wait for no receiver once they are packed.
  int read_in_place = -1;
};

class Carrier {
 public:
  /// Collective over the context. Both ends of a pair bring the same parcels for each other in the same
  /// order; `owner` is registered as reader of the storages.
  Carrier(Context& context, Pending& owner, std::vector<Route> routes, std::vector<Parcel> departures,
          std::vector<Parcel> arrivals, CarrierOptions options = {});
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
  /// As test(), but of what comes from other ranks: pieces to this rank itself may be started later.
  bool test_others();
  void wait_others();
  /// Whether pieces to this rank itself are there as soon as they are started.
  bool copies_at_once() const;
  bool to_self(int piece) const;
  /// As test(), but of what lies in peers' memory takes these arrivals only: those that are computed with
  /// next, while they are warm in this rank's cache.
  void take(std::span<const int> arrivals);
  void wait();
  /// Until one arrival is there; pieces not started yet are started first.
  void wait(int piece);
  void finish();

  /// Pace::singly, by number of departure or arrival. A parcel is on its way from offer() until left(), and
  /// expected from expect() until it has come(); neither blocks. `parts` replaces the parcel's own, on both
  /// ends alike, with some of their cells. A parcel may be offered again before the one before has been
  /// absorbed: it is packed as soon as its buffer is free.
  const std::vector<Parcel>& departures() const { return parcels_out_; }
  const std::vector<Parcel>& arrivals() const { return parcels_in_; }
  void offer(int departure, const std::vector<Part>* parts = nullptr);
  bool left(int departure);
  /// Several at once, whole: what lies on the same cache lines is copied together.
  void offer(const std::vector<int>& departures);
  bool come(const std::vector<int>& arrivals);
  void expect(int arrival, const std::vector<Part>* parts = nullptr);
  /// Throws Error (bad_input) when the other end has sent another number of bytes than is expected.
  bool come(int arrival);
  /// The items' cells lie elsewhere from now on, in the same shape; nothing may be under way.
  void rebind(const std::vector<CellMemory>& cells);
  /// Ends what is under way without its peers, for a caller who gives up; the memory that MPI may still write
  /// to is left alone.
  void abandon();

  std::string describe() const;
  Traffic traffic(Transport transport) const { return traffic_[static_cast<std::size_t>(transport)]; }

 private:
  using Clock = std::chrono::steady_clock;
  /// The flags of one shared parcel, in the owner's memory, each on a cache line of its own: the last round
  /// whose cells are there to be read, and the last round that has been read.
  struct Flags {
    std::uint64_t* ready = nullptr;  // and beside it the bytes of a parcel that travels singly
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
    int request = -1;             // mpi: index into the requests
    int partner = -1;             // self: the arrival that a departure is
    bool pairs = false;           // the next one's cells lie on the same cache lines, or close by
    Flags flags{};                // shared, staged
    bool done = false;            // departure: started; arrival: there
    std::byte* buffer = nullptr;  // packed, in the message or in shared memory
    int tag = 0;
  };
  /// A parcel that travels singly.
  struct Single {
    std::uint64_t round = 0;
    bool active = false;  // between offer and left, expect and come
    bool packed = false;  // departure
    bool partial = false;
    std::size_t bytes = 0;        // of the parcel or of the part of it under way
    std::vector<BoxCopy> copies;  // of a part; those of the whole are the job's
    std::vector<BoxCopy> direct;  // self: straight to where they go
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Held {
    int job;
    Clock::time_point due;
  };

  // carrier_plan.cpp: construction
  struct Message;
  Transport choose(const Parcel& parcel) const;
  /// Whether parcels of a job are taken out of the owner's cells, Pace::singly.
  bool in_place(const Job& job) const {
    return pace_ == Pace::singly && job.phase == read_in_place_ &&
           (job.transport == Transport::shared || job.transport == Transport::self);
  }
  bool on_node(int peer) const { return context_.shared_memory() && context_.node_rank_of(peer) >= 0; }
  CellMemory remote_memory(int item, int peer) const;
  void learn_places();
  bool packs(const Job& job) const;
  // carrier_device.cpp
  void find_device();
  std::byte* device_buffers(std::size_t bytes);
  void begin_on_device();
  void start_packed();
  BoxCopy packing(const Part& part, std::byte* packed, bool leaving) const;
  void add_departures(const std::vector<Parcel>& parcels);
  void add_arrivals(const std::vector<Parcel>& parcels);
  void add_buffers();
  void lay_out_copies();
  void find_pairs();
  void add_staging();
  BoxCopy straight(const CellMemory& owned, const Part& part) const;
  std::size_t bytes_of(const Parcel& parcel, Transport transport) const;
  void add_direct(Job& job, const Parcel& parcel);
  int layers_of(const Part& part) const;
  std::size_t bytes_of(const Part& part) const;
  void add_copies(Job& job, const Parcel& parcel, bool leaving);
  void add_messages();
  void add_flags();
  void prepare_singles();
  void release();

  // carrier.cpp: rounds
  void begin_round();
  void dispatch(int job);
  /// Bytes that go out, on this movement's account and the context's.
  void count(Transport transport, std::size_t bytes);
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
  bool sends_done();
  bool consumed(Transport transport) const;
  template <class Done>
  void wait_for_peers(Done done);
  // carrier_single.cpp
  void arm(Single& single, const Job& job, const std::vector<Part>* parts, bool leaving);
  bool buffer_free(std::size_t departure) const;
  void push(std::size_t departure);
  void send_packed(std::size_t departure);
  bool whole_is_ready(std::size_t arrival) const;
  std::vector<BoxCopy> copies_of(const std::vector<Part>& parts, std::byte* packed, bool leaving,
                                 std::size_t& bytes) const;
  void run_single(const Single& single, const Job& job) const;
  void run_copies(const Job& job) const;
  void run_pair(const Job& job, const Job& next) const;
  void watch();
  void unwatch();

  Context& context_;
  Pending& owner_;
  std::vector<Route> routes_;
  std::vector<Parcel> parcels_out_, parcels_in_;
  Pace pace_;
  int read_in_place_;
  std::vector<Job> departures_, arrivals_;
  std::vector<Single> singles_out_, singles_in_;
  std::vector<Flags> own_flags_at_;
  std::vector<std::uint64_t> own_flags_;  // of parcels to this rank itself, Pace::singly
  std::vector<BoxCopy> copies_;
  /// Where an item's cells lie from the start of their owner's part of the chunk, and their distances.
  struct Offsets {
    std::array<std::int64_t, 2> places;
    std::int64_t y, z, component;
  };
  std::vector<Offsets> peer_cells_;  // [node rank][item]; empty where peers do not see them
  std::vector<std::size_t> now_;     // [item]: which of its places

  std::vector<std::byte> packed_;
  std::shared_ptr<Device> device_;  // where all cells lie, if on one
  Device::Memory device_packed_;    // in its memory or pinned
  struct Packing {
    int request;
    Device::Mark packed;
  };
  std::vector<Packing> packing_;  // not sent yet
  Device::Mark unpacked_;         // the last arrival, whose buffer is free from then on
  std::unique_ptr<Arena> staging_;
  Arena::Block staging_block_;
  std::vector<std::int64_t> staging_begin_;  // [node rank] where the buffers for this rank begin
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
  bool has_shared_ = false;  // any departure that peers read in place
  bool has_staged_ = false;
  bool buffers_used_ = false;  // peers may still read the staged parcels of the last round
  bool sends_active_ = false;
  bool delayed_ = false;
  std::shared_ptr<Carrier*> alive_;  // what close() finds us by
  std::array<Traffic, transport_count> traffic_{};
};

}  // namespace sc
