// SPDX-License-Identifier: Apache-2.0
// One way of storing the fields of the turbulence solver, in a process of its own, because its peak memory is
// measured: prints one line of JSON. bench/turbulence_disk.py makes the table.
//   turbulence_disk POINTS memory|sync|async FILES STEPS SCRATCH [THREADS [BUDGET_BYTES [single]]] [--trial]
#include <mpi.h>

#include <fstream>
#include <iostream>
#include <sstream>

#include "bench/arguments.hpp"
#include "bench/measure.hpp"
#include "engine/base/error.hpp"
#include "engine/exec/team.hpp"
#include "engine/move/stream/rate.hpp"
#include "solvers/turbulence/solver.hpp"

namespace {

using namespace sc;
using namespace sc::turbulence;

/// Peak memory of this process, from the kernel.
std::int64_t peak_bytes() {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;)
    if (word == "VmHWM:") {
      std::int64_t kibibytes = 0;
      in >> kibibytes;
      return kibibytes << 10;
    }
  return 0;
}

/// Keeps threads busy with arithmetic on arrays that fit their caches.
void compute_for(int threads, double seconds) {
  team(threads, [seconds](int) {
    std::vector<double> values(std::size_t{1} << 15, 1.0);
    const double begin = MPI_Wtime();
    while (MPI_Wtime() - begin < seconds)
      for (double& value : values) value = 0.5 * value + 1e-3;
  });
}

/// The disk's rate after the steps, and the share of it that is left while all threads compute.
struct Disk {
  TransferRate after;
  double share = 1;
};

/// What is told of the steps.
struct Steps {
  turbulence::Budget budget;
  std::map<std::string, StorePhase> before, after;  ///< the phases
  std::vector<double> seconds;
  std::int64_t peak;
  double energy;
  std::string io;
  bool direct;
};

void print(Context& context, const Steps& told, const Disk& measured) {
  const TransferRate& after = measured.after;
  const turbulence::Budget& budget = told.budget;
  const std::vector<double>& seconds = told.seconds;
  TransferRate rate = budget.rate;  // the disk is shared: use the mean of the rates before and after
  rate.read = 0.5 * (rate.read + after.read);
  rate.write = 0.5 * (rate.write + after.write);
  rate.both = 0.5 * (rate.both + after.both);
  const auto steps = static_cast<double>(seconds.size());
  double bound = 0, busy = 0, compute = 0, disk = 0;
  std::ostringstream phases;
  for (const auto& [name, all] : told.after) {
    StorePhase p = all;
    if (const auto first = told.before.find(name); first != told.before.end()) {
      p.compute -= first->second.compute;
      p.elapsed -= first->second.elapsed;
      p.read -= first->second.read;
      p.written -= first->second.written;
    }
    const double moved = rate.seconds(p.read, p.written);
    bound += std::max(p.compute, moved) / steps;
    busy += std::max(p.compute, moved / measured.share) / steps;
    compute += p.compute / steps;
    disk += moved / steps;
    phases << (phases.tellp() > 0 ? ", " : "") << '"' << name << "\": {\"compute\": " << p.compute / steps
           << ", \"disk\": " << moved / steps << ", \"elapsed\": " << p.elapsed / steps << '}';
  }
  const double peak = context.max(static_cast<double>(told.peak));
  const double planned = context.max(static_cast<double>(budget.near));
  if (context.rank() != 0) return;
  double sum = 0;
  for (const double s : seconds) sum += s;
  std::cout.precision(6);
  std::cout << "{\"seconds\": " << sum / steps << ", \"compute\": " << compute << ", \"disk\": " << disk
            << ", \"bound\": " << bound << ", \"share\": " << measured.share << ", \"bound_busy\": " << busy
            << ", \"peak\": " << peak << ", \"planned\": " << planned << ", \"read\": " << budget.read
            << ", \"written\": " << budget.written << ", \"on_disk\": " << budget.far
            << ", \"files\": " << budget.pieces << ", \"rate_read\": " << rate.read
            << ", \"rate_write\": " << rate.write << ", \"rate_both\": " << rate.both << ", \"io\": \""
            << told.io << "\", \"direct\": " << told.direct << ", \"phases\": {" << phases.str()
            << "}, \"energy\": ";
  std::cout.precision(17);
  std::cout << told.energy << "}" << std::endl;
}

