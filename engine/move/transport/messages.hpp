// SPDX-License-Identifier: Apache-2.0
// Messages: packed into a buffer of this rank for MPI, or sent with an MPI datatype if their rows are long.
// Parcels that are always sent as wholes have persistent requests.
#pragma once

#include "engine/move/transport/channel.hpp"

namespace sc {

class Messages : public Channel {
 public:
  /// Collective: all ranks use the same tags.
  explicit Messages(Ends& ends);

  void bind(Endpoint& end) override;
  void send(Endpoint& departure) override { start(departure); }
  bool sent(const Endpoint& departure) const override { return !departure.in_flight; }
  void post_receive(Endpoint& arrival) override { start(arrival); }
  void poll(std::vector<Endpoint*>& there) override;
  bool pushed() const override { return sending_ == 0; }
  void release() override;
  void abandon() override { new std::shared_ptr<std::byte>(buffers_); }

 protected:
  /// `allocate` provides the buffers; `packs`: all messages are packed, because MPI cannot access the cells.
  Messages(Ends& ends, const std::function<std::shared_ptr<std::byte>(std::size_t)>& allocate, bool packs);
  void start(Endpoint& end);

  int sending_ = 0;  // departures in flight

 private:
  /// The MPI datatype of an end with long rows; otherwise MPI_DATATYPE_NULL.
  MPI_Datatype type_of(const Endpoint& end) const;

  bool packs_;
  std::shared_ptr<std::byte> buffers_;
  // Requests in progress, and their endpoints.
  std::vector<MPI_Request> requests_;
  std::vector<Endpoint*> of_;
  // Arrays for MPI_Testsome.
  std::vector<int> completed_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace sc
