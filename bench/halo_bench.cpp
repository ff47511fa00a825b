// SPDX-License-Identifier: Apache-2.0
// Halo exchange of 5 x 128^3 doubles, box(1), against MPI_Neighbor_alltoallw with subarray types and against
// a local copy of the same cells with the same strides. Run with two ranks:
//   mpirun -n 2 halo_bench [repetitions] [quantile] [axes, for example zyx]
// The ways take turns, so that a busy machine disturbs all alike; medians (or another
// quantile) of the slower rank.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "engine/base/mpi_check.hpp"
#include "engine/field/storage.hpp"
#include "engine/move/box_copy.hpp"
#include "engine/move/halo_exchange.hpp"

namespace {

using namespace sc;

constexpr int fields = 5;
constexpr int cells = 128;

/// All fields through one MPI_Neighbor_alltoallw on a graph of the 26 neighbours (those that the rank itself
/// is included), every block a struct of one subarray a field.
class NeighborAlltoallw {
 public:
  NeighborAlltoallw(const Grid& grid, const std::vector<Storage*>& storages) {
    const int rank = grid.context().rank();
    const auto add = [&](const std::vector<Region>& regions, std::vector<int>& peers,
                         std::vector<MPI_Datatype>& types, bool source) {
      for (const Region& region : regions) {
        peers.push_back(region.peer);
        types.push_back(box_type(grid, storages, source ? region.source : region.sink));
      }
    };
    add(halo_departures(grid, rank, box(1), Corners::direct), to_, send_types_, true);
    add(halo_arrivals(grid, rank, box(1), Corners::direct), from_, receive_types_, false);
    mpi::check(MPI_Dist_graph_create_adjacent(grid.context().comm(), int(from_.size()), from_.data(),
                                              MPI_UNWEIGHTED, int(to_.size()), to_.data(), MPI_UNWEIGHTED,
                                              MPI_INFO_NULL, 0, &graph_));
    ones_.assign(std::max(to_.size(), from_.size()), 1);
    zeros_.assign(ones_.size(), 0);
  }
  ~NeighborAlltoallw() {
    for (auto* types : {&send_types_, &receive_types_})
      for (MPI_Datatype& type : *types) MPI_Type_free(&type);
    MPI_Comm_free(&graph_);
  }
  void run() {
    mpi::check(MPI_Neighbor_alltoallw(MPI_BOTTOM, ones_.data(), zeros_.data(), send_types_.data(), MPI_BOTTOM,
                                      ones_.data(), zeros_.data(), receive_types_.data(), graph_));
  }

 private:
  static MPI_Datatype box_type(const Grid& grid, const std::vector<Storage*>& storages, const Box& box) {
    const Layout& layout = grid.layout();
    const Int3 n = box.extent();
    const std::array<int, 3> sizes{n.z, int(layout.sz / layout.sy), int(layout.sy)};
    const std::array<int, 3> subsizes{n.z, n.y, n.x};
    const std::array<int, 3> starts{0, 0, 0};
    MPI_Datatype one = MPI_DATATYPE_NULL, all = MPI_DATATYPE_NULL;
    mpi::check(MPI_Type_create_subarray(3, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_C,
                                        MPI_DOUBLE, &one));
    std::vector<MPI_Aint> at;
    for (const Storage* storage : storages)
      at.push_back(reinterpret_cast<MPI_Aint>(storage->base() + layout.offset(box.lo) * 8));
    mpi::check(MPI_Type_create_hindexed_block(int(at.size()), 1, at.data(), one, &all));
    mpi::check(MPI_Type_commit(&all));
    mpi::check(MPI_Type_free(&one));
    return all;
  }
  std::vector<int> to_, from_, ones_;
  std::vector<MPI_Aint> zeros_;
  std::vector<MPI_Datatype> send_types_, receive_types_;
  MPI_Comm graph_ = MPI_COMM_NULL;
};

/// What a rank receives, copied from one set of its own fields to another: the same boxes, rows and strides.
class LocalCopy {
 public:
  LocalCopy(const Grid& grid, const std::vector<Storage*>& from, const std::vector<Storage*>& to) {
    const Layout& layout = grid.layout();
    for (const Region& region : halo_arrivals(grid, grid.context().rank(), box(1), Corners::direct))
      for (std::size_t f = 0; f < from.size(); ++f) {
        const CellMemory source{from[f]->base(), layout.sy * 8, layout.sz * 8, layout.elements * 8};
        const CellMemory sink{to[f]->base(), layout.sy * 8, layout.sz * 8, layout.elements * 8};
        copies_.emplace_back(source, region.source, sink, region.sink, 1, 8);
      }
  }
  /// The two faces of an axis together where the exchange takes them together.
  void run() const {
    for (std::size_t f = 0; f < copies_.size() / 2; ++f) copies_[f].run_with(copies_[copies_.size() / 2 + f]);
  }

