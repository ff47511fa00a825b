// SPDX-License-Identifier: Apache-2.0
// Arena: the memory of all fields of one grid on one rank. The other ranks of the node map it too, so a
// neighbour copies halo cells directly out of it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/base/context.hpp"
#include "engine/base/large_pages.hpp"
#include "engine/base/shared_memory.hpp"

namespace sc {

class Arena {
 public:
  /// A block of memory: its address on this rank, and its position for the other ranks of the node.
  struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    int chunk = 0;
    std::size_t offset = 0;  ///< bytes from the start of this rank's part of the chunk
  };

  explicit Arena(Context& context) : context_(context) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Collective. `segment_bytes` is the size of one segment on this rank (it may differ between ranks),
  /// `segments` the number of segments of the block (the same on all ranks, so that all add a new chunk
  /// together). The block is zeroed and 64-byte aligned.
  Block allocate(std::size_t segment_bytes, int segments);
  /// Address of `node_rank`'s part of a chunk in this rank's address space; nullptr if the arena is not
  /// shared.
  std::byte* remote(int chunk, int node_rank) const;
  bool shared() const { return context_.shared_memory() && !context_.rehearses(); }

 private:
  struct Chunk {
    std::byte* data = nullptr;
    std::size_t segment_bytes = 0;
    int segments = 0;
    int used = 0;
    std::vector<std::byte*> remote;
    PagedMemory own;
    std::shared_ptr<std::byte> untouched;  ///< or this, in a rehearsal
    std::unique_ptr<SharedMemory> common;  ///< or this, shared with the node
  };
  void add_chunk(std::size_t segment_bytes, int segments);
  /// False, with a reason passed to the context, if the ranks of the node cannot map each other's memory.
  bool share(Chunk& chunk, std::size_t bytes);

  Context& context_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

}  // namespace sc
