// SPDX-License-Identifier: Apache-2.0
// Channel: what a transport does for the pieces that go by it. An Exchange knows transports by this alone;
// one virtual call a piece, none a cell.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "engine/base/context.hpp"
#include "engine/move/parcels/route.hpp"
#include "engine/move/transport/transport.hpp"

namespace sc {

/// One end of a parcel: what stays from trip to trip, and how far the trip under way has come.
struct Endpoint {
  bool leaving;
  Parcel parcel;
  Transport transport = Transport::mpi;
  class Channel* channel = nullptr;
  int partner = -1;               // of a parcel to this rank itself: the number of its other end
  std::size_t bytes = 0;          // of the whole, as the transport moves them
  bool pairs = false;             // the next one's cells lie on the same cache lines, or close by
  std::vector<BoxCopy> copies{};  // packing, unpacking, or straight to where the cells go

  // Of the channel.
  std::byte* buffer = nullptr;        // packed, in the message or in shared memory
  std::uint64_t* ready = nullptr;     // the last trip whose cells are there to be read; its bytes beside it
  std::uint64_t* consumed = nullptr;  // the last trip that has been read
  int tag = 0;
  MPI_Request request = MPI_REQUEST_NULL;  // of the whole, kept; none of parcels that travel in part
  bool in_flight = false;                  // given to MPI, or to the device that packs it

  std::uint64_t trip = 0;  // counted alike at both ends
  bool under_way = false;  // from isend() until sent(), from irecv() until received()
  bool listed = false;     // among the arrivals that the Exchange looks at
  bool refused = false;    // other bytes have come than were expected
  bool partial = false;    // `part` of it travels
  std::vector<BoxCopy> part{};
  std::size_t travelling = 0;  // bytes
  std::size_t received_bytes = 0;
  /// Whether a receiver that copies does so out of a buffer.
  bool buffered() const {
    return transport == Transport::staged || (transport == Transport::self && !parcel.in_place);
  }
};

/// What channels are made for.
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

  /// Lays out what depends on the address of an end's cells: at first, and when it changes.
  virtual void bind(Endpoint& end) = 0;
  /// Before the pieces of a round.
  virtual void begin() {}
  /// Whether a departure can be packed and sent: its buffer is free.
  virtual bool free(const Endpoint& /*departure*/) const { return true; }
  /// It has been packed.
  virtual void send(Endpoint& departure) = 0;
  /// Whether what it was read from may be overwritten.
  virtual bool sent(const Endpoint& departure) const = 0;
  virtual void post_receive(Endpoint& /*arrival*/) {}
  /// Whether an arrival is there to be taken, and its bytes; of channels that poll() does not tell of.
  virtual bool there(Endpoint& /*arrival*/) const { return false; }
  virtual void taken(Endpoint& /*arrival*/) {}
  /// Makes progress; adds arrivals that are there to be taken.
  virtual void poll(std::vector<Endpoint*>& /*there*/) {}
  /// Whether nothing sent needs this rank any more.
  virtual bool pushed() const { return true; }
  /// Ends what MPI knows of; nothing is under way.
  virtual void release() {}
  /// Leaves alone what MPI may still write to.
  virtual void abandon() {}

 protected:
  Ends& ends_;
};

}  // namespace sc
