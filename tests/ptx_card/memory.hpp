// SPDX-License-Identifier: Apache-2.0
// What kernels may touch: the card's allocations and pinned memory of the host. An access outside, one that
// is not aligned, and two threads of a launch or two streams that meet at a word in no order are faults.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace sc::ptx {

/// What a card would not do, or would do in some order: one sentence.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Who touched the words (4 bytes) of a region since the last point that orders all threads: a launch for
/// memory of the card, a barrier for memory of a block. `now` numbers these points.
class Touches {
 public:
  explicit Touches(std::size_t bytes = 0) : words_((bytes + 3) / 4) {}

  void read(std::size_t offset, std::size_t bytes, std::uint32_t now, std::uint32_t thread) {
    for (std::size_t w = offset / 4; w < (offset + bytes + 3) / 4; ++w) {
      Word& word = renewed(w, now);
      if (word.writer != nobody && word.writer != thread) meet(w, "reads", thread, "written", word.writer);
      word.reader = word.reader == nobody || word.reader == thread ? thread : several;
    }
  }
  void write(std::size_t offset, std::size_t bytes, std::uint32_t now, std::uint32_t thread) {
    touch(offset, bytes, now, thread, thread, "writes");
  }
  /// Atomics of several threads may meet each other and nothing else.
  void atomic(std::size_t offset, std::size_t bytes, std::uint32_t now, std::uint32_t thread) {
    touch(offset, bytes, now, thread, atomics, "changes");
  }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0}, several = nobody - 1, atomics = nobody - 2;
  struct Word {
    std::uint32_t writer = nobody, reader = nobody;
    std::uint32_t since = 0;
  };
  Word& renewed(std::size_t w, std::uint32_t now) {
    Word& word = words_[w];
    if (word.since != now) word = {nobody, nobody, now};
    return word;
  }
  void touch(std::size_t offset, std::size_t bytes, std::uint32_t now, std::uint32_t thread, std::uint32_t as,
             const char* does) {
    for (std::size_t w = offset / 4; w < (offset + bytes + 3) / 4; ++w) {
      Word& word = renewed(w, now);
      if (word.reader != nobody && word.reader != thread) meet(w, does, thread, "read", word.reader);
      if (word.writer != nobody && word.writer != as) meet(w, does, thread, "written", word.writer);
      word.writer = as;
    }
  }
  [[noreturn]] static void meet(std::size_t word, const char* does, std::uint32_t thread, const char* done,
                                std::uint32_t by);

  std::vector<Word> words_;
};

/// How much of the work of each stream, tasks counted from 1: four streams of the program and the default
/// one.
constexpr std::size_t streams = 5;
using Clock = std::array<std::uint32_t, streams>;

/// A launch or a copy. Its clock has the tasks that events, and what the host waited for, put before it, and
/// itself in its own stream.
struct Task {
  std::size_t stream = 0;
  Clock clock{};
};

/// Which tasks touched the words of a region last. Two of different streams that meet at a word have to
/// follow one another, in whatever order they came to run, unless both read or both change it by atomics.
class StreamTouches {
 public:
  enum Kind { reads, writes, changes };

  explicit StreamTouches(std::size_t bytes = 0) : words_((bytes + 3) / 4) {}

  void touch(Kind kind, std::size_t offset, std::size_t bytes, const Task& task) {
    for (std::size_t w = offset / 4; w < (offset + bytes + 3) / 4; ++w) {
      Word& word = words_[w];
      for (const Kind other : {reads, writes, changes}) {
        if (kind == other && kind != writes) continue;
        for (std::size_t s = 0; s < streams; ++s)
          if (word.last[other][s] > task.clock[s]) unordered(w, kind, task, other, s);
      }
      word.last[kind][task.stream] = task.clock[task.stream];
    }
  }

 private:
  struct Word {
    std::array<Clock, 3> last{};  // the last task of each kind in each stream
  };
  [[noreturn]] static void unordered(std::size_t word, Kind kind, const Task& task, Kind other,
                                     std::size_t stream);

  std::vector<Word> words_;
};

/// Bytes [data, data + bytes) with who touched them.
struct Region {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  Touches touches;
  StreamTouches streams;
};

class Memory {
 public:
  void add(void* data, std::size_t bytes);
  void remove(void* data);
  /// Whether the address is one of a region.
  bool holds(std::uint64_t address) const;
  /// The region that holds all of [address, address + bytes); throws Fault where none does, or where the
  /// address is no multiple of `alignment`. `last` is where the caller found something the last time, or
  /// nothing.
  Region& find(std::uint64_t address, std::size_t bytes, std::size_t alignment, Region*& last);
  /// A number for a point that orders threads.
  std::uint32_t next_point() { return ++point_; }
  /// A task begins: launches of one stream are in order.
  void begin(const Task& task) {
    task_ = task;
    launch_ = next_point();
  }
  std::uint32_t launch() const { return launch_; }
  const Task& task() const { return task_; }
  /// What a copy and a memset do, in a task that has begun.
  void copy(void* to, const void* from, std::size_t bytes);
  void fill(void* data, int value, std::size_t bytes);

 private:
  void touch_all(StreamTouches::Kind kind, const void* data, std::size_t bytes);

  std::map<std::uint64_t, Region> regions_;  // by their first address
  std::uint32_t launch_ = 0, point_ = 0;
  Task task_;
};

}  // namespace sc::ptx
