// SPDX-License-Identifier: Apache-2.0
// Updates of arrays on disk with the ring of slots, against reading, computing and writing one after another,
// for computations of half, the same and twice the time of the disk; without the page cache.
//   stream_bench [folder [MiB an array [pieces [turns]]]] [--trial]

#include <cmath>
#include <memory>

#include "bench/arguments.hpp"
#include "bench/measure.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_stream.hpp"

namespace {

using namespace sc;
constexpr std::size_t plane_bytes = std::size_t{128} << 10;

/// `rounds` passes over every value of the slot, to adjust the time.
void work(const Slot& slot, std::size_t arrays, int rounds) {
  for (int z = slot.lo(); z < slot.hi(); ++z)
    for (std::size_t use = 0; use < arrays; ++use) {
      auto* values = reinterpret_cast<double*>(slot.plane(use, z));
      for (int r = 0; r < rounds; ++r)
        for (std::size_t i = 0; i < plane_bytes / sizeof(double); ++i) values[i] = 0.5 * values[i] + 1;
    }
}

struct Disk {
  Disk(const std::string& folder, const char* name, IoMode io, bool one_by_one, int planes, int pieces)
      : memory({.folder = folder, .name = name, .mode = io}) {
    const std::vector<std::byte> zeros(plane_bytes * std::size_t(planes));
    for (int n = 0; n < 2; ++n) {
      arrays.push_back(std::make_unique<FarArray>(memory, "array", planes, plane_bytes, pieces));
      arrays.back()->store(0, planes, zeros.data());
      phase.push_back({arrays.back().get(), Mode::update});
    }
    const std::size_t slot = SlabStream::slot_bytes(phase);
    stream = std::make_unique<SlabStream>(memory, slot, one_by_one ? 0 : memory.batches_ahead(slot));
  }
  /// Two steps, so that the first piece of the second one is prefetched.
  void run(int rounds) {
    const auto compute = [&](const Slot& slot) { work(slot, phase.size(), rounds); };
    stream->run(phase, compute, &phase);
    stream->run(phase, compute);
    stream->finish();
  }
  FileMemory memory;
  std::vector<std::unique_ptr<FarArray>> arrays;
  StreamPhase phase;
  std::unique_ptr<SlabStream> stream;
};

void compare(Context& context, const std::string& folder, int planes, int pieces, int turns) {
  Disk ring(folder, "ring", IoMode::automatic, false, planes, pieces);
  Disk threads(folder, "threads", IoMode::threads, false, planes, pieces);
  Disk sync(folder, "sync", IoMode::blocking, true, planes, pieces);
  const double bytes = 2.0 * double(SlabStream::bytes(ring.phase, Way::in));
  std::printf("ring by %s, O_DIRECT %s, %.0f MiB read and written a turn, %d pieces\n", ring.memory.io_name(),
              ring.memory.direct() ? "yes" : "no", bytes / (1 << 20), pieces);
  // The computation alone: the memory of a slot, once for each piece.
  std::vector<std::byte> near(plane_bytes);
  const auto alone = [&](int rounds) {
    auto* values = reinterpret_cast<double*>(near.data());
    for (int n = 0; n < 2 * 2 * planes; ++n)
      for (int r = 0; r < rounds; ++r) {
        for (std::size_t i = 0; i < plane_bytes / sizeof(double); ++i) values[i] = 0.5 * values[i] + 1;
        asm volatile("" : : "r"(values) : "memory");
      }
  };
  std::vector<bench::Way> first{{"disk", [&] { ring.run(0); }},
                                {"disk, one way at a time", [&] { sync.run(0); }},
                                {"round", [&] { alone(16); }}};
  bench::take_turns(context, first, turns, 1);
  const double disk = bench::median(first[0]), round = bench::median(first[2]) / 16;
  std::printf("disk alone %.3f s (%.2f GB/s each way), one way at a time %.3f s\n", disk, bytes / disk * 1e-9,
              bench::median(first[1]));
  for (const double share : {0.5, 1.0, 2.0}) {
    const int rounds = std::max(1, int(std::lround(share * disk / round)));
    std::vector<bench::Way> ways{{"disk", [&] { ring.run(0); }},
                                 {"compute", [&] { alone(rounds); }},
                                 {"sync", [&] { sync.run(rounds); }},
                                 {"ring", [&] { ring.run(rounds); }},
                                 {"threads", [&] { threads.run(rounds); }}};
    bench::take_turns(context, ways, turns, 1);
    const double longer = std::max(bench::median(ways[0]), bench::median(ways[1]));
    for (const bench::Way& way : ways) std::printf("  %s %.3f s\n", way.name.c_str(), bench::median(way));
    char what[64];
    std::snprintf(what, sizeof what, "compute %.1f x disk", share);
    bench::report(std::string("io_uring / max(compute, disk), ") + what, bench::median(ways[3]) / longer,
                  "goal <= 1.1");
    bench::report(std::string("io_uring / no overlap, ") + what, bench::ratio(ways[3], ways[2]), "goal <= 1");
    bench::report(std::string("two threads / max(compute, disk), ") + what, bench::median(ways[4]) / longer,
                  "no goal");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const std::string folder = arguments.word(1, "stream_bench_scratch");
  const int mebibytes = arguments.number(2, "MiB", 128, 1), pieces = arguments.number(3, "pieces", 16, 4),
            turns = arguments.number(4, "turns", 7, 1);
  Context context;
  compare(context, folder, std::max(pieces, mebibytes * 8), pieces, turns);
  context.close();
}
