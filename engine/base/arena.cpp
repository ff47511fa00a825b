// SPDX-License-Identifier: Apache-2.0
// Arena: chunks of segments, in shared memory where a node has several ranks.
#include "engine/base/arena.hpp"

#include <algorithm>
#include <cstring>

#include "engine/base/align.hpp"
#include "engine/base/error.hpp"
#include "engine/base/mpi_check.hpp"

namespace sc {

namespace {

// The starts of fields differ by a few cache lines modulo the page size. Otherwise the same cell of all
// fields would map to one cache set.
constexpr std::size_t stagger = 5 * cache_line;
constexpr std::size_t stagger_period = 12;
// Making a chunk is expensive, so small blocks share one; its unused rest is wasted.
constexpr int chunk_segments = 8;
constexpr double most_shared_bytes = 4 << 20;

}  // namespace

Arena::Block Arena::allocate(std::size_t segment_bytes, int segments) {
  segment_bytes = round_up(segment_bytes, cache_line) + stagger * stagger_period;
  Chunk* chunk = chunks_.empty() ? nullptr : chunks_.back().get();
  if (!chunk || chunk->used + segments > chunk->segments) {
    const bool small = chunk && 2 * segments <= chunk_segments &&
                       context_.max(static_cast<double>(segment_bytes)) * chunk_segments <= most_shared_bytes;
    add_chunk(segment_bytes, small ? chunk_segments : segments);
    chunk = chunks_.back().get();
  }
  if (chunk->segment_bytes != segment_bytes)
    throw Error(Exit::failure, "the segments of an arena are all of one size");
  std::size_t before = 0;  // segments in use, over all chunks
  for (const auto& c : chunks_) before += static_cast<std::size_t>(c->used);
  Block block;
  block.chunk = static_cast<int>(chunks_.size()) - 1;
  block.offset = static_cast<std::size_t>(chunk->used) * segment_bytes + stagger * (before % stagger_period);
  block.bytes = static_cast<std::size_t>(segments) * segment_bytes - stagger * stagger_period;
  block.data = chunk->data + block.offset;
  chunk->used += segments;
  return block;
}

std::byte* Arena::remote(int chunk, int node_rank) const {
  const auto& remote = chunks_[static_cast<std::size_t>(chunk)]->remote;
  return remote.empty() ? nullptr : remote[static_cast<std::size_t>(node_rank)];
}

void Arena::add_chunk(std::size_t segment_bytes, int segments) {
  auto chunk = std::make_unique<Chunk>();
  chunk->segment_bytes = segment_bytes;
  chunk->segments = segments;
  const std::size_t bytes = segment_bytes * static_cast<std::size_t>(segments);
  if (context_.rehearses()) {  // zero pages on first access, which a rehearsal never makes
    chunk->untouched = address_space(bytes);
    if (!chunk->untouched)
      throw Error(Exit::storage,
                  "no room in the address space for " + std::to_string(bytes >> 20) + " MiB of fields");
    chunk->data = chunk->untouched.get();
    chunks_.push_back(std::move(chunk));
    return;
  }
  if (!shared() || !share(*chunk, bytes)) {
    context_.together([&] {
      chunk->own = in_large_pages(bytes, cache_line);
      if (!chunk->own)
        throw Error(Exit::storage, "not enough memory for " + std::to_string(bytes >> 20) +
                                       " MiB of fields on rank " + std::to_string(context_.rank()));
    });
    chunk->data = chunk->own.get();
  }
  std::memset(chunk->data, 0, bytes);
  chunks_.push_back(std::move(chunk));
}

bool Arena::share(Chunk& chunk, std::size_t bytes) {
  std::string reason;
  chunk.common = SharedMemory::bring(context_.node_comm(), bytes, reason);
  const std::vector<std::string> reasons = context_.gather(reason);
  if (context_.any(!chunk.common)) {
    chunk.common.reset();
    const auto first = std::ranges::find_if(reasons, [](const auto& r) { return !r.empty(); });
    context_.decline_shared_memory(first == reasons.end() ? "" : *first);
    return false;
  }
  chunk.data = chunk.common->of(context_.node_rank_of(context_.rank()));
  int ranks = 0;
  mpi::check(MPI_Comm_size(context_.node_comm(), &ranks));
  for (int r = 0; r < ranks; ++r) chunk.remote.push_back(chunk.common->of(r));
  return true;
}

}  // namespace sc
