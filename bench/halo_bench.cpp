// SPDX-License-Identifier: Apache-2.0
// Halo exchange of 5 x 128^3 doubles, box(1), of fields and of user arrays, against MPI_Neighbor_alltoallw
// with subarray types, PETSc's DMDA if it is installed, and a local copy of the same cells with the same
// strides. Two ranks:
//   mpirun -n 2 halo_bench [repetitions] [quantile] [axes, for example zyx] [--trial]
// The ways take turns, so that other programs on the machine disturb all equally. Results are medians (or
// another quantile) of the slower rank.
#include "bench/halo_ways.hpp"

#include <cstdio>
#include <functional>

#include "bench/arguments.hpp"
#include "bench/measure.hpp"
#include "engine/move/transport/flags.hpp"
#ifdef SUBCURRENT_PETSC
#include "bench/petsc_halo.hpp"
#endif

namespace {

using namespace sc;
using namespace sc::bench;

constexpr int cells = 128;
constexpr int warm_runs = 4;           // several runs: a cache may keep only lines that are used repeatedly,
constexpr double warm_seconds = 4e-3;  // and lines in another core's cache are replaced only after some time

/// The quantile `q`: 0.5 is the median; smaller values suppress disturbances by other programs.
double quantile(std::vector<double> values, double q) {
  const auto at = values.begin() + std::ptrdiff_t(q * double(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Time of one run on the slowest rank.
double seconds_of(Context& context, const Way& way) {
  context.barrier();
  const double begin = MPI_Wtime();
  way.run();
  double seconds = MPI_Wtime() - begin;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, context.comm()));
  return seconds;
}

/// Interleaved repetitions. Before each, `before` empties the caches, or the way itself has just run.
void measure_all(Context& context, std::vector<Way>& ways, int repetitions,
                 const std::function<void()>& before) {
  for (int n = -2; n < repetitions; ++n)
    for (Way& way : ways) {
      if (before) before();
      double warmed = 0;
      for (int run = 0; !before && (run < warm_runs || warmed < warm_seconds); ++run)
        warmed += seconds_of(context, way);
      const double seconds = seconds_of(context, way);
      if (n >= 0) way.seconds.push_back(seconds);
    }
}

/// Round-trip time in seconds of a cache line between the cores of two ranks. A hypervisor may move cores
/// between runs, which changes this time and all transfers between cores.
double line_there_and_back(Context& context) {
  constexpr std::uint64_t turns = 20000;
  const Arena::Block block = context.signals().allocate(Context::signal_segment_bytes, 1);
  std::uint64_t offset = block.offset;
  mpi::check(MPI_Bcast(&offset, 1, MPI_UINT64_T, 0, context.comm()));
  auto* flag = reinterpret_cast<std::uint64_t*>(context.signals().remote(block.chunk, 0) + offset);
  const Way turn{"", [&] {
                   for (std::uint64_t n = 0; n < turns; ++n) {
                     const std::uint64_t mine = 2 * n + std::uint64_t(context.rank());
                     while (load(flag) != mine) {
                     }
                     store(flag, mine + 1);
                   }
                   context.barrier();
                   if (context.rank() == 0) store(flag, 0);
                 }};
  return seconds_of(context, turn) / double(turns);
}

struct Comparison {
  const char* slow;
  const char* fast;
  const char* warm_goal;
  const char* cold_goal;
};

constexpr const char* no_goal = "no goal; above 1 Subcurrent is faster";
constexpr Comparison comparisons[] = {
    {"local copy", "halo by shared memory", "goal >= 0.85", "goal >= 0.85"},
    {"MPI_Neighbor_alltoallw", "halo by shared memory", "goal >= 2", "goal >= 1.3"},
    {"MPI_Neighbor_alltoallw", "halo by messages", no_goal, no_goal},
    {"packed MPI_Sendrecv", "halo by shared memory", no_goal, no_goal},
    {"packed MPI_Sendrecv", "halo_exchange", no_goal, no_goal},
    {"MPI_Neighbor_alltoallw, user arrays", "halo_exchange", no_goal, no_goal},
    {"MPI_Neighbor_alltoallw, user arrays", "halo_exchange by messages", no_goal, no_goal},
    {"MPI_Neighbor_alltoallw, user arrays", "halo_exchange in memory of halo_allocate", "goal >= 2",
     "goal >= 1.3"},
    {"local copy", "halo_exchange in memory of halo_allocate", no_goal, no_goal},
    {"PETSc DMDA, 5 vectors", "halo by shared memory", "goal > 1", "goal > 1"},
    {"PETSc DMDA, 5 interleaved", "halo by shared memory", no_goal, no_goal},
    {"PETSc DMDA, 5 vectors", "halo_exchange", "goal > 1", "goal > 1"},
};

void report_all(const std::string& name, const std::vector<Way>& ways, bool cold, double q) {
  const double bytes = fields * 8.0 * 2 * cells * cells;
  std::printf("%s:", name.c_str());
  for (const Way& way : ways)
    std::printf(" %s %.0f us (%.1f GB/s);", way.name.c_str(), quantile(way.seconds, q) * 1e6,
                bytes / quantile(way.seconds, q) * 1e-9);
  std::printf("\n");
  for (const Comparison& c : comparisons) {
    const auto find = [&](const char* wanted) {
      return std::ranges::find_if(ways, [&](const Way& way) { return way.name == wanted; });
    };
    const auto slow = find(c.slow), fast = find(c.fast);
    if (slow == ways.end() || fast == ways.end()) continue;
    report(name + ": " + c.slow + " / " + c.fast, quantile(slow->seconds, q) / quantile(fast->seconds, q),
           cold ? c.cold_goal : c.warm_goal);
  }
}

void bench_axis(int axis, int repetitions, bool cold, double q) {
  Context shared(MPI_COMM_WORLD, {.transport = TransportPolicy::automatic});
  Context messages(MPI_COMM_WORLD, {.transport = TransportPolicy::mpi});
  Int3 split{1, 1, 1}, size{cells, cells, cells};
  split[axis] = shared.size();
  size[axis] *= shared.size();
  // Periodic along the split only: all received cells come from the other rank.
  const GridOptions options{
      .cells = size, .periodic = {axis == 0, axis == 1, axis == 2}, .halo = 1, .split = split};
  const Grid grid(shared, options), message_grid(messages, options);
  {
    const Fields set(grid), twin(grid), message_set(message_grid);
    const auto direct = set.exchange(grid);
    const auto packed = message_set.exchange(message_grid);
    const UserArrays user(grid, HALO_AUTOMATIC), message_user(grid, HALO_MESSAGES);
    const UserArrays allocated(grid, HALO_AUTOMATIC, true);
    NeighborAlltoallw alltoallw(grid, message_set.arrays), user_alltoallw(grid, message_user.arrays);
    PackedSendrecv sendrecv(grid, set.arrays);
    const LocalCopy copy(grid, set.arrays, twin.arrays);
    std::vector<double> sweep(cold ? std::size_t{1} << 24 : 0, 1.0);
    std::function<void()> before;
    if (cold)
      before = [&] {
        for (double& value : sweep) value += 1.0;
      };
    const auto round = [](Exchange& exchange) {
      exchange.start();
      exchange.wait();
      exchange.finish();
    };
    std::vector<Way> ways{{"halo by shared memory", [&] { round(*direct); }},
                          {"halo by messages", [&] { round(*packed); }},
                          {"MPI_Neighbor_alltoallw", [&] { alltoallw.run(); }},
                          {"packed MPI_Sendrecv", [&] { sendrecv.run(); }},
                          {"local copy", [&] { copy.run(); }},
                          {"halo_exchange", [&] { user.exchange(); }},
                          {"halo_exchange in memory of halo_allocate", [&] { allocated.exchange(); }},
                          {"halo_exchange by messages", [&] { message_user.exchange(); }},
                          {"MPI_Neighbor_alltoallw, user arrays", [&] { user_alltoallw.run(); }}};
#ifdef SUBCURRENT_PETSC
    PetscHalo vectors(grid, fields, 1), interleaved(grid, 1, fields);
    ways.push_back({"PETSc DMDA, 5 vectors", [&] { vectors.run(); }});
    ways.push_back({"PETSc DMDA, 5 interleaved", [&] { interleaved.run(); }});
#endif
    const double line_before = line_there_and_back(shared);
    measure_all(shared, ways, repetitions, before);
    const double line_after = line_there_and_back(shared);
    if (shared.rank() == 0) {
      std::printf(
          "halo split %c %s: a cache line to the other core and back: %.0f ns before, %.0f ns after\n",
          "xyz"[axis], cold ? "cold" : "warm", line_before * 1e9, line_after * 1e9);
      report_all(
          std::string("halo exchange, split in ") + "xyz"[axis] + (cold ? ", cold caches" : ", warm caches"),
          ways, cold, q);
    }
  }
  messages.close();
  shared.close();
}

}  // namespace

int main(int argc, char** argv) {
  const sc::bench::Arguments arguments(argc, argv);
  const int repetitions = arguments.number(1, "repetitions", 100, 2);
  const double q = std::min(arguments.real(2, "quantile", 0.5, 0.5), 1.0);
  const std::string axes = arguments.trial() ? "z" : arguments.word(3, "zyx");
  if (axes.find_first_not_of("xyz") != std::string::npos) arguments.refuse("axes", axes, "letters of xyz");
  MPI_Init(&argc, &argv);
#ifdef SUBCURRENT_PETSC
  PetscInitializeNoArguments();
#else
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("built without PETSc: nothing is compared with its DMDA\n");
#endif
  for (const char axis : axes)
    for (bool cold : {false, true})
      bench_axis(axis - 'x', cold ? std::max(1, repetitions / 4) : repetitions, cold, q);
#ifdef SUBCURRENT_PETSC
  PetscFinalize();
#endif
  MPI_Finalize();
}
