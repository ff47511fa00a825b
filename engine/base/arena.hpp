// SPDX-License-Identifier: Apache-2.0
// Arena: the memory of all fields of one grid on one rank. On a node with several ranks all of them see it,
// so that a neighbour copies halo cells straight out of it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/context.hpp"
#include "engine/base/large_pages.hpp"
#include "engine/base/shared_memory.hpp"

namespace sc {

class Arena {
 public:
  /// Where a block of memory lies: its own address, and the way another rank of the node finds it.
  struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    int chunk = 0;
    std::size_t offset = 0;  ///< from the start of this rank's part of the chunk
  };

  explicit Arena(Context& context) : context_(context) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Collective. `slot_bytes` is this rank's size of one slot (it may differ between ranks), `slots` how many
  /// the block takes (the same on all ranks, so that all agree when a new chunk is needed). The block is
  /// zeroed and 64-byte aligned.
  Block allocate(std::size_t slot_bytes, int slots);
  /// Start of `node_rank`'s part of a chunk in this rank's address space; nullptr when the arena is not
  /// shared.
  std::byte* remote(int chunk, int node_rank) const;
  bool shared() const { return context_.shared_memory() && !context_.rehearses(); }

 private:
  struct Chunk {
    std::byte* data = nullptr;
    std::size_t slot_bytes = 0;
    int slots = 0;
    int used = 0;
    std::vector<std::byte*> remote;
    PagedMemory own;
    std::shared_ptr<std::byte> untouched;  ///< or this, in a rehearsal,
    std::unique_ptr<SharedMemory> common;  ///< or this
  };
  void add_chunk(std::size_t slot_bytes, int slots);
  /// False, with the reason given to the context, where ranks of a node do not see each other's memory.
  bool share(Chunk& chunk, std::size_t bytes);

  Context& context_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

}  // namespace sc
