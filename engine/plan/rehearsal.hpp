// SPDX-License-Identifier: Apache-2.0
// Rehearsal: records the plans of a program's step on one of any number of ranks, without computing or
// sending. It also records the cost of a chunk and the destination of a piece, so that another executor can
// simulate them on a described machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/plan/passage.hpp"
#include "engine/plan/plan.hpp"

namespace sc {

/// Cells that are computed by the same kernel, at one rate.
struct Kernel {
  std::string name;
  double bytes_per_cell = 0, flops_per_cell = 0;  ///< as declared
};

/// The work of a chunk of a run.
struct Work {
  /// Of `boundary` the cells are those of halos that are filled on the rank itself.
  enum class Part : std::uint8_t { nothing, shell, core, all, boundary } part = Part::nothing;
  std::int64_t cells = 0;
  std::int64_t rows = 0;  ///< rows along x that contain these cells
  int kernel = 0;         ///< of its run
};

/// Copies from or to files, in batches that complete in the order of their start: the start of a batch, or a
/// wait for it.
struct RehearsedCopy {
  bool in = true;  ///< from files
  bool begins = true;
  std::int64_t batch = 0;
  std::int64_t bytes = 0;
};

struct RehearsedRun {
  std::string stage;
  Plan plan;
  std::vector<Kernel> kernels = {};
  std::vector<std::vector<Work>> works = {};  ///< for each chunk of the plan
  std::vector<Passage> departures = {};       ///< for each piece of the plan
  /// For each arrival of the plan: the messages that it needs, and for each the piece of the plan that its
  /// sender, with the same plan as this rank, has started then; -1 for none.
  struct Awaited {
    Passage passage;
    int like = -1;
  };
  std::vector<std::vector<Awaited>> arrivals = {};
  /// For each chunk of the plan, in runs on slabs: the slab that it computes, and the copies before and
  /// after.
  struct Slab {
    int number = -1;
    std::vector<RehearsedCopy> before = {}, after = {};
  };
  std::vector<Slab> slabs = {};

  /// The number of a kernel; a new one is added.
  int kernel(const Kernel& one);
  /// Adds cells that its last chunk copies within the block, into halos or between slots, or fills by
  /// conditions. Each field is a kernel of its own, whatever stage fills it.
  void fills(const std::string& field, std::int64_t cells, double bytes_per_cell);
};

/// The start of a reduction over all ranks, or a wait for it.
struct RehearsedReduction {
  const void* of = nullptr;  ///< identifies one of several in progress
  std::int64_t bytes = 0;
  bool begins = true;
};

using RehearsedEvent = std::variant<RehearsedRun, RehearsedReduction, RehearsedCopy>;

/// What simulated ranks request from each other during set-up. A program is set up once as every rank, to
/// record its requests, when it receives none; then again as the wanted ranks, which receive them.
struct SetupRequests {
  using Lists = std::vector<std::vector<int>>;  ///< for each rank
  std::vector<std::vector<Lists>> of;           ///< by rank and call of exchange()
  std::vector<bool> any;                        ///< by call of any_rank(): whether a rank has passed true
  bool all = false;                             ///< all ranks have recorded their requests
};

class Rehearsal {
 public:
  std::vector<RehearsedEvent> events;

  /// Assigns the following work to the last chunk of `run`; nullptr: to runs of its own.
  void into(RehearsedRun* run) { into_ = run; }
  /// Records cells that no stage declares: lines of a transform, planes.
  void computed(const Kernel& kernel, std::int64_t cells, std::int64_t rows);
  /// Assigns the following file operations to slab `slab` of the last run, before or after its computation.
  /// Does nothing if the run has no such slab, or without a rehearsal.
  static void at_slab(Rehearsal* rehearsal, int slab, bool after);
  void copied(const RehearsedCopy& copy);

  /// During set-up: requests between ranks are recorded in `requests`, or received from there.
  void set_requests(std::shared_ptr<SetupRequests> requests);
  bool has_requests() const { return requests_ != nullptr; }
  /// Whether any rank returned true; true while requests are recorded, so that all ranks make as many calls.
  bool any_rank(bool here);
  /// Skips as many calls of exchange(), because no rank has a request.
  void skip_exchanges(std::size_t calls) { exchanges_ += calls; }
  /// The requests of each rank to this one, in the same form as its own.
  std::vector<std::vector<int>> exchange(int rank, const std::vector<std::vector<int>>& for_each);

 private:
  RehearsedRun* into_ = nullptr;
  std::vector<RehearsedCopy>* beside_ = nullptr;
  std::shared_ptr<SetupRequests> requests_;
  std::size_t exchanges_ = 0, any_calls_ = 0;  // calls of exchange() and any_rank() since set_requests()
};

}  // namespace sc
