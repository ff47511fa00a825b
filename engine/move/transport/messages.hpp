// SPDX-License-Identifier: Apache-2.0
// Messages: packed into a buffer of this rank's own for MPI, or handed to it as they lie where their rows are
// long. What always travels whole has persistent requests.
#pragma once

#include "engine/move/transport/channel.hpp"

namespace sc {

class Messages : public Channel {
 public:
  /// Collective: all ranks take the same tags.
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
  /// Their buffers lie where `allocate` makes them.
  Messages(Ends& ends, const std::function<std::shared_ptr<std::byte>(std::size_t)>& allocate);
  void start(Endpoint& end);

  int sending_ = 0;  // departures in flight

 private:
  /// What MPI is told of the whole of an end that lies there in long rows; MPI_DATATYPE_NULL otherwise.
  MPI_Datatype type_of(const Endpoint& end) const;

  std::shared_ptr<std::byte> buffers_;
  // With MPI at present, and whose they are.
  std::vector<MPI_Request> requests_;
  std::vector<Endpoint*> of_;
  // Scratch of MPI_Testsome.
  std::vector<int> completed_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace sc
