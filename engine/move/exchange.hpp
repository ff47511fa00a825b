// SPDX-License-Identifier: Apache-2.0
// Exchange: moves parcels between ranks, each as a piece, by the best transport of each pair of ranks. Halos,
// redistributions, lists of entries and user arrays differ only in their parcels. No call for one piece
// blocks; docs/decisions/0055 explains why no order of them can deadlock. Rounds are a loop over all pieces:
// receives are posted when a round begins, sends are started piece by piece.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/field/storage.hpp"
#include "engine/move/transport/channel.hpp"
#include "engine/move/transport/delay.hpp"
#include "engine/plan/passage.hpp"

namespace sc {

class Exchange : public Pending, public Driven, public std::enable_shared_from_this<Exchange> {
 public:
  /// Collective over the context.
  Exchange(Context& context, Parcels parcels);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  /// Completes a round in progress. Does nothing once the context is closed.
  ~Exchange() override;

  const std::vector<Endpoint>& departures() const { return ends_.departures; }
  const std::vector<Endpoint>& arrivals() const { return ends_.arrivals; }

  // ---- one piece ----------------------------------------------------------------------------------------

  /// A parcel is in progress from isend() until sent(): then its source may be overwritten. It may be sent
  /// again before the receiver has taken the previous one. `parts` replaces the parcel's own parts, on both
  /// ends, with some of their cells.
  void isend(int departure, const std::vector<Part>* parts = nullptr);
  /// Several complete parcels; cells on the same cache lines are copied together.
  void isend(std::span<const int> departures);
  bool sent(int departure);
  /// Destination cells may be written from irecv() until received().
  void irecv(int arrival, const std::vector<Part>* parts = nullptr);
  /// Throws Error (bad_input) if the sender has sent another number of bytes than expected.
  bool received(int arrival);
  /// Packs, sends and receives everything that is ready.
  void progress() override;
  /// Moves the items' cells to other addresses, with the same shape; nothing may be in progress.
  void rebind(const std::vector<CellMemory>& cells);
  /// Ends everything in progress without the peers, after an error; memory that MPI may still write to stays
  /// allocated.
  void abandon();

  // ---- rounds over all pieces ---------------------------------------------------------------------------

  /// The number of pieces; the numbering never changes.
  int pieces() const;
  /// Sends one piece, whose source has been computed; each once in a round. The first start (or wait) after a
  /// wait or finish begins a new round; rounds are collective.
  void start(int piece);
  /// Starts all pieces.
  void start();
  /// Own cells (local coordinates) that a piece sends, and cells in which the piece of the same number
  /// arrives: bounding boxes; empty if a rank has fewer departures than arrivals, or vice versa.
  virtual Box source(int piece) const;
  Box sink(int piece) const;
  /// The message of a departing piece, and of the arriving piece of that number, if any.
  std::optional<Passage> departure(int piece) const;
  std::optional<Passage> arrival(int piece) const;
  /// Whether the receiver is this rank itself.
  bool to_self(int piece) const;
  /// Makes progress without blocking. True if all arrivals of the round are complete and no started piece of
  /// this rank needs further progress calls. True without a round in progress.
  bool test();
  /// As test(), but only for data from other ranks: pieces to this rank itself may be started later.
  bool test_others();
  /// Whether pieces to this rank itself are complete when they are started.
  bool copies_at_once() const;
  /// Whether the arrival of this number is complete in the round in progress (or the last one).
  bool arrived(int piece) const;
  /// Completes the round, as test(); starts pieces that have not been started. Peers on this node may still
  /// read own cells: settle() the storages (or call finish()) before writing them.
  void wait();
  /// Completes the round, and returns when no peer reads own cells any more. Without a round in progress only
  /// the latter.
  void finish() final;

  /// Bytes that this rank sends in one round.
  std::int64_t bytes() const;
  /// One line for each neighbour: the transport, pieces and bytes.
  std::string describe() const;
  /// What was sent by a transport, over all rounds.
  Traffic traffic(Transport transport) const { return traffic_[static_cast<std::size_t>(transport)]; }

 protected:
  void begin();
  /// Called before a round begins.
  virtual void before_round() {}
  bool under_way() const { return open_; }
  /// Makes progress, but copies from peers' memory only these arrivals: those that are used next, while they
  /// are in this rank's cache.
  void progress(std::span<const int> arrivals);

 private:
  void add(std::vector<Endpoint>& list, std::vector<Parcel> parcels, bool leaving, bool seen) const;
  Transport choose(const Parcel& parcel, bool seen) const;
  void find_partners();
  void make_channels(Parcels& parcels);
  void rehearse(Parcels& parcels);
  void bind();
  void release();

  void arm(Endpoint& end, const std::vector<Part>* parts);
  bool may_leave(const Endpoint& departure) const;
  bool depart(int departure);
  bool hand_over(int departure);
  void send(Endpoint& departure);
  void push();
  void take_messages();
  void take_listed();
  bool whole_is_there(Endpoint& arrival) const;
  bool take_if_there(Endpoint& arrival);
  void take(Endpoint& arrival);
  void taken(Endpoint& arrival);
  void run(const Endpoint& end) const;
  bool all_received() const { return missing_[0] + missing_[1] + missing_[2] == 0; }
  /// Whether this rank has nothing more to do for what was sent; peers may still read its cells.
  bool pushed() const;
  bool all_sent();

  void start_rest();
  void end_reading();

  Ends ends_;
  std::shared_ptr<Device> device_;  // of all cells, if they are on one
  std::array<std::unique_ptr<Channel>, 3> channels_;
  std::vector<std::array<std::uint64_t, 3>> own_flags_;
  std::optional<Delay> delay_;

  std::vector<int> waiting_;          // departures that cannot be packed or sent yet
  std::vector<int> listed_;           // arrivals to be checked
  std::vector<Endpoint*> there_;      // scratch
  std::array<int, 3> missing_{};      // arrivals, by phase
  std::shared_ptr<Exchange*> alive_;  // what close() finds us by
  std::array<Traffic, transport_count> traffic_{};

  std::uint64_t rounds_ = 0;
  bool open_ = false;
  bool read_by_peers_ = false;  // any departure, in place
  bool being_read_ = false;     // peers may still read the last round
};

}  // namespace sc
