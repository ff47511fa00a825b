// SPDX-License-Identifier: Apache-2.0
// Arena: chunks of slots, as shared windows where ranks share a node.
#include "engine/base/arena.hpp"

#include <sys/statvfs.h>

#include <cstdint>
#include <cstring>

#include "engine/base/error.hpp"
#include "engine/base/mpi_check.hpp"

namespace sc {

namespace {

constexpr std::size_t line = 64;
// Fields begin a few cache lines apart modulo the page, or the same cell of every field would fall in one
// cache set.
constexpr std::size_t stagger = 5 * line;
constexpr std::size_t stagger_period = 12;
// A window is dear to make, so that small blocks share one: what of it nobody takes is lost.
constexpr int chunk_slots = 8;
constexpr double most_shared_bytes = 4 << 20;

std::size_t round_up(std::size_t bytes) { return (bytes + line - 1) / line * line; }

std::byte* aligned(std::byte* p) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  return p + (line - address % line) % line;
}

}  // namespace

Arena::Block Arena::allocate(std::size_t slot_bytes, int slots) {
  slot_bytes = round_up(slot_bytes) + stagger * stagger_period;
  Chunk* chunk = chunks_.empty() ? nullptr : chunks_.back().get();
  if (!chunk || chunk->used + slots > chunk->slots) {
    const bool small = chunk && 2 * slots <= chunk_slots &&
                       context_.max(static_cast<double>(slot_bytes)) * chunk_slots <= most_shared_bytes;
    add_chunk(slot_bytes, small ? chunk_slots : slots);
    chunk = chunks_.back().get();
  }
  if (chunk->slot_bytes != slot_bytes)
    throw Error(Exit::failure, "the slots of an arena are all of one size");
  std::size_t before = 0;  // slots taken, of all chunks
  for (const auto& c : chunks_) before += static_cast<std::size_t>(c->used);
  Block block;
  block.chunk = static_cast<int>(chunks_.size()) - 1;
  block.offset = static_cast<std::size_t>(chunk->used) * slot_bytes + stagger * (before % stagger_period);
  block.bytes = static_cast<std::size_t>(slots) * slot_bytes - stagger * stagger_period;
  block.data = chunk->data + block.offset;
  chunk->used += slots;
  return block;
}

std::byte* Arena::remote(int chunk, int node_rank) const {
  const auto& remote = chunks_[static_cast<std::size_t>(chunk)]->remote;
  return remote.empty() ? nullptr : remote[static_cast<std::size_t>(node_rank)];
}

void Arena::add_chunk(std::size_t slot_bytes, int slots) {
  auto chunk = std::make_unique<Chunk>();
  chunk->slot_bytes = slot_bytes;
  chunk->slots = slots;
  const std::size_t bytes = slot_bytes * static_cast<std::size_t>(slots);
  if (!shared() || !map_window(*chunk, bytes + line)) {
    context_.together([&] {
      chunk->own = in_large_pages(bytes, line);
      if (!chunk->own)
        throw Error(Exit::storage, "not enough memory for " + std::to_string(bytes >> 20) +
                                       " MiB of fields on rank " + std::to_string(context_.rank()));
    });
    chunk->data = chunk->own.get();
  }
  std::memset(chunk->data, 0, bytes);
  chunks_.push_back(std::move(chunk));
}

bool Arena::map_window(Chunk& chunk, std::size_t bytes) {
  context_.release_unused();
  MPI_Comm node = context_.node_comm();
  std::uint64_t total = bytes;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_UINT64_T, MPI_SUM, node));
  struct statvfs room {};
  const bool known = statvfs("/dev/shm", &room) == 0;
  const std::uint64_t free_bytes = known ? std::uint64_t{room.f_bavail} * room.f_frsize : total;
  if (context_.any(free_bytes < total)) {
    context_.decline_shared_memory("/dev/shm has " + std::to_string(free_bytes >> 20) +
                                   " MiB free, the fields need " + std::to_string(total >> 20) +
                                   " MiB there");
    return false;
  }
  void* base = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  mpi::check(MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, node, &base, &window));
  mpi::check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window));
  int node_size = 0;
  mpi::check(MPI_Comm_size(node, &node_size));
  // Aligned separately by each rank: its part may start anywhere, so peers are told where.
  chunk.data = aligned(static_cast<std::byte*>(base));
  std::vector<MPI_Aint> lead(static_cast<std::size_t>(node_size));
  const MPI_Aint own_lead = chunk.data - static_cast<std::byte*>(base);
  mpi::check(MPI_Allgather(&own_lead, 1, MPI_AINT, lead.data(), 1, MPI_AINT, node));
  for (int r = 0; r < node_size; ++r) {
    MPI_Aint size = 0;
    int unit = 0;
    void* peer = nullptr;
    mpi::check(MPI_Win_shared_query(window, r, &size, &unit, &peer));
    chunk.remote.push_back(static_cast<std::byte*>(peer) + lead[static_cast<std::size_t>(r)]);
  }
  chunk.window_user = std::make_shared<char>();
  context_.on_close(
      [window]() mutable {
        mpi::check(MPI_Win_unlock_all(window));
        mpi::check(MPI_Win_free(&window));
      },
      chunk.window_user);
  return true;
}

}  // namespace sc
