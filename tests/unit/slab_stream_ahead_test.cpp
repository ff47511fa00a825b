// SPDX-License-Identifier: Apache-2.0
// Reads and writes of a ring during computation, and its prefetch distance.
#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_stream.hpp"
#include "tests/unit/stream_files.hpp"

namespace sc {
namespace {

using test::large_slot;
using test::ScratchFolder;
using test::Way3;
using test::ways;

/// Whether all transfers in this direction complete without a wait.
bool ends(FarMemory& memory, Way way) {
  using namespace std::chrono_literals;
  const auto late = std::chrono::steady_clock::now() + 20s;
  while (!memory.test(way)) {
    if (std::chrono::steady_clock::now() > late) return false;
    std::this_thread::sleep_for(100us);
  }
  return true;
}

// Three large slots or more small ones; one slot without overlap.
TEST(SlabStreams, HaveAsManySlotsAsKeepADiskBusy) {
  ScratchFolder folder;
  FileMemory memory({.folder = folder.path()});
  const auto slots = [&](std::size_t bytes, int ahead) {
    return SlabStream(memory, bytes, ahead).near_bytes() / bytes;
  };
  for (const auto& [bytes, number] : {std::pair{large_slot, 3U}, {large_slot / 2 - 4096, 7U}, {4096, 9U}})
    EXPECT_EQ(slots(bytes, memory.batches_ahead(bytes)), number);
  EXPECT_EQ(slots(4096, 0), 1U);
}

// During the computation of piece n, later pieces are read and piece n - 1 is written; without overlap,
// neither.
TEST(SlabStreams, ReadAndWriteWhileTheyCompute) {
  ScratchFolder folder;
  const int pieces = 12;
  const std::size_t plane = 64 << 10;
  for (const Way3& way : ways) {
    FileMemory memory({.folder = folder.path(), .mode = way.io});
    FarArray a(memory, "a", pieces, plane, pieces);
    const StreamPhase phase{{&a, Mode::update}};
    SlabStream stream(memory, SlabStream::slot_bytes(phase),
                      way.ahead(memory, SlabStream::slot_bytes(phase)));
    const int ahead = stream.ahead();
    const auto bytes = [&](int count) { return static_cast<std::int64_t>(plane) * count; };
    stream.run(phase, [&](const Slot& slot) {
      EXPECT_TRUE(ends(memory, Way::in) && ends(memory, Way::out)) << way.name;
      EXPECT_EQ(memory.bytes(Way::in), bytes(std::min(slot.piece() + 1 + ahead, pieces))) << way.name;
      EXPECT_EQ(memory.bytes(Way::out), bytes(slot.piece())) << way.name;
    });
    stream.finish();
    EXPECT_EQ(memory.bytes(Way::out), bytes(pieces)) << way.name;
  }
}

// The first pieces of the next phase are read during computation between the phases, unless they depend on
// the last piece.
TEST(SlabStreams, ReadAheadAcrossPhases) {
  ScratchFolder folder;
  FileMemory memory({.folder = folder.path()});
  const int pieces = 6;
  const std::size_t plane = 100 << 10;
  FarArray a(memory, "a", pieces, plane, pieces), b(memory, "b", pieces, plane, pieces);
  const StreamPhase first{{&a, Mode::update}}, second{{&b, Mode::read}}, after{{&a, Mode::read, pieces - 1}};
  for (const std::size_t slot : {SlabStream::slot_bytes(after), large_slot}) {
    SlabStream stream(memory, slot, memory.batches_ahead(slot));
    const std::int64_t planes_read = memory.bytes(Way::in) / static_cast<std::int64_t>(plane);
    const auto read_so_far = [&] {
      EXPECT_TRUE(ends(memory, Way::in));
      return memory.bytes(Way::in) / static_cast<std::int64_t>(plane) - planes_read;
    };
    stream.run(
        first, [](const Slot&) {}, &second);
    EXPECT_EQ(read_so_far(), pieces + stream.ahead());
    stream.run(second, [](const Slot&) {});
    EXPECT_EQ(read_so_far(), 2 * pieces);
    stream.run(
        first, [](const Slot&) {}, &after);  // its first piece reads the last one of this phase
    EXPECT_EQ(read_so_far(), 3 * pieces);
    stream.run(after, [](const Slot&) {});
    EXPECT_GT(read_so_far(), 4 * pieces);
  }
}

}  // namespace
}  // namespace sc
