// SPDX-License-Identifier: Apache-2.0
// Memory: what halo_allocate returns. The ranks of a node share it, so that neighbours' cells are copied
// directly from where their owner computes them.
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
  /// Whether `comm` has the ranks that made it, in the same order.
  bool made_by(MPI_Comm comm) const;
  SharedPlace place_of(std::byte* cell) const { return {arena_.get(), block_.chunk, cell}; }
  /// A name that is equal on all ranks that made it and different from other memory of these ranks: the
  /// address on rank 0.
  std::uint64_t name() const { return name_; }
  /// Seconds that halo_free waits for other ranks; below 0: without limit.
  double timeout() const { return timeout_; }
  void set_timeout(double seconds) { timeout_ = seconds; }
  /// Collective: the logical OR of all flags; nothing if another rank does not call it in time.
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

/// Of `data` and of `next` of an array.
using Places = std::array<std::shared_ptr<const Memory>, 2>;

/// Collective over `comm`. Throws on all ranks if `wrong`, an error of the caller's arguments, is set on any.
void* hand_out(MPI_Comm comm, std::size_t bytes, const std::string& wrong);
/// Collective; sets `memory` to null. Throws Failure if hand_out() has not returned it or it was freed; on
/// all ranks if a handle has arrays in it on any rank; and if other ranks do not call it in time, in which
/// case the memory is leaked.
void give_back(void*& memory);

struct MemoryOfArrays {
  std::vector<Places> places;  ///< [array]; null for arrays in other memory
  bool common = false;  ///< whether all arrays of all ranks are in memory that these ranks allocated together
};

/// Collective: the memory of all arrays. Throws Failure if an array extends beyond the memory in which it
/// begins. Sets the timeout of that memory to that of these arrays.
MemoryOfArrays memory_of(const Context& context, const Registration& registration);

}  // namespace sc::halo
