// SPDX-License-Identifier: Apache-2.0
// optimise: no
// Arrays on disk with the ring, against the same steps on arrays in memory: bits, bytes, memory.
#include "engine/move/stream/slab_stream.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "engine/base/error.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "tests/process_memory.hpp"
#include "tests/unit/stream_files.hpp"

namespace sc {
namespace {

using test::DiskBytes;
using test::large_slot;
using test::least_disk_bytes;
using test::peak_memory;
using test::reset_peak_memory;
using test::ScratchFolder;
using test::Way3;
using test::ways;
using Array = std::vector<double>;

class Streaming : public testing::TestWithParam<Way3> {
 protected:
  FileMemoryOptions options() { return {.folder = folder.path(), .mode = GetParam().io}; }
  static SlabStream stream_of(FarMemory& memory, std::size_t slot_bytes) {
    return {memory, slot_bytes, GetParam().ahead(memory, slot_bytes)};
  }
  ScratchFolder folder;
};

struct Shape {
  int planes, cells, pieces, halo;
};

double first_value(int array, int plane, int cell) {
  return array + 0.37 * plane - 1e-3 * cell * (plane % 5);
}

Array initial(const Shape& s, int array) {
  Array values;
  for (int p = 0; p < s.planes; ++p)
    for (int c = 0; c < s.cells; ++c) values.push_back(first_value(array, p, c));
  return values;
}

/// `halo` planes beyond both ends.
Array ends_of(const Shape& s) { return initial({2 * s.halo, s.cells, 1, 0}, 7); }

/// next = now + 0.1 sum over d of (now above + now below) / d: a stencil across planes. No result is -0.
void stencil(const Shape& s, double* to, const std::function<const double*(int)>& plane, int z) {
  for (int c = 0; c < s.cells; ++c) {
    double sum = plane(z)[c];
    for (int d = 1; d <= s.halo; ++d) sum += 0.1 * (plane(z + d)[c] + plane(z - d)[c]) / d;
    to[c] = sum;
  }
}
void pointwise(double& a, double b, int z) { a = 0.5 * a - 0.25 * b + z; }

/// The same steps on arrays in memory; `ends`: the planes beyond both ends.
void reference(const Shape& s, Array& a, Array& b, const Array& ends) {
  const auto plane = [&](int z) -> const double* {
    if (z < 0) return &ends[std::size_t((z + s.halo) * s.cells)];
    if (z >= s.planes) return &ends[std::size_t((z - s.planes + s.halo) * s.cells)];
    return &a[std::size_t(z * s.cells)];
  };
  for (int z = 0; z < s.planes; ++z) stencil(s, &b[std::size_t(z * s.cells)], plane, z);
  for (int z = 0; z < s.planes; ++z)
    for (int c = 0; c < s.cells; ++c)
      pointwise(a[std::size_t(z * s.cells + c)], b[std::size_t(z * s.cells + c)], z);
}

double* cells_of(const Slot& slot, std::size_t use, int z) {
  return reinterpret_cast<double*>(slot.plane(use, z));
}

void streamed(const Shape& s, SlabStream& stream, FarArray& a, FarArray& b, const Array& ends, bool last) {
  const StreamPhase across{{&a, Mode::read, s.halo}, {&b, Mode::write}};
  const StreamPhase within{{&b, Mode::read}, {&a, Mode::update}};
  stream.run(
      across,
      [&](const Slot& slot) {
        for (int z = slot.lo() - s.halo; z < slot.hi() + s.halo; ++z)
          if (z < 0 || z >= s.planes)
            std::copy_n(&ends[std::size_t((z < 0 ? z + s.halo : z - s.planes + s.halo) * s.cells)], s.cells,
                        cells_of(slot, 0, z));
        for (int z = slot.lo(); z < slot.hi(); ++z)
          stencil(
              s, cells_of(slot, 1, z), [&](int p) { return cells_of(slot, 0, p); }, z);
      },
      &within);
  stream.run(
      within,
      [&](const Slot& slot) {
        for (int z = slot.lo(); z < slot.hi(); ++z)
          for (int c = 0; c < s.cells; ++c) pointwise(cells_of(slot, 1, z)[c], cells_of(slot, 0, z)[c], z);
      },
      last ? nullptr : &across);
}

std::size_t slot_for(FarArray& a, FarArray& b, int halo) {
  return SlabStream::slot_bytes({{&a, Mode::read, halo}, {&b, Mode::write}});
}

TEST_P(Streaming, LeavesTheBitsOfArraysInMemory) {
  for (const Shape& s : {Shape{16, 512, 4, 1}, Shape{13, 700, 5, 2}, Shape{6, 3, 6, 3}, Shape{5, 4096, 1, 1},
                         Shape{24, 100, 3, 0}, Shape{9, 512, 9, 4}, Shape{7, 1500, 2, 7}}) {
    SCOPED_TRACE(std::to_string(s.planes) + " planes, " + std::to_string(s.pieces) + " pieces");
    FileMemory memory(options());
    const std::size_t plane_bytes = std::size_t(s.cells) * sizeof(double);
    FarArray a(memory, "a", s.planes, plane_bytes, s.pieces), b(memory, "b", s.planes, plane_bytes, s.pieces);
    Array in_a = initial(s, 1), in_b(in_a.size());
    const Array ends = ends_of(s);
    a.store(0, s.planes, reinterpret_cast<const std::byte*>(in_a.data()));
    // With many slots of the smallest size, and with three large ones.
    const std::size_t slot = slot_for(a, b, s.halo);
    SlabStream stream = stream_of(memory, s.pieces % 2 == 0 ? slot : std::max(slot, large_slot));
    for (int step = 0; step < 3; ++step) {
      reference(s, in_a, in_b, ends);
      streamed(s, stream, a, b, ends, step == 2);
    }
    stream.finish();
    for (const auto& [far, near] : {std::pair(&a, &in_a), std::pair(&b, &in_b)}) {
      Array back(near->size());
      far->load(0, s.planes, reinterpret_cast<std::byte*>(back.data()));
      EXPECT_EQ(std::memcmp(back.data(), near->data(), back.size() * sizeof(double)), 0) << far->name();
    }
  }
}

/// The same cell of all arrays of a slot would otherwise map to one set of the caches.
TEST_P(Streaming, ArraysOfASlotBeginAtDifferentPlacesOfAPage) {
  FileMemory memory(options());
  const std::size_t plane_bytes = FileMemory::page;
  FarArray a(memory, "a", 8, plane_bytes, 4), b(memory, "b", 8, plane_bytes, 4);
  if (FileMemory::page % memory.near_alignment() != 0 || PlaneCut::stagger % memory.near_alignment() != 0)
    GTEST_SKIP() << "the disk requires addresses of pages";
  SlabStream stream = stream_of(memory, slot_for(a, b, 1));
  stream.run({{&a, Mode::read, 1}, {&b, Mode::write}}, [&](const Slot& slot) {
    const auto first = reinterpret_cast<std::uintptr_t>(slot.plane(0, slot.lo()));
    const auto second = reinterpret_cast<std::uintptr_t>(slot.plane(1, slot.lo()));
    EXPECT_NE(first % FileMemory::page, second % FileMemory::page);
    EXPECT_EQ(first % memory.near_alignment(), 0U);
    EXPECT_EQ(second % memory.near_alignment(), 0U);
  });
  stream.finish();
}

// The second phase uses values that the host stores between two phases, although its first piece had been
// prefetched.
TEST_P(Streaming, SeesWhatTheHostStored) {
  FileMemory memory(options());
  FarArray a(memory, "a", 8, 4096, 4), b(memory, "b", 8, 4096, 4);
  const Array ones(8 * 512, 1), twos(8 * 512, 2);
  a.store(0, 8, reinterpret_cast<const std::byte*>(ones.data()));
  b.store(0, 8, reinterpret_cast<const std::byte*>(ones.data()));
  const StreamPhase first{{&b, Mode::update}}, second{{&a, Mode::read}};
  SlabStream stream = stream_of(memory, SlabStream::slot_bytes(first));
  stream.run(
      first, [](const Slot&) {}, &second);
  stream.finish();
  a.store(0, 3, reinterpret_cast<const std::byte*>(twos.data()));
  double sum = 0;
  stream.run(second, [&](const Slot& slot) {
    for (int z = slot.lo(); z < slot.hi(); ++z) sum += cells_of(slot, 0, z)[511];
  });
  EXPECT_EQ(sum, 3 * 2 + 5 * 1);
}

TEST_P(Streaming, MovesThePlannedBytesAndNoOthers) {
  const Shape s{40, 3000, 8, 2};  // planes that are not a multiple of a block
  FileMemory memory(options());
  if (!memory.direct()) GTEST_SKIP() << "no O_DIRECT here";
  FarArray a(memory, "a", s.planes, 24000, s.pieces), b(memory, "b", s.planes, 24000, s.pieces);
  const Array values = initial(s, 1);
  a.store(0, s.planes, reinterpret_cast<const std::byte*>(values.data()));
  b.store(0, s.planes, reinterpret_cast<const std::byte*>(values.data()));
  SlabStream stream = stream_of(memory, slot_for(a, b, s.halo));
  const StreamPhase across{{&a, Mode::read, s.halo}, {&b, Mode::write}};
  const StreamPhase within{{&b, Mode::read}, {&a, Mode::update}};
  const std::int64_t in = SlabStream::bytes(across, Way::in) + SlabStream::bytes(within, Way::in);
  const std::int64_t out = SlabStream::bytes(across, Way::out) + SlabStream::bytes(within, Way::out);
  // 8 pieces of 5 planes, 120000 bytes in 30 blocks; 2 halo planes take 12 or 13 blocks on either side.
  EXPECT_EQ(out, 2 * 8 * 30 * 4096);
  EXPECT_GE(in, (3 * 8 * 30 + 7 * 2 * 12) * 4096);
  EXPECT_LE(in, (3 * 8 * 30 + 7 * 2 * 13) * 4096);
  const std::int64_t before_in = memory.bytes(Way::in), before_out = memory.bytes(Way::out);
  const auto round = [&] {
    for (int step = 0; step < 3; ++step) streamed(s, stream, a, b, ends_of(s), step == 2);
    stream.finish();
  };
  round();
  EXPECT_EQ(memory.bytes(Way::in), 3 * in + before_in);
  EXPECT_EQ(memory.bytes(Way::out), 3 * out + before_out);
  const DiskBytes moved = least_disk_bytes(round);
  if (moved.read < 0) GTEST_SKIP() << "this kernel does not count bytes";
  EXPECT_EQ(moved.read, 3 * in);
  EXPECT_EQ(moved.written, 3 * out);
}

// 96 MiB on disk are processed in slots of 2 x 1 MiB each.
TEST_P(Streaming, TakesTheMemoryOfItsSlots) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers keep memory of their own beside it";
#endif
  const std::size_t plane_bytes = std::size_t{256} << 10;
  FileMemory memory(options());
  FarArray a(memory, "a", 192, plane_bytes, 48), b(memory, "b", 192, plane_bytes, 48);
  const StreamPhase phase{{&a, Mode::update}, {&b, Mode::update}};
  reset_peak_memory();
  const std::int64_t before = peak_memory();
  SlabStream stream = stream_of(memory, SlabStream::slot_bytes(phase));
  EXPECT_EQ(stream.near_bytes(),
            static_cast<std::size_t>(2 * stream.ahead() + 1) * (8 * plane_bytes + FileMemory::page));
  stream.run(phase, [&](const Slot& slot) {
    for (std::size_t use : {0U, 1U})
      for (int z = slot.lo(); z < slot.hi(); ++z) std::memset(slot.plane(use, z), z, plane_bytes);
  });
  stream.finish();
  EXPECT_LE(double(peak_memory() - before), 1.1 * double(stream.near_bytes()) + double(std::size_t{1} << 20));
  std::vector<std::byte> plane(plane_bytes);
  b.load(100, 101, plane.data());
  EXPECT_EQ(plane.back(), std::byte{100});
}

TEST_P(Streaming, RefusesWhatCannotBe) {
  FileMemory memory(options());
  FarArray a(memory, "a", 8, 512, 4), b(memory, "b", 8, 512, 2), c(memory, "c", 8, 512, 4);
  EXPECT_THROW(FarArray(memory, "few", 3, 512, 4), Error);
  const auto bytes = [&](const StreamPhase& phase) { return SlabStream::slot_bytes(phase); };
  EXPECT_THROW(bytes({}), Error);
  EXPECT_THROW(bytes({{&a}, {&b}}), Error);
  EXPECT_THROW(bytes({{&a}, {&a, Mode::write}}), Error);
  EXPECT_THROW(bytes({{&a, Mode::update, 1}}), Error);
  EXPECT_THROW(bytes({{&a, Mode::read, 9}}), Error);
  SlabStream small = stream_of(memory, bytes({{&a}}));
  EXPECT_THROW(small.run({{&a}, {&c}}, [](const Slot&) {}), Error);
}

INSTANTIATE_TEST_SUITE_P(Ways, Streaming, testing::ValuesIn(ways),
                         [](const auto& way) { return way.param.name; });

}  // namespace
}  // namespace sc
