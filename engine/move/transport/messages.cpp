// SPDX-License-Identifier: Apache-2.0
// Messages: requests and their progress.
#include "engine/move/transport/messages.hpp"

#include <algorithm>

#include "engine/base/mpi_check.hpp"
#include "engine/move/message_type.hpp"

namespace sc {

namespace {

constexpr std::size_t line = 64;

std::shared_ptr<std::byte> host_memory(std::size_t bytes) {
  return {new std::byte[bytes](), [](const std::byte* memory) { delete[] memory; }};
}

}  // namespace

Messages::Messages(Ends& ends) : Messages(ends, host_memory) {}

Messages::Messages(Ends& ends, const std::function<std::shared_ptr<std::byte>(std::size_t)>& allocate)
    : Channel(ends) {
  std::size_t bytes = 0, count = 0;
  int orders = 0;
  for (auto* list : {&ends.departures, &ends.arrivals})
    for (Endpoint& end : *list) {
      orders = std::max(orders, end.parcel.order + 1);
      if (!by_message(end.transport)) continue;
      ++count;
      bytes += (end.bytes + line - 1) / line * line;
    }
  const int tag = ends.context.next_tags(ends.context.largest(orders));
  buffers_ = allocate(bytes);
  std::byte* next = buffers_.get();
  for (auto* list : {&ends.departures, &ends.arrivals})
    for (Endpoint& end : *list) {
      if (!by_message(end.transport)) continue;
      end.tag = tag + end.parcel.order;
      end.buffer = next;
      next += (end.bytes + line - 1) / line * line;
    }
  requests_.reserve(count);
  of_.reserve(count);
  completed_.resize(count);
  statuses_.resize(count);
}

MPI_Datatype Messages::type_of(const Endpoint& end) const {
  if (end.transport != Transport::mpi) return MPI_DATATYPE_NULL;
  std::vector<CellBlock> blocks;
  for (const Part& part : end.parcel.parts) {
    // Some cells of a row only; what gathered entries become is a whole row again.
    if ((end.leaving && part.entries) || part.lattice.colours > 1) return MPI_DATATYPE_NULL;
    const Route& route = ends_.route(part);
    blocks.push_back({route.cells(part, end.leaving), end.leaving ? part.source : part.sink,
                      route.layers_of(part), route.cell_bytes});
  }
  return long_rows(blocks) ? message_type(blocks) : MPI_DATATYPE_NULL;
}

void Messages::bind(Endpoint& end) {
  end.copies.clear();
  if (end.request != MPI_REQUEST_NULL) mpi::check(MPI_Request_free(&end.request));
  MPI_Datatype type = end.parcel.group == 0 ? type_of(end) : MPI_DATATYPE_NULL;
  const bool packed = type == MPI_DATATYPE_NULL;
  if (packed) end.copies = packing(ends_.routes, end.parcel.parts, end.buffer, end.leaving);
  if (end.parcel.group != 0) return;
  void* base = packed ? end.buffer : MPI_BOTTOM;
  const int count = packed ? static_cast<int>(end.bytes) : 1, peer = end.parcel.peer;
  const MPI_Comm comm = ends_.context.comm();
  if (packed) type = MPI_BYTE;
  mpi::check(end.leaving ? MPI_Send_init(base, count, type, peer, end.tag, comm, &end.request)
                         : MPI_Recv_init(base, count, type, peer, end.tag, comm, &end.request));
  if (!packed) mpi::check(MPI_Type_free(&type));
}

void Messages::start(Endpoint& end) {
  MPI_Request request = end.request;
  const MPI_Comm comm = ends_.context.comm();
  const int peer = end.parcel.peer;
  if (request != MPI_REQUEST_NULL)
    mpi::check(MPI_Start(&request));
  else if (end.leaving)
    mpi::check(MPI_Isend(end.buffer, static_cast<int>(end.travelling), MPI_BYTE, peer, end.tag, comm, &request));
  else  // the whole buffer, so that a longer message than expected is seen for what it is
    mpi::check(MPI_Irecv(end.buffer, static_cast<int>(end.bytes), MPI_BYTE, peer, end.tag, comm, &request));
  end.in_flight = true;
  if (end.leaving) ++sending_;
  requests_.push_back(request);
  of_.push_back(&end);
}

void Messages::poll(std::vector<Endpoint*>& there) {
  if (requests_.empty()) return;
  int count = 0;
  mpi::check(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, completed_.data(),
                          statuses_.data()));
  if (count <= 0) return;  // or MPI_UNDEFINED
  for (int n = 0; n < count; ++n) {
    Endpoint*& end = of_[static_cast<std::size_t>(completed_[static_cast<std::size_t>(n)])];
    end->in_flight = false;
    if (end->leaving) {
      --sending_;
    } else {
      int bytes = 0;
      mpi::check(MPI_Get_count(&statuses_[static_cast<std::size_t>(n)], MPI_BYTE, &bytes));
      end->come = static_cast<std::size_t>(bytes);
      there.push_back(end);
    }
    end = nullptr;
  }
  std::size_t left = 0;
  for (std::size_t n = 0; n < of_.size(); ++n)
    if (of_[n]) {
      of_[left] = of_[n];
      requests_[left++] = requests_[n];
    }
  of_.resize(left);
  requests_.resize(left);
}

void Messages::release() {
  for (auto* list : {&ends_.departures, &ends_.arrivals})
    for (Endpoint& end : *list)
      if (end.request != MPI_REQUEST_NULL) mpi::check(MPI_Request_free(&end.request));
}

}  // namespace sc
