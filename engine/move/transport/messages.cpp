// SPDX-License-Identifier: Apache-2.0
// Messages: MPI requests and their progress.
#include "engine/move/transport/messages.hpp"

#include <algorithm>

#include "engine/base/align.hpp"
#include "engine/base/mpi_check.hpp"

namespace sc {

namespace {

constexpr std::size_t long_row = 256;  // bytes; MPI transfers such rows as fast as a contiguous buffer

std::shared_ptr<std::byte> host_memory(std::size_t bytes) {
  return {new std::byte[bytes](), [](const std::byte* memory) { delete[] memory; }};
}

/// A derived type of `count` elements of `inner`, `stride` bytes apart; frees `inner`.
MPI_Datatype repeated(MPI_Datatype inner, int count, std::ptrdiff_t stride) {
  MPI_Datatype outer = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_create_hvector(count, 1, stride, inner, &outer));
  mpi::check(MPI_Type_free(&inner));
  return outer;
}

/// The rows of a box as a derived type, relative to the first cell.
MPI_Datatype rows_of(const CellMemory& cells, Int3 n, int layers, std::size_t cell_bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_contiguous(n.x * static_cast<int>(cell_bytes), MPI_BYTE, &type));
  type = repeated(type, n.y, cells.y);
  type = repeated(type, n.z, cells.z);
  return repeated(type, layers, cells.component);
}

}  // namespace

Messages::Messages(Ends& ends) : Messages(ends, host_memory, false) {}

Messages::Messages(Ends& ends, const std::function<std::shared_ptr<std::byte>(std::size_t)>& allocate,
                   bool packs)
    : Channel(ends), packs_(packs) {
  std::size_t bytes = 0, count = 0;
  int orders = 0;
  for (auto* list : {&ends.departures, &ends.arrivals})
    for (Endpoint& end : *list) {
      orders = std::max(orders, end.parcel.order + 1);
      if (!by_message(end.transport)) continue;
      ++count;
      bytes += round_up(end.bytes, cache_line);
    }
  const int tag = ends.context.next_tags(ends.context.largest(orders));
  buffers_ = allocate(bytes);
  std::byte* next = buffers_.get();
  for (auto* list : {&ends.departures, &ends.arrivals})
    for (Endpoint& end : *list) {
      if (!by_message(end.transport)) continue;
      end.tag = tag + end.parcel.order;
      end.buffer = next;
      next += round_up(end.bytes, cache_line);
    }
  requests_.reserve(count);
  of_.reserve(count);
  completed_.resize(count);
  statuses_.resize(count);
}

MPI_Datatype Messages::type_of(const Endpoint& end) const {
  // Parts of rows are packed: cells of one colour, and gathered entries on the sender. A receiver stores
  // gathered entries contiguously.
  const auto whole_rows = [&](const Part& part) {
    const auto cells = static_cast<std::size_t>((end.leaving ? part.source : part.sink).extent().x);
    return !(end.leaving && part.entries) && part.lattice.colours == 1 &&
           cells * ends_.route(part).cell_bytes >= long_row;
  };
  const std::vector<Part>& parts = end.parcel.parts;
  MPI_Datatype all = MPI_DATATYPE_NULL;
  if (packs_ || !std::ranges::all_of(parts, whole_rows)) return all;
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Aint> begins;
  for (const Part& part : parts) {
    const Route& route = ends_.route(part);
    const CellMemory cells = route.cells(part, end.leaving);
    const Box& box = end.leaving ? part.source : part.sink;
    mpi::check(MPI_Get_address(cells.at(box.lo, route.cell_bytes), &begins.emplace_back()));
    types.push_back(rows_of(cells, box.extent(), route.layers_of(part), route.cell_bytes));
  }
  const std::vector<int> ones(types.size(), 1);
  mpi::check(
      MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), begins.data(), types.data(), &all));
  mpi::check(MPI_Type_commit(&all));
  for (MPI_Datatype& type : types) mpi::check(MPI_Type_free(&type));
  return all;
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
    mpi::check(
        MPI_Isend(end.buffer, static_cast<int>(end.travelling), MPI_BYTE, peer, end.tag, comm, &request));
  else  // the whole buffer, so that a longer message is detected
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
  if (count <= 0) return;  // may be MPI_UNDEFINED
  for (int n = 0; n < count; ++n) {
    Endpoint*& end = of_[static_cast<std::size_t>(completed_[static_cast<std::size_t>(n)])];
    end->in_flight = false;
    if (end->leaving) {
      --sending_;
    } else {
      int bytes = 0;
      mpi::check(MPI_Get_count(&statuses_[static_cast<std::size_t>(n)], MPI_BYTE, &bytes));
      end->received_bytes = static_cast<std::size_t>(bytes);
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
