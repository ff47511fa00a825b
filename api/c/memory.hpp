// SPDX-License-Identifier: Apache-2.0
// Memory: what halo_allocate hands out. It lies in a window that the ranks of a node share, so that a
// neighbour's cells are copied straight from where their owner computes them.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "api/c/registration.hpp"
#include "engine/base/arena.hpp"

namespace sc::halo {

class Memory {
 public:
  /// Collective.
  Memory(MPI_Comm comm, std::size_t bytes, const std::string& wrong);
  std::byte* data() const { return block_.data; }
  bool holds(const void* first, std::size_t bytes) const;
  /// Whether the ranks of `comm` are those that made it, in the same order.
  bool made_by(MPI_Comm comm) const;
  SharedPlace place_of(std::byte* cell) const { return {arena_.get(), block_.chunk, cell}; }
  /// What the n-th memory of this process is called by all who made it; no two of a process are called alike.
  std::uint64_t name() const { return name_; }
  /// Collective: whether any rank says so.
  bool any(bool flag) const { return context_.any(flag); }
  /// Collective.
  void close() { context_.close(); }

 private:
  Context context_;
  std::unique_ptr<Arena> arena_;
  Arena::Block block_;
  std::size_t bytes_;
  std::uint64_t name_ = 0;
};

/// Of the data and of the next of an array.
using Places = std::array<std::shared_ptr<const Memory>, 2>;

/// Collective over `comm`; what is `wrong` on one rank, all hear of.
void* hand_out(MPI_Comm comm, std::size_t bytes, const std::string& wrong);
/// Collective. Throws Failure for what hand_out() has not given or was freed, and, on all ranks alike, while
/// a handle has arrays in it on any.
void give_back(void* memory);

/// Collective: where the arrays lie, if all of them on all ranks lie in memory that these ranks have made
/// together; empty otherwise. Throws Failure where one reaches beyond the memory that it begins in.
std::vector<Places> common_memory(const Context& context, const Registration& registration);

}  // namespace sc::halo
