// SPDX-License-Identifier: Apache-2.0
// A program for SimGrid's SMPI: every rank replays its trace with the engine's executor. The simulator sees
// real messages, which share links. Cells are not computed; their computation is simulated time.
//
//   smpirun … simulated FOLDER pieces|whole STEPS    reads FOLDER/RANK, prints the seconds of a step over all
//   ranks; "whole": one message from rank to rank in each run
//
// The program is compiled on the user's machine, which has SimGrid.
#include <mpi.h>
#include <smpi/smpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "engine/base/error.hpp"
#include "model/simulate/reductions.hpp"
#include "model/simulate/simulated_ports.hpp"

namespace {

using namespace sc::model;

constexpr int warm_up = 2;  // steps until the delays between ranks are stationary

/// All messages share one buffer, because their contents do not matter.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : data_(smpi_shared_malloc(bytes, __FILE__, __LINE__)) {}
  ~Memory() { smpi_shared_free(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void* data() const { return data_; }

 private:
  void* data_;
};

std::size_t longest(const Trace& trace) {
  std::int64_t most = 8;
  const auto see = [&](const sc::Passage& passage) { most = std::max(most, passage.bytes); };
  for (const auto& event : trace.events)
    if (const auto* traced = std::get_if<TracedRun>(&event)) {
      for (const sc::Passage& passage : traced->run.departures) see(passage);
      for (const auto& arrival : traced->run.arrivals)
        for (const auto& awaited : arrival) see(awaited.passage);
    }
  return static_cast<std::size_t>(most);
}

/// Replays the trace of one rank repeatedly.
class Player {
 public:
  Player(const Trace& trace, bool whole)
      : trace_(trace),
        strategy_(sc::Strategy::of(trace.strategy)),
        whole_(whole),
        memory_(longest(trace)),
        under_way_(trace.machine.files),
        reductions_(trace.machine.network.overhead, trace.ranks_per_node) {}

  void step() {
    const int before = reductions_.begun();
    for (const auto& event : trace_.events)
      if (const auto* traced = std::get_if<TracedRun>(&event)) {
        run(*traced);
      } else if (const auto* copy = std::get_if<sc::RehearsedCopy>(&event)) {
        under_way_.copy(*copy);
      } else {
        const auto& reduction = std::get<TracedReduction>(event);
        under_way_.pay();
        reduction.begins ? reductions_.begin(reduction.bytes) : reductions_.wait(before + reduction.number);
      }
  }
  void end() { under_way_.end_sends(); }
  double now() { return under_way_.now(); }

 private:
  void run(const TracedRun& traced) {
    under_way_.spend(trace_.machine.run);
    SimulatedPorts ports(traced, trace_.machine, strategy_, whole_, under_way_, memory_.data());
    sc::Executor().carry_out(traced.run.plan, strategy_, ports);
    ports.finish();
  }

  const Trace& trace_;
  const sc::Strategy& strategy_;
  bool whole_;
  Memory memory_;
  UnderWay under_way_;
  Reductions reductions_;
};

int simulate(const std::string& folder, bool whole, int steps) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::ifstream file(folder + "/" + std::to_string(rank));
  const Trace trace = read_trace(file);
  Player player(trace, whole);
  // No barrier between steps: ranks would leave it one after another.
  std::array<double, 2> mine{}, last{};
  for (int step = 0; step < warm_up; ++step) player.step();
  mine[0] = player.now();
  for (int step = 0; step < steps; ++step) player.step();
  mine[1] = player.now();
  player.end();
  MPI_Reduce(mine.data(), last.data(), 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("simulated %.9g\n", (last[1] - last[0]) / steps);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) return 2;
  int code = 1;
  try {
    code = simulate(argv[1], std::string(argv[2]) == "whole", std::atoi(argv[3]));
  } catch (const sc::Error& error) {
    std::fprintf(stderr, "simulated: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
