// SPDX-License-Identifier: Apache-2.0
// Carrier: takes parcels from rank to rank, each as a piece that travels by itself, by the transport that
// each pair of ranks can use. Its calls are those of MPI, and none of them blocks; docs/decisions/0099 says
// why no order of them can stand still.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/move/transport/channel.hpp"
#include "engine/move/transport/delay.hpp"

namespace sc {

class Carrier final : public Driven {
 public:
  /// Collective over the context. `owner` is finished when the context closes.
  Carrier(Context& context, Pending& owner, Parcels parcels);
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  ~Carrier() override;

  const std::vector<Endpoint>& departures() const { return ends_.departures; }
  const std::vector<Endpoint>& arrivals() const { return ends_.arrivals; }
  const std::vector<Route>& routes() const { return ends_.routes; }

  /// A parcel is under way from isend() until sent(): what it was read from may be overwritten. It may be
  /// sent again before the receiver has taken the one before. `parts` replaces the parcel's own, on both ends
  /// alike, with some of their cells.
  void isend(int departure, const std::vector<Part>* parts = nullptr);
  /// Several at once, whole: what lies on the same cache lines is copied together.
  void isend(std::span<const int> departures);
  bool sent(int departure);
  /// From irecv() until received() cells may be written where they go.
  void irecv(int arrival, const std::vector<Part>* parts = nullptr);
  /// Throws Error (bad_input) when the other end has sent another number of bytes than is expected.
  bool received(int arrival);

  /// Before the first piece of a round.
  void begin_round();
  /// Packs, sends and takes all that can be.
  void progress() override;
  /// The same, but of what lies in peers' memory takes these arrivals only: those that are computed with
  /// next, while they are warm in this rank's cache.
  void progress(std::span<const int> arrivals);
  bool all_received() const { return missing_[0] + missing_[1] + missing_[2] == 0; }
  /// Whether all sent so far is out of this rank's hands; peers may still read its cells.
  bool pushed() const;
  bool all_sent();
  bool delays() const { return delay_.has_value(); }
  bool on_device() const { return device_ != nullptr; }

  /// The items' cells lie elsewhere from now on, in the same shape; nothing may be under way.
  void rebind(const std::vector<CellMemory>& cells);
  /// Not yet released by the context's end, nor abandoned.
  bool alive() const { return alive_ != nullptr; }
  /// Ends what is under way without its peers, for a caller who gives up; the memory that MPI may still write
  /// to is left alone.
  void abandon();

  /// Bytes of all departures to other ranks.
  std::int64_t bytes() const;
  std::string describe() const;
  Traffic traffic(Transport transport) const { return traffic_[static_cast<std::size_t>(transport)]; }

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

  Ends ends_;
  std::shared_ptr<Device> device_;  // where all cells lie, if on one
  std::array<std::unique_ptr<Channel>, 3> channels_;
  std::vector<std::array<std::uint64_t, 3>> own_flags_;
  std::optional<Delay> delay_;

  std::vector<int> waiting_;         // departures that cannot be packed or may not leave yet
  std::vector<int> listed_;          // arrivals to be looked at
  std::vector<Endpoint*> there_;     // scratch
  std::array<int, 3> missing_{};     // arrivals, by phase
  std::shared_ptr<Carrier*> alive_;  // what close() finds us by
  std::array<Traffic, transport_count> traffic_{};
};

}  // namespace sc
