// SPDX-License-Identifier: Apache-2.0
// Passes of several steps with the field in files: the heat equation (7 points, double) between walls on one
// rank, T steps in a pass from files, against one step in a pass from files and in memory. The lower bound of
// a step is max(computing, bytes / rate of the disk in each direction), if that rate is given.
// Pieces have the fewest planes that the passes need, or so many times as many (`thicker`).
//   passes_disk [turns] [threads] [cells] [MB/s] [folder] [thicker] [--trial]
#include <memory>

#include "bench/slab_turns.hpp"
#include "engine/move/stream/file_memory.hpp"

namespace {

using namespace sc;
using bench::pieces_of;
using Bed = bench::SlabTurns;

void compare(const bench::Arguments& arguments) {
  const int turns = arguments.number(1, "turns", 3, 2), threads = arguments.number(2, "threads", 2, 2);
  const int n = arguments.number(3, "cells", 256, 48);
  const double rate = 1e6 * arguments.number(4, "MB/s", 0, 0, 0);
  const int thicker = arguments.number(6, "thicker", 1, 1);
  Context context(MPI_COMM_WORLD, {.threads = threads});
  {
    const Grid grid(context, {.cells = {n, n, n}, .halo = 1});
    FileMemory files({.folder = arguments.word(5, "passes_disk_scratch"), .name = "rank 0"});
    std::vector<std::unique_ptr<Bed>> all;
    std::vector<bench::Way> ways;
    const auto add = [&](const std::string& name, std::shared_ptr<SlabPlace> place, int length) {
      Bed& bed =
          *all.emplace_back(std::make_unique<Bed>(context, grid, Space::host, std::move(place), length));
      ways.push_back({name, [&bed] { bed.turn(); }});
    };
    const std::vector<int> lengths =
        arguments.trial() ? std::vector{1, 2} : std::vector{1, 2, 4, 8, 16, 32, 64};
    const std::vector<int> in_memory{1, 2, 4, 8, 16, 32};
    for (const int length : in_memory) add("memory, " + std::to_string(length) + " a pass", nullptr, length);
    for (const int length : lengths)
      add("files, " + std::to_string(length) + " a pass", in_files(files, pieces_of(n, length, thicker)),
          length);
    bench::take_turns(context, ways, turns, 1);
    std::printf("heat %d^3 double, %d threads, %d turns\n", n, threads, turns);
    std::vector<double> seconds;
    const std::size_t filed = in_memory.size();  // index of the first way in files
    for (std::size_t k = 0; k < ways.size(); ++k) {
      seconds.push_back(bench::median(ways[k]) / all[k]->steps());
      std::printf("%s: %.4g ms a step, %.2f of memory one by one", ways[k].name.c_str(), 1e3 * seconds[k],
                  seconds[k] / seconds[0]);
      if (k >= filed)
        std::printf(
            ", %d pieces, %.4g MB read, %.4g MB written, %.4g ms computed in slabs, "
            "%.3g of it copies of planes",
            pieces_of(n, all[k]->length(), thicker), 1e-6 * all[k]->in(), 1e-6 * all[k]->out(),
            1e3 * all[k]->compute(), 1e3 * all[k]->copy());
      std::printf("\n");
    }
    const double fastest = *std::min_element(seconds.begin(), seconds.begin() + std::ptrdiff_t(filed));
    for (std::size_t k = filed + 1; k < ways.size(); ++k) {
      const int length = all[k]->length();
      const std::string name = "heat in files, " + std::to_string(length) + " a pass";
      const char* const none = "no goal";
      const bool held = rate > 0, deep = !held && length >= 16;
      bench::report(name + ", one by one / it", seconds[filed] / seconds[k],
                    held && length == 8 ? "goal >= 6" : none);
      bench::report(name + ", memory one by one / it", seconds[0] / seconds[k], deep ? "goal >= 1.3" : none);
      bench::report(name + ", fastest in memory / it", fastest / seconds[k], deep ? "goal >= 0.7" : none);
      if (!held) continue;
      const double disk = std::max(all[k]->in(), all[k]->out()) / rate;
      bench::report(name + " / max(computing, disk)", seconds[k] / std::max(all[k]->compute(), disk),
                    "goal <= 1.1");
    }
    all.clear();
  }
  context.close();
}

}  // namespace

int main(int argc, char** argv) { compare(bench::Arguments(argc, argv)); }
