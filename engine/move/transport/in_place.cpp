// SPDX-License-Identifier: Apache-2.0
// InPlace: addresses of peers' cells.
#include "engine/move/transport/in_place.hpp"

#include "engine/base/mpi_check.hpp"

namespace sc {

namespace {

/// Bytes that a direct copy moves: with colours, whole rows that contain a cell of the colour.
std::size_t moved(const Route& route, const Part& part) {
  if (part.lattice.colours == 1) return route.bytes_of(part);
  const Int3 n = part.source.extent();
  std::int64_t cells = 0;
  for (int z = 0; z < n.z; ++z)
    for (int y = 0; y < n.y; ++y)
      if (Lattice::cells(part.lattice.run(part.global.x, part.global.y + y, part.global.z + z), n.x) > 0)
        cells += n.x;
  return static_cast<std::size_t>(cells * route.layers_of(part)) * route.cell_bytes;
}

}  // namespace

InPlace::InPlace(Ends& ends) : Flagged(ends) {
  const Context& context = ends.context;
  int node_rank = 0, node_size = 0;
  mpi::check(MPI_Comm_rank(context.node_comm(), &node_rank));
  mpi::check(MPI_Comm_size(context.node_comm(), &node_size));
  std::vector<Offsets> own;
  for (const Route& route : ends.routes) {
    Offsets& offsets =
        own.emplace_back(Offsets{{}, route.from_cells.y, route.from_cells.z, route.from_cells.component});
    for (std::size_t k = 0; k < route.places.size(); ++k) {
      const SharedPlace& place = route.places[k];
      if (k > 0 && !place.arena) continue;
      const std::byte* part = place.arena ? place.arena->remote(place.chunk, node_rank) : nullptr;
      if (!part) return;
      offsets.places[k] = place.base - part;
    }
  }
  peer_cells_.resize(own.size() * static_cast<std::size_t>(node_size));
  const int bytes = static_cast<int>(own.size() * sizeof(Offsets));
  mpi::check(
      MPI_Allgather(own.data(), bytes, MPI_BYTE, peer_cells_.data(), bytes, MPI_BYTE, context.node_comm()));
}

/// Address of the cells of a part's item on their owner, a peer or this rank, in this rank's address space.
CellMemory InPlace::owned(const Part& part, int peer) const {
  const Route& route = ends_.route(part);
  if (peer == ends_.context.rank()) return route.from_cells;
  const auto node_rank = static_cast<std::size_t>(ends_.context.node_rank_of(peer));
  const Offsets& cells = peer_cells_[node_rank * ends_.routes.size() + static_cast<std::size_t>(part.item)];
  const std::size_t now = route.from_cells.base == route.places[0].base ? 0 : 1;
  const SharedPlace& place = route.places[now];
  return {place.arena->remote(place.chunk, static_cast<int>(node_rank)) + cells.places[now], cells.y, cells.z,
          cells.component};
}

void InPlace::bind(Endpoint& end) {
  end.copies.clear();
  end.bytes = 0;
  for (const Part& part : end.parcel.parts) {
    end.bytes += moved(ends_.route(part), part);
    if (!end.leaving) end.copies.push_back(ends_.route(part).straight(owned(part, end.parcel.peer), part));
  }
}

}  // namespace sc