 private:
  std::vector<BoxCopy> copies_;
};

/// The value that a fraction `q` of them stays below: 0.5 is the median, less looks past a busy machine.
double quantile(std::vector<double> values, double q) {
  const auto at = values.begin() + std::ptrdiff_t(q * double(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

struct Way {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds = {};
};

/// Interleaved repetitions; before each, `before` puts the caches into the state to be measured.
void measure(Context& context, std::vector<Way>& ways, int repetitions, const std::function<void()>& before) {
  for (int n = -2; n < repetitions; ++n)
    for (Way& way : ways) {
      before();
      context.barrier();
      const double begin = MPI_Wtime();
      way.run();
      double seconds = MPI_Wtime() - begin;
      mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, context.comm()));
      if (n >= 0) way.seconds.push_back(seconds);
    }
}

struct Set {
  explicit Set(const Grid& grid) {
    for (int f = 0; f < fields; ++f) {
      owned.push_back(
          std::make_unique<Storage>(grid, "f" + std::to_string(f), ElementType::f64, 1, grid.arena()));
      std::fill_n(reinterpret_cast<double*>(owned.back()->block().data), owned.back()->block().bytes / 8,
                  f + 0.5);
      all.push_back(owned.back().get());
    }
  }
  std::unique_ptr<HaloExchange> exchange(const Grid& grid, Corners corners) const {
    std::vector<HaloItem> items;
    for (Storage* storage : all) items.push_back({storage, box(1)});
    return std::make_unique<HaloExchange>(grid, items, HaloOptions{.corners = corners, .piece_bytes = std::getenv("PIECE") ? std::size_t(std::atol(std::getenv("PIECE"))) : std::size_t{60} * 1024});
  }
  std::vector<std::unique_ptr<Storage>> owned;
  std::vector<Storage*> all;
};

void bench_axis(int axis, int repetitions, bool cold, double q) {
  Context shared(MPI_COMM_WORLD, {.transport = TransportPolicy::automatic});
  Context messages(MPI_COMM_WORLD, {.transport = TransportPolicy::mpi});
  Int3 split{1, 1, 1}, size{cells, cells, cells};
  split[axis] = shared.size();
  size[axis] *= shared.size();
  // Periodic along the split only: every cell that moves comes from the other rank.
  const GridOptions options{
      .cells = size, .periodic = {axis == 0, axis == 1, axis == 2}, .halo = 1, .split = split};
  const Grid grid(shared, options), message_grid(messages, options);
  {
    const Set set(grid), twin(grid), message_set(message_grid);
    const auto direct = set.exchange(grid, Corners::direct);
    const auto packed = message_set.exchange(message_grid, Corners::direct);
    NeighborAlltoallw alltoallw(grid, set.all);
    const LocalCopy copy(grid, set.all, twin.all);
    std::vector<double> sweep(cold ? std::size_t{1} << 24 : 0, 1.0);
    const auto before = [&] {
      for (double& value : sweep) value += 1.0;
    };
    const auto round = [](HaloExchange& exchange) {
      exchange.start();
      exchange.wait();
      exchange.finish();
    };
    std::vector<Way> ways{{"shared", [&] { round(*direct); }},
                          {"mpi", [&] { round(*packed); }},
                          {"alltoallw", [&] { alltoallw.run(); }},
                          {"local copy", [&] { copy.run(); }}};
    measure(shared, ways, repetitions, before);
    if (shared.rank() == 0) {
      const double bytes = fields * 8.0 * 2 * cells * cells;
      const std::string name = std::string("halo split ") + "xyz"[axis] + (cold ? " cold" : " warm");
      std::printf("%s:", name.c_str());
      for (const Way& way : ways)
        std::printf(" %s %.0f us (%.1f GB/s)", way.name.c_str(), quantile(way.seconds, q) * 1e6,
                    bytes / quantile(way.seconds, q) * 1e-9);
      std::printf("\n");
      const auto over = [&](std::size_t a, std::size_t b) {
        return quantile(ways[a].seconds, q) / quantile(ways[b].seconds, q);
      };
      bench::report(name + ": local copy / halo by shared memory", over(3, 0),
                    "no goal, 1 is the memory's speed");
      bench::report(name + ": MPI_Neighbor_alltoallw / halo by shared memory", over(2, 0),
                    "no goal, above 1 ours is faster");
      bench::report(name + ": MPI_Neighbor_alltoallw / halo by messages", over(2, 1),
                    "no goal, above 1 ours is faster");
    }
  }
  messages.close();
  shared.close();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 100;
  const double q = argc > 2 ? std::clamp(std::atof(argv[2]), 0.0, 1.0) : 0.5;
  const std::string axes = argc > 3 ? argv[3] : "zyx";
  for (const char name : axes)
    for (bool cold : {false, true})
      bench_axis(name - 'x', cold ? std::max(1, repetitions / 4) : repetitions, cold, q);
  MPI_Finalize();
}