struct Asked {
  int points;
  std::string way;
  int files, steps;
  std::string scratch;
  int threads;
  std::int64_t budget;
  bool single;
};

Asked asked_of(const bench::Arguments& a) {
  const std::string way = a.word(2, ""), precision = a.word(8, "double");
  if (way != "memory" && way != "sync" && way != "async") a.refuse("storage", way, "memory, sync or async");
  if (precision != "single" && precision != "double") a.refuse("precision", precision, "single or double");
  return {.points = a.number(1, "POINTS", 0, 16, 4),
          .way = way,
          .files = a.number(3, "FILES", 0, 2, 0),
          .steps = a.number(4, "STEPS", 0, 1),
          .scratch = a.word(5, ""),
          .threads = a.number(6, "THREADS", 1, 1),
          .budget = a.whole(7, "BUDGET_BYTES", 0, 0, std::int64_t{1} << 60),
          .single = precision == "single"};
}

Steps steps_of(Context& context, const TurbulenceOptions& options, int steps) {
  Turbulence flow(context, options);
  if (context.rank() == 0) std::cerr << flow.budget().describe() << std::endl;
  flow.start_taylor_green();
  flow.step();
  flow.measure();  // the history of a run allocates memory too, which the budget includes
  const auto before = flow.store().phases();
  std::vector<double> seconds;
  for (int k = 0; k < steps; ++k) {
    context.barrier();
    const double begin = context.timeline().now();
    flow.step();
    seconds.push_back(context.max(context.timeline().now() - begin));
  }
  return {.budget = flow.budget(),
          .before = before,
          .after = flow.store().phases(),
          .seconds = seconds,
          .peak = peak_bytes(),
          .energy = flow.balance().energy,
          .io = flow.store().io_name(),
          .direct = flow.store().past_page_cache()};
}

/// In no more memory than the flow had, which is gone.
Disk disk_of(Context& context, const TurbulenceOptions& options, const turbulence::Budget& budget) {
  const bool sync = !options.engine.strategy.overlaps;
  const std::int64_t near = std::min(most_near, (budget.near - budget.process) / 2);
  FileMemoryOptions files = scratch_files(context, options.storage, !sync);
  files.name += " after";
  Disk disk{.after = measured_rate(files, std::int64_t{32} << 20, near)};
  files.name += " computing";
  const std::int64_t bytes = near < most_near ? near : std::int64_t{128} << 20;
  if (!sync) disk.share = computing_share(files, bytes, [&](double s) { compute_for(context.threads(), s); });
  return disk;
}

void run(const Asked& asked) {
  const int n = asked.points;
  Context context(MPI_COMM_WORLD, {.threads = asked.threads});
  TurbulenceOptions options{.points = {n, n, n}, .viscosity = 1.0 / 1600, .dt = 1e-3, .single = asked.single};
  if (asked.way == "sync") options.engine.strategy = Strategy::blocking;
  options.storage = {.where = asked.way == "memory" || asked.budget > 0 ? Where::memory : Where::files,
                     .pieces = asked.files,
                     .memory = asked.budget,
                     .scratch = asked.scratch,
                     .say = [](const std::string& sentence) { std::cerr << sentence << std::endl; }};
  const Steps told = steps_of(context, options, asked.steps);
  print(context, told, told.budget.disk_used() ? disk_of(context, options, told.budget) : Disk{});
  context.close();
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  if (arguments.count() < 5) {
    std::cerr << "turbulence_disk POINTS memory|sync|async FILES STEPS SCRATCH [THREADS [BUDGET_BYTES "
                 "[single]]]\n";
    return int(Exit::bad_input);
  }
  const Asked asked = asked_of(arguments);
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  try {
    run(asked);
  } catch (const Error& error) {
    std::cerr << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, int(error.code()));
  }
  MPI_Finalize();
}
