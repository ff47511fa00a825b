// SPDX-License-Identifier: Apache-2.0
// Several steps a pass with the field in files: the heat equation (7 points, double) between walls on one
// rank, T steps a pass from files beside one step a pass from files and in memory. The bound of a step is
// max(computing, bytes that were planned / rate of the disk, each way), where that rate is given.
//   passes_disk [turns] [threads] [cells] [MB/s] [folder] [--trial]
#include <memory>

#include "bench/arguments.hpp"
#include "bench/heat_kernel.hpp"
#include "bench/measure.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "engine/overlap/window_slabs.hpp"
#include "engine/subcurrent.hpp"

namespace {

using namespace sc;
using bench::Diffuse;

/// A field in a place of its own, and what a turn with it is.
class Heat {
 public:
  Heat(Context& context, const Grid& grid, std::shared_ptr<SlabPlace> place, int length)
      : length_(length),
        place_(std::move(place)),
        T_(grid, "temperature", {.levels = 2, .place = place_}),
        runner_(context, {.strategy = Strategy::boundary_first, .steps_per_pass = length}) {
    T_.fill([](int x, int y, int z) { return 1e-2 * ((x + 3 * y + 7 * z) % 11); });
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side) boundary(T_, {axis, side}, Fixed<double>{0});
    diffuse_ =
        std::make_unique<Diffusion>("diffuse", Diffuse{0.1}, writes(T_.next()), reads(T_.now(), star(1)));
  }

  /// At least two passes.
  int steps() const { return std::max(8, 2 * length_); }
  int length() const { return length_; }
  void turn() {
    const double before = computing();
    runner_.steps(steps(), [&](int) {
      runner_.run(*diffuse_);
      T_.advance();
      runner_.discard(T_, 1);
    });
    if (place_) place_->finish();
    computed_.push_back((computing() - before) / steps());
  }
  /// Seconds of a step within slabs.
  double compute() const { return bench::median(computed_); }
  /// Bytes of a step, each way.
  double bytes() const {
    return double(far_cells(T_.storage(0)).arrays()[0].cut().moved(length_ == 1 ? 1 : 0)) / length_;
  }
  /// Of all cells, to compare the ways.
  double sum() {
    double sum = 0;
    T_.each_slab([&](int lo, int hi, In<double> cells) {
      const Grid& grid = T_.grid();
      for (int z = lo; z < hi; ++z)
        for (int y = 0; y < grid.own().hi.y; ++y)
          for (int x = 0; x < grid.own().hi.x; ++x) sum += cells.base[grid.layout().offset({x, y, z})];
    });
    return sum;
  }

 private:
  /// There is no ring before the first turn.
  double computing() const { return place_ && !computed_.empty() ? place_->ring().times().compute : 0; }

  using Diffusion = Sweep<Diffuse, decltype(writes(std::declval<Level<double, 1>>())),
                          decltype(reads(std::declval<Level<double, 1>>()))>;
  int length_;
  std::shared_ptr<SlabPlace> place_;
  Field<double> T_;
  Runner runner_;
  std::unique_ptr<Diffusion> diffuse_;
  std::vector<double> computed_;
};

/// As many pieces as the planes allow that a pass needs, up to 32.
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
    std::vector<std::unique_ptr<Heat>> all;
    std::vector<bench::Way> ways;
    const auto add = [&](const std::string& name, std::shared_ptr<SlabPlace> place, int length) {
      Heat& heat = *all.emplace_back(std::make_unique<Heat>(context, grid, std::move(place), length));
      ways.push_back({name, [&heat] { heat.turn(); }});
    };
    const std::vector<int> lengths = arguments.trial() ? std::vector{1, 2} : std::vector{1, 2, 4, 8, 16, 32};
    add("memory, 1 a pass", nullptr, 1);
    add("memory, 8 a pass", nullptr, 8);
    for (const int length : lengths)
      add("files, " + std::to_string(length) + " a pass", in_files(files, pieces_of(n, length)), length);
    bench::take_turns(context, ways, turns, 1);
    std::printf("heat %d^3 double, %d threads, %d turns\n", n, threads, turns);
    std::vector<double> seconds;
    for (std::size_t k = 0; k < ways.size(); ++k) {
      seconds.push_back(bench::median(ways[k]) / all[k]->steps());
      std::printf("%s: %.4g ms a step, %.2f of memory one by one", ways[k].name.c_str(), 1e3 * seconds[k],
                  seconds[k] / seconds[0]);
      if (k >= 2)
        std::printf(", %d pieces, %.4g MB each way, %.4g ms computed in slabs",
                    pieces_of(n, all[k]->length()), 1e-6 * all[k]->bytes(), 1e3 * all[k]->compute());
      std::printf("\n");
    }
    for (std::size_t k = 3; k < ways.size(); ++k) {
      const std::string name = "heat in files, " + std::to_string(all[k]->length()) + " a pass";
      bench::report(name + ", one by one / it", seconds[2] / seconds[k], "at 8 >= 6 where the disk binds");
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

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  MPI_Init(&argc, &argv);
  compare(arguments);
  MPI_Finalize();
}
