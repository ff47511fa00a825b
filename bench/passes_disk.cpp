// SPDX-License-Identifier: Apache-2.0
// Passes of several steps with the field in files: the heat equation (7 points, double) between walls on one
// rank, T steps in a pass from files, against one step in a pass from files and in memory. The lower bound of
// a step is max(computing, planned bytes / rate of the disk in each direction), if that rate is given.
//   passes_disk [turns] [threads] [cells] [MB/s] [folder] [--trial]
#include <memory>

#include "bench/measure.hpp"
#include "bench/problems.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "engine/overlap/window_slabs.hpp"
#include "engine/subcurrent.hpp"

namespace {

using namespace sc;

/// A field with a place of its own, and its turns.
class Bed {
 public:
  Bed(Context& context, const Grid& grid, std::shared_ptr<SlabPlace> place, int length)
      : length_(length),
        place_(std::move(place)),
        heat_(grid, {.levels = 2, .place = place_}),
        runner_(context, {.strategy = Strategy::boundary_first, .steps_per_pass = length}) {}

  /// At least two passes.
  int steps() const { return std::max(8, 2 * length_); }
  int length() const { return length_; }
  void turn() {
    const double before = computing();
    runner_.steps(steps(), [&](int) {
      heat_.step(runner_);
      runner_.discard(heat_.field(), 1);
    });
    if (place_) place_->finish();
    computed_.push_back((computing() - before) / steps());
  }
  /// Seconds of a step's computation in slabs.
  double compute() const { return bench::median(computed_); }
  /// Bytes of a step in each direction.
  double bytes() {
    return double(far_cells(heat_.field().storage(0)).arrays()[0].cut().moved(length_ == 1 ? 1 : 0)) /
           length_;
  }

 private:
  /// There is no ring before the first turn.
  double computing() const { return place_ && !computed_.empty() ? place_->ring().times().compute : 0; }

  int length_;
  std::shared_ptr<SlabPlace> place_;
  bench::Heat heat_;
  Runner runner_;
  std::vector<double> computed_;
};

/// Up to 32 pieces, as many as the minimum number of planes for a pass allows.
int pieces_of(int cells, int length) {
  const WindowSlabs::Planes planes{.most_behind = length - 1, .reach = 1};
  const int least = planes.least(Boundary::usual_inward);
  return std::clamp(cells / least, 1, 32);
}

void compare(const bench::Arguments& arguments) {
  const int turns = arguments.number(1, "turns", 3, 2), threads = arguments.number(2, "threads", 2, 2);
  const int n = arguments.number(3, "cells", 256, 48);
  const double rate = 1e6 * arguments.number(4, "MB/s", 0, 0, 0);
  Context context(MPI_COMM_WORLD, {.threads = threads});
  {
    const Grid grid(context, {.cells = {n, n, n}, .halo = 1});
    FileMemory files({.folder = arguments.word(5, "passes_disk_scratch"), .name = "rank 0"});
    std::vector<std::unique_ptr<Bed>> all;
    std::vector<bench::Way> ways;
    const auto add = [&](const std::string& name, std::shared_ptr<SlabPlace> place, int length) {
      Bed& bed = *all.emplace_back(std::make_unique<Bed>(context, grid, std::move(place), length));
      ways.push_back({name, [&bed] { bed.turn(); }});
    };
    const std::vector<int> lengths = arguments.trial() ? std::vector{1, 2} : std::vector{1, 2, 4, 8, 16, 32};
    const std::vector<int> in_memory{1, 2, 4, 8};
    for (const int length : in_memory) add("memory, " + std::to_string(length) + " a pass", nullptr, length);
    for (const int length : lengths)
      add("files, " + std::to_string(length) + " a pass", in_files(files, pieces_of(n, length)), length);
    bench::take_turns(context, ways, turns, 1);
    std::printf("heat %d^3 double, %d threads, %d turns\n", n, threads, turns);
    std::vector<double> seconds;
    const std::size_t filed = in_memory.size();  // index of the first way in files
    for (std::size_t k = 0; k < ways.size(); ++k) {
      seconds.push_back(bench::median(ways[k]) / all[k]->steps());
      std::printf("%s: %.4g ms a step, %.2f of memory one by one", ways[k].name.c_str(), 1e3 * seconds[k],
                  seconds[k] / seconds[0]);
      if (k >= filed)
        std::printf(", %d pieces, %.4g MB each way, %.4g ms computed in slabs",
                    pieces_of(n, all[k]->length()), 1e-6 * all[k]->bytes(), 1e3 * all[k]->compute());
      std::printf("\n");
    }
    for (std::size_t k = filed + 1; k < ways.size(); ++k) {
      const std::string name = "heat in files, " + std::to_string(all[k]->length()) + " a pass";
      bench::report(name + ", one by one / it", seconds[filed] / seconds[k],
                    "at 8 >= 6 where the disk binds");
      bench::report(name + ", memory one by one / it", seconds[0] / seconds[k],
                    "at 16 >= 1.3 on a fast disk");
      if (rate > 0)
        bench::report(name + " / max(computing, disk)",
                      seconds[k] / std::max(all[k]->compute(), all[k]->bytes() / rate), "goal <= 1.1");
    }
    all.clear();
  }
  context.close();
}

}  // namespace

int main(int argc, char** argv) { compare(bench::Arguments(argc, argv)); }
