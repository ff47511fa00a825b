// SPDX-License-Identifier: Apache-2.0
// Memory: what halo_allocate hands out. The ranks of a node see it of each other, so that a
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
  /// The same for all who made it, and no other memory of these ranks is called so: where that of rank 0
  /// lies.
  std::uint64_t name() const { return name_; }
  /// Seconds that halo_free waits for other ranks; below 0: for ever.
  double timeout() const { return timeout_; }
  void set_timeout(double seconds) { timeout_ = seconds; }
  /// Collective: whether any rank says so; nothing when another one does not come in time.
  std::optional<bool> any(bool flag) const { return context_.any_within(flag, timeout_seconds(timeout_)); }
  /// Collective.
  void close() { context_.close(); }

 private:
  Context context_;
  std::unique_ptr<Arena> arena_;
  Arena::Block block_;
  std::size_t bytes_;
  double timeout_ = halo_options_of(1).timeout;
  std::uint64_t name_ = 0;
};

/// Of the data and of the next of an array.
using Places = std::array<std::shared_ptr<const Memory>, 2>;

/// Collective over `comm`; what is `wrong` on one rank, all hear of.
void* hand_out(MPI_Comm comm, std::size_t bytes, const std::string& wrong);
/// Collective; sets `memory` to null. Throws Failure for what hand_out() has not given or was freed, and, on
/// all ranks alike, while a handle has arrays in it on any. Where other ranks do not come it throws, too, and
/// the memory is given up.
void give_back(void*& memory);

/// Collective: where the arrays lie, if all of them on all ranks lie in memory that these ranks have made
/// together; empty otherwise. Throws Failure where one reaches beyond the memory that it begins in. That
/// memory waits as long for other ranks from now on as these arrays do.
std::vector<Places> common_memory(const Context& context, const Registration& registration);

}  // namespace sc::halo
