// SPDX-License-Identifier: Apache-2.0
// Block: the threads of one block in lockstep. A register is a row with a value of every thread, so that an
// instruction is one loop over the threads that are at it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tests/ptx_card/memory.hpp"

namespace sc::ptx {

struct Block;
struct Instruction;
using Handler = void (*)(const Instruction&, Block&);

enum class Flow : unsigned char { next, branch, barrier, end };

/// An instruction with its operands found: rows of registers, of constants and of places are numbered alike.
struct Instruction {
  Handler handler = nullptr;  // nothing for what only says where to go on
  Flow flow = Flow::next;
  bool guard_holds = true;  // @%p against @!%p
  int guard = -1;           // row of the predicate, -1 without one
  int to = -1;
  int from[4] = {-1, -1, -1, -1};
  bool same_for_all = false;  // its address
  int number = -1;            // in its kernel
  int target = -1;            // of a branch
  std::size_t aligned = 1;    // what an address has to be a multiple of: 1, 2, 4, … bytes
  std::int64_t offset = 0;    // of an address, bytes
  std::string_view written;   // the line it was made of
};

/// A value of type T in a register: integers are extended to the register's width by their sign.
template <class T>
T get(const std::uint64_t* row, int thread) {
  T value;
  std::memcpy(&value, row + thread, sizeof value);
  return value;
}
template <class T>
void put(std::uint64_t* row, int thread, T value) {
  if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
    row[thread] = static_cast<std::uint64_t>(std::int64_t{value});
  } else if constexpr (std::is_integral_v<T>) {
    row[thread] = std::uint64_t{value};
  } else {
    std::memcpy(row + thread, &value, sizeof value);
  }
}

struct Block {
  int threads = 0;
  std::uint32_t number = 0;         // of the block in its grid, x first
  std::vector<std::uint64_t> rows;  // [row][thread]
  std::vector<int> active;          // the threads that are at the instruction, ascending

  std::vector<std::byte> parameters;
  Region shared;
  std::uint32_t ordered = 0;     // the last point that ordered the threads of the block
  std::vector<std::byte> local;  // [thread][bytes]
  std::size_t local_bytes = 0;   // of a thread
  Memory* memory = nullptr;
  std::vector<Region*> last;  // [instruction], where each found its memory

  std::uint64_t* row(int r) { return rows.data() + std::size_t(r) * std::size_t(threads); }
  std::uint32_t thread_in_grid(int thread) const {
    return number * std::uint32_t(threads) + std::uint32_t(thread);
  }

  /// f(thread) for the active ones; all of them is a loop that the compiler can make vectors of.
  template <class F>
  void each(F&& f) const {
    if (active.size() == std::size_t(threads)) {
      for (int thread = 0; thread < threads; ++thread) f(thread);
    } else {
      for (const int thread : active) f(thread);
    }
  }
};

}  // namespace sc::ptx
