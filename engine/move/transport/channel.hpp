// SPDX-License-Identifier: Apache-2.0
// Channel: a transport for pieces. An Exchange uses transports only through this interface, with one virtual
// call for each piece.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "engine/base/context.hpp"
#include "engine/move/parcels/route.hpp"
#include "engine/move/transport/transport.hpp"

namespace sc {

/// One end of a parcel: what stays the same for every trip, and the state of the current one. A trip is one
/// transfer of the parcel, from isend() to received().
struct Endpoint {
  bool leaving;
  Parcel parcel;
  Transport transport = Transport::mpi;
  class Channel* channel = nullptr;
  int partner = -1;       // for a parcel to this rank itself: the number of its other end
  std::size_t bytes = 0;  // of the whole parcel, as the transport moves it
  // Copied in one loop with the next parcel, whose cells are on the same cache lines or near.
  bool with_next = false;
  std::vector<BoxCopy> copies{};  // packing, unpacking, or directly to the destination

  // Used by the channel.
  std::byte* buffer = nullptr;        // packed, in the message or in shared memory
  std::uint64_t* ready = nullptr;     // number of the last trip with valid cells; its bytes beside it
  std::uint64_t* consumed = nullptr;  // the last trip that has been read
  int tag = 0;
  MPI_Request request =
      MPI_REQUEST_NULL;    // persistent request of the whole parcel; none for parcels that are sent in part
  bool in_flight = false;  // passed to MPI, or to the device that packs it

  std::uint64_t trip = 0;  // number of the current one, counted from 1 at both ends
  bool under_way = false;  // from isend() until sent(), from irecv() until received()
  bool listed = false;     // among the arrivals that the Exchange checks
  bool refused = false;    // the number of bytes differs from the expected one
  bool partial = false;    // only `part` of it is sent
  std::vector<BoxCopy> part{};
  std::size_t travelling = 0;  // bytes
  std::size_t received_bytes = 0;
  /// Whether a receiver that copies reads from a buffer.
  bool buffered() const {
    return transport == Transport::staged || (transport == Transport::self && !parcel.in_place);
  }
};

/// The data from which channels are constructed.
struct Ends {
  Context& context;
  std::vector<Route> routes;
  std::vector<Endpoint> departures{}, arrivals{};

  const Route& route(const Part& part) const { return routes[static_cast<std::size_t>(part.item)]; }
};

class Channel {
 public:
  explicit Channel(Ends& ends) : ends_(ends) {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;

  /// Prepares what depends on the address of an end's cells: at first, and when it changes.
  virtual void bind(Endpoint& end) = 0;
  /// Called before the pieces of a round.
  virtual void begin() {}
  /// Whether a departure can be packed and sent: its buffer is free.
  virtual bool free(const Endpoint& /*departure*/) const { return true; }
  /// Sends a packed departure.
  virtual void send(Endpoint& departure) = 0;
  /// Whether the source may be overwritten.
  virtual bool sent(const Endpoint& departure) const = 0;
  virtual void post_receive(Endpoint& /*arrival*/) {}
  /// Whether an arrival can be taken, and its bytes; for channels without notification by poll().
  virtual bool there(Endpoint& /*arrival*/) const { return false; }
  virtual void taken(Endpoint& /*arrival*/) {}
  /// Makes progress; adds arrivals that can be taken.
  virtual void poll(std::vector<Endpoint*>& /*there*/) {}
  /// Whether every message that was passed to send() proceeds without further calls of this rank.
  virtual bool pushed() const { return true; }
  /// Frees MPI objects; nothing is in progress.
  virtual void release() {}
  /// Does not free what MPI may still write to.
  virtual void abandon() {}

 protected:
  Ends& ends_;
};

}  // namespace sc
